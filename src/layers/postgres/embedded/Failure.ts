/**
 * Why the embedded Postgres could not be had, and the two small things every file of this folder needs: a promise
 * turned into that failure, and a file system error code read from an unknown value.
 */
import { Data, Effect, Predicate } from "effect"

/**
 * - `unsupported`: no binaries for this system, or they do not run on it
 * - `unreachable`: the files lie where the user that Postgres runs as cannot reach them, or belong to somebody else
 * - `failed`: initdb or postgres ended with an error (its last words are in `message`)
 */
export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{
  readonly reason: "unsupported" | "unreachable" | "failed"
  readonly message: string
  readonly cause?: unknown
}> {}

export const codeOf = (error: unknown): string | undefined =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : undefined

const reasonOf = (cause: unknown): EmbeddedPostgresError["reason"] =>
  ["EACCES", "EPERM", "EROFS", "EINVAL"].includes(codeOf(cause) ?? "") ? "unreachable" : "failed"

/** Runs a promise of the operating system; `doing` completes the sentence "Embedded Postgres: cannot …". */
export const attempt = <A>(doing: string, run: () => Promise<A>): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new EmbeddedPostgresError({
        reason: reasonOf(cause),
        message: `Embedded Postgres: cannot ${doing} (${cause instanceof Error ? cause.message : String(cause)}). Setting DATABASE_URL uses another Postgres`,
        cause
      })
  })

/** The promise's value, or `fallback` where the file system answers with one of `codes`. */
export const unless = <A, B>(promise: Promise<A>, codes: ReadonlyArray<string>, fallback: B): Promise<A | B> =>
  promise.catch((error: unknown) => (codes.includes(codeOf(error) ?? "") ? fallback : Promise.reject(error)))
