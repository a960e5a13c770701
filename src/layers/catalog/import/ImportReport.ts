// The result of an import: what was imported, and what could not be expressed. Notes of one kind are counted, and the
// first few of them are kept as examples.
import type { Endpoint } from "../../../domain/Manifest.js"

/**
 * `skipped`: not imported. `inactive`: listed, but cannot be run. `changed`: imported in another form than it was
 * written in.
 */
export type ImportEffect = "skipped" | "inactive" | "changed"

export interface ImportNote {
  readonly effect: ImportEffect
  readonly message: string
  readonly count: number
  /** The first few operations (or files) that have this note. */
  readonly examples: ReadonlyArray<string>
}

export interface ImportReport {
  readonly read: number
  readonly imported: number
  readonly notes: ReadonlyArray<ImportNote>
}

export interface Imported {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly report: ImportReport
}

const examplesMax = 5

export class ReportBuilder {
  private readonly notes = new Map<
    string,
    { effect: ImportEffect; message: string; count: number; examples: Array<string> }
  >()

  note(effect: ImportEffect, subject: string, message: string): void {
    const key = `${effect} ${message}`
    const known = this.notes.get(key) ?? { effect, message, count: 0, examples: [] }
    known.count += 1
    if (known.examples.length < examplesMax) known.examples.push(subject)
    this.notes.set(key, known)
  }

  done(read: number, imported: number): ImportReport {
    return {
      read,
      imported,
      notes: Array.from(this.notes.values()).sort((a, b) => b.count - a.count || (a.message < b.message ? -1 : 1))
    }
  }
}
