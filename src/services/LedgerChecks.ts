/**
 * The regular check of the whole ledger. However many nodes ask, one at a time makes it, and all of them see what it
 * found.
 */
import { Context, type Duration, type Effect } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"

export interface LedgerCheck {
  readonly checkedAt: number
  readonly tookMillis: number
  readonly driftMicros: number
  /** The first row that does not add up, in words. */
  readonly difference: string | null
}

export class LedgerChecks extends Context.Tag("gateway/services/LedgerChecks")<
  LedgerChecks,
  {
    /**
     * The last check, or a new one when the last is older than `between` and older than nineteen times its own
     * duration. Null while another node makes the very first check.
     */
    readonly latest: (between: Duration.Duration) => Effect.Effect<LedgerCheck | null, StorageError>
  }
>() {}
