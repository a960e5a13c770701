/** How `gateway run` ends without a run that went well, for people and, with `--json`, for programs. */
import { Data } from "effect"

/** The gateway would not run it, and said why. */
export class NotRun extends Data.TaggedError("NotRun")<{
  /** That of the API. */
  readonly code: string
  readonly message: string
}> {}

/** The run ended, and not well. */
export class RunEndedBadly extends Data.TaggedError("RunEndedBadly")<{ readonly message: string }> {}

/** What a program needs to get the same run, and not to begin another. */
export interface SameRun {
  readonly idempotencyKey: string
  /** Once the gateway has said it. */
  readonly runId?: string
}

/** The run may be there, or is there, and the command ends without knowing what became of it. */
export class RunNotKnown extends Data.TaggedError("RunNotKnown")<{
  readonly cause: { readonly message: string }
  readonly sameRun: SameRun
}> {
  override get message() {
    return this.cause.message
  }
}
