/**
 * Callbacks of providers for all nodes of one storage. A wait is known to the node that waits, in its memory. A
 * callback that reaches another node is passed on as a signal, at most once a second for each wait.
 */
import { randomBytes } from "node:crypto"
import { Clock, Effect, Layer, Redacted, Stream } from "effect"
import { callbackPath, callbackSignalMillis, callbacksRememberedMax } from "../../domain/limits/Calls.js"
import { CursorKey } from "../../services/CursorKey.js"
import { ProviderCallbacks } from "../../services/ProviderCallbacks.js"
import { RunSignals } from "../../services/RunSignals.js"
import { setBounded } from "./BoundedMap.js"
import { callbackKey, readToken, writeToken } from "./CallbackTokens.js"

/** No address is given, and none is known. */
export const CallbacksNone: Layer.Layer<ProviderCallbacks> = Layer.succeed(
  ProviderCallbacks,
  ProviderCallbacks.of({ open: () => Effect.succeed(null), ring: () => Effect.succeed(false) })
)

/** `publicUrl` is where providers reach this gateway, without a slash at its end. */
export const CallbacksSigned = (publicUrl: string): Layer.Layer<ProviderCallbacks, never, CursorKey | RunSignals> =>
  Layer.scoped(
    ProviderCallbacks,
    Effect.gen(function* () {
      const key = callbackKey(Redacted.value(yield* CursorKey))
      const signals = yield* RunSignals
      const waits = new Map<string, Effect.Latch>()
      const passedOn = new Map<string, number>()
      const ringHere = (waitId: string): boolean => waits.get(waitId)?.unsafeOpen() !== undefined

      yield* Effect.forkScoped(
        Stream.runForEach(signals.work, (signal) =>
          Effect.sync(() => {
            if (signal._tag === "CalledBack") ringHere(signal.waitId)
            // A signal may have been missed.
            else if (signal._tag === "Rescan") waits.forEach((rung) => rung.unsafeOpen())
          })
        )
      )

      return ProviderCallbacks.of({
        open: Effect.fnUntraced(function* (lastsMillis) {
          const now = yield* Clock.currentTimeMillis
          const { token, waitId } = writeToken(key, randomBytes(16), Math.ceil(now + lastsMillis))
          const rung = Effect.unsafeMakeLatch()
          waits.set(waitId, rung)
          yield* Effect.addFinalizer(() => Effect.sync(() => waits.delete(waitId)))
          return { url: `${publicUrl}${callbackPath}${token}`, rung }
        }),
        ring: Effect.fnUntraced(function* (token) {
          const wait = readToken(key, token)
          const now = yield* Clock.currentTimeMillis
          if (wait === null || wait.endsAtMillis < now) return false
          const { waitId } = wait
          if (ringHere(waitId) || now - (passedOn.get(waitId) ?? -Infinity) < callbackSignalMillis) return true
          setBounded(passedOn, callbacksRememberedMax, waitId, now)
          yield* signals.publish({ _tag: "CalledBack", waitId })
          return true
        })
      })
    })
  )
