/**
 * Seals secrets for storage and opens them again. What is sealed names its key, so that keys can be changed one row at
 * a time, and is bound to what it belongs to: moved to another row it does not open.
 */
import { Context, Data, type Effect, type Redacted } from "effect"

export interface Sealed {
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** The key is not there any more, or these bytes were not sealed by it for this purpose. */
export class SealUnreadable extends Data.TaggedError("SealUnreadable")<{ readonly keyId: string }> {}

export class Sealing extends Context.Tag("gateway/services/Sealing")<
  Sealing,
  {
    /** The key that `seal` uses. */
    readonly currentKeyId: string
    /** The keys that `open` has, the current one among them. */
    readonly keyIds: ReadonlySet<string>
    /** `about` says what the secret belongs to; the same text opens it. */
    readonly seal: (secret: Redacted.Redacted<string>, about: string) => Effect.Effect<Sealed>
    readonly open: (sealed: Sealed, about: string) => Effect.Effect<Redacted.Redacted<string>, SealUnreadable>
  }
>() {}
