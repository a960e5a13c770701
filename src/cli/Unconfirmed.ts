/**
 * What a command says that makes something or moves money, where nobody knows whether it did: the answer of the storage
 * or of the gateway was lost, or Ctrl-C ended the command while it was under way.
 */
import { Cause, Effect, Option } from "effect"
import { StorageUncertain } from "../domain/StorageErrors.js"
import { GatewayRefused, GatewayUnreachable, mayBeDone } from "./client/GatewayFailures.js"
import { Screen } from "./Screen.js"

const isUnconfirmed = (error: unknown): boolean =>
  error instanceof StorageUncertain ||
  ((error instanceof GatewayUnreachable || error instanceof GatewayRefused) && mayBeDone(error))

/** Tells how a person learns what became of the work. It wraps only what may not be done twice by mistake. */
export const orTell =
  (words: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Screen> =>
    Effect.onError(work, (cause) =>
      Cause.isInterrupted(cause) || Option.exists(Cause.failureOption(cause), isUnconfirmed)
        ? Effect.flatMap(Screen, ({ note }) => note(words))
        : Effect.void
    )

/** Of a token whose secret nobody has seen. */
export const tokenUnconfirmed =
  "Whether the token was made is not known, and its secret is lost: gateway token list and the console show it if it was, and gateway token revoke ID ends it"
