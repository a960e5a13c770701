/** What one call asks before it is made, and what its end says about its provider to others. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { Micros } from "../../../src/domain/Micros.js"
import { type Credential, notSent } from "../../../src/domain/ProviderCall.js"
import type { Candidate } from "../../../src/domain/RoutePlan.js"
import type { Attempt, Run } from "../../../src/domain/Run.js"
import { FetchFailed } from "../../../src/domain/RunFailures.js"
import { attemptCall } from "../../../src/layers/runs/dispatch/AttemptCall.js"
import { makeSingleFlight } from "../../../src/layers/runs/dispatch/SingleFlight.js"
import type { Parts } from "../../../src/layers/runs/dispatch/Work.js"
import type { ProviderState } from "../../../src/services/ProviderStates.js"
import { makeOneTimeEvent } from "../../../src/services/OneTimeEvent.js"
import { endpoint } from "../../support/catalog.js"

interface Called {
  readonly credential: Credential
  readonly provider?: object
  /** What the operator does while the key of the call is looked up. */
  readonly meanwhile?: ProviderState
}

/** How a call ends whose provider is never reached, the calls that were made, and the providers whose health heard. */
const endOf = ({ credential, meanwhile = "enabled", provider = {} }: Called) =>
  Effect.gen(function* () {
    const called = endpoint({ id: "e", provider })
    const heard: Array<string> = []
    let made = 0
    let state: ProviderState = "enabled"
    const clock = yield* Clock.clockWith(Effect.succeed)
    const parts = {
      catalog: { endpointAt: () => Effect.succeed(called) },
      clock,
      credentials: {
        resolve: () =>
          Effect.sync(() => {
            state = meanwhile
            return credential
          })
      },
      faults: { at: () => Effect.void, during: (_: string, work: Effect.Effect<unknown>) => work },
      health: {
        stateOf: () => state,
        record: (providerId: string) => Effect.sync(() => void heard.push(providerId))
      },
      lookAt: () => undefined,
      patiently: (work: Effect.Effect<unknown>) => work,
      providers: {
        call: () =>
          Effect.suspend(() => {
            made += 1
            return notSent(new FetchFailed())
          })
      },
      shared: makeSingleFlight(),
      stats: { record: () => Effect.void },
      tracer: null
    } as unknown as Parts
    const candidate: Candidate = {
      endpointId: called.operation.id,
      providerId: called.provider.id,
      contractVersion: called.contractVersion,
      effectful: false,
      repeatable: true,
      input: {},
      maxMicros: Micros.make(0)
    }
    const work = {
      lease: { node: "n", token: "t", millis: 60_000 },
      sinceNanos: clock.unsafeCurrentTimeNanos(),
      stop: makeOneTimeEvent<"cancelled" | "lease_lost">(),
      trace: null
    }
    const attempt = { attemptId: "att", providerId: called.provider.id, startedAt: 0 } as unknown as Attempt
    const failed = yield* Effect.flip(attemptCall(parts)(work, {} as Run, { attempt, candidate }))
    return { ended: failed._tag, made, heard }
  })

/** The providers whose health heard of a call that failed. */
const heardOf = (called: Called) =>
  Effect.map(endOf(called), ({ ended, heard, made }) => {
    assert.deepStrictEqual([ended, made], ["ProviderFailure", 1])
    return heard
  })

it.effect("a failure with a customer's own key, or of a fixture, says nothing about the provider for others", () =>
  Effect.gen(function* () {
    const secret = Redacted.make("secret")
    assert.deepStrictEqual(yield* heardOf({ credential: { _tag: "Platform", secret } }), ["p-e"])
    assert.deepStrictEqual(yield* heardOf({ credential: { _tag: "None" } }), ["p-e"])
    assert.deepStrictEqual(yield* heardOf({ credential: { _tag: "Connection", connectionId: "con_1", secret } }), [])
    assert.deepStrictEqual(yield* heardOf({ credential: { _tag: "None" }, provider: { mock: true } }), [])
  })
)

it.effect("a provider that is switched off while the key of a call is looked up is not called", () =>
  Effect.gen(function* () {
    const end = yield* endOf({ credential: { _tag: "None" }, meanwhile: "disabled" })
    assert.deepStrictEqual(end, { ended: "provider_disabled", made: 0, heard: [] })
  })
)
