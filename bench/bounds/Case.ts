/** What a case is, and how it becomes a call of the real code. */
import type { OutgoingHttpHeaders } from "node:http"

export interface Answer {
  readonly status?: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer | string
}

/** A word of what became of it. */
export type Run = () => Promise<string> | string

export interface Case {
  readonly name: string
  /** Runs before a node serves, or in a process of the command line: it holds up nobody but who waits for it. */
  readonly alone?: true
  /** Made in the process that is measured, before it is measured. */
  readonly prepare?: () => Promise<Run> | Run
  /** An answer of the provider, made in the other process; `operation` is how the manifest reads it. */
  readonly answer?: () => Answer
  readonly operation?: object
  readonly provider?: object
  /** The key of the call, which is sought in the answer. */
  readonly secret?: string
}
