/**
 * The addresses at which providers tell that a slow operation has news. A callback is a hint to ask now: its body is
 * not read, so a forged, repeated or late one changes no result. An address belongs to one wait of one attempt and
 * cannot be guessed; it works at every node of one storage. Nothing is stored. A callback can be lost, so that its
 * wait must also end without it.
 */
import { Context, type Effect, type Scope } from "effect"

export interface Callback {
  /** What the provider is told to call. */
  readonly url: string
  /** Opened by each call. Its wait closes it before it asks. */
  readonly rung: Effect.Latch
}

export class ProviderCallbacks extends Context.Tag("gateway/services/ProviderCallbacks")<
  ProviderCallbacks,
  {
    /**
     * An address for a wait of at most so many milliseconds. It ends with the scope. Null where the operator has not
     * said at which URL others reach this gateway.
     */
    readonly open: (lastsMillis: number) => Effect.Effect<Callback | null, never, Scope.Scope>
    /**
     * A provider called the address that ends with this token. False when no node of this storage can have given it, or
     * when its time is over; whether a wait goes on is not told.
     */
    readonly ring: (token: string) => Effect.Effect<boolean>
  }
>() {}
