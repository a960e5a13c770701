/**
 * Values in the answers of the SDK. It writes JSON by `JSON.stringify`, which makes texts of the numbers that a
 * JavaScript number would change. So it is given a mark in place of each value, and the value's own JSON is put there
 * when the answer is written.
 */
import { randomUUID } from "node:crypto"

export interface ExactContent {
  /** What the SDK is given for a value of this JSON. */
  readonly markOf: (json: string) => { readonly [mark: string]: unknown }
  /** The text of an answer with the values in it. */
  readonly put: (answer: string) => string
}

/** For one answer; nobody can guess its marks. */
export const makeExactContent = (): ExactContent => {
  const byMark = new Map<string, string>()
  return {
    markOf: (json) => {
      const mark = { [randomUUID()]: 0 }
      byMark.set(JSON.stringify(mark), json)
      return mark
    },
    put: (answer) => {
      let text = answer
      for (const [mark, json] of byMark) text = text.replace(mark, () => json)
      return text
    }
  }
}
