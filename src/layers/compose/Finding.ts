/** What `gateway doctor` says of one thing that it looked at. */
import { isStorageError } from "../../domain/StorageErrors.js"
import { failedWords } from "../node/StorageWords.js"

export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly found: string
  /** What to do; null when there is nothing to do. */
  readonly advice: string | null
}

export const right = (check: string, found: string): Finding => ({ check, ok: true, found, advice: null })
/** It may be meant so. */
export const doubtful = (check: string, found: string, advice: string): Finding => ({ check, ok: true, found, advice })
/** What the storage did not do has advice of its own. */
export const wrong = (check: string, error: unknown, otherwise: string): Finding => {
  const { advice, found } = isStorageError(error) ? failedWords(error) : { advice: otherwise, found: error }
  return {
    check,
    ok: false,
    found: (found instanceof Error ? found.message : String(found)).trim().replace(/\s*\n\s*/g, "; "),
    advice
  }
}
