/** Which providers a job tries: those in trouble are passed over, and nothing with an effect follows another. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { WorkspaceId } from "../../../src/domain/Ids.js"
import { type CallRunFailure, type Credential, ProviderFailure } from "../../../src/domain/ProviderCall.js"
import type { JsonObject } from "../../../src/domain/Json.js"
import { ProviderError, ProviderHttpError } from "../../../src/domain/RunFailures.js"
import { longInputFields } from "../../../src/domain/limits/Runs.js"
import { holdOf } from "../../../src/domain/RoutePlan.js"
import { unrestricted } from "../../../src/domain/WorkspacePolicy.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { ProviderHealthMemory } from "../../../src/layers/memory/ProviderHealthMemory.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { planJob } from "../../../src/layers/runs/planning/PlanJob.js"
import { Catalog } from "../../../src/services/Catalog.js"
import { Credentials } from "../../../src/services/Credentials.js"
import { ProviderHealth } from "../../../src/services/ProviderHealth.js"
import { Providers } from "../../../src/services/Providers.js"
import { endpoint, job, newWorld, servedCatalog, worldServices } from "../../support/catalog.js"

const auth = { type: "bearer" }
const content = {
  jobs: [job("people.email.find")],
  endpoints: ["first", "second"].map((id) => endpoint({ id, job: "people.email.find", provider: { id, auth } }))
}
const storage = Layer.provideMerge(AuditTrailMemory, Layer.merge(IdsCrypto, MemoryStorageLayer))
const services = Layer.mergeAll(
  servedCatalog(content),
  worldServices(newWorld()),
  Layer.provide(ProviderHealthMemory, storage)
)

/** The providers that a run with this key tries, after calls of the first one with the platform's key failed so. */
const tried = (credential: Credential, failure: CallRunFailure) =>
  Effect.gen(function* () {
    const health = yield* ProviderHealth
    const failed = new ProviderFailure({ failure, sent: true, cost: { _tag: "None" }, evidence: null })
    yield* Effect.replicateEffect(health.record("first", failed), 5)
    const parts = {
      catalog: yield* Catalog,
      credentials: { ...(yield* Credentials), resolve: () => Effect.succeed(credential) },
      health,
      providers: yield* Providers
    }
    const fallback = {
      enabled: true,
      maxAttempts: 3,
      maxCostMicros: null,
      exclude: [],
      stopAtFirstMiss: false,
      prefer: "balanced" as const
    }
    const request = { endpointId: "job:people.email.find", input: { name: "Ada" }, fallback, connectionId: null }
    const asked = { workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`), policy: unrestricted, request }
    const route = yield* planJob(parts, asked, "people.email.find")
    return route.candidates.map(({ providerId }) => providerId).sort()
  }).pipe(Effect.provide(services))

const own: Credential = { _tag: "Connection", connectionId: "con_1", secret: Redacted.make("own") }
const platform: Credential = { _tag: "Platform", secret: Redacted.make("platform") }
const outOfCredit = new ProviderHttpError({ providerStatus: 402 })
const down = new ProviderError({ providerStatus: 500 })

it.effect("used-up credit of the platform's key keeps no job from a customer's own connection", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* tried(platform, outOfCredit), ["second"])
    assert.deepStrictEqual(yield* tried(own, outOfCredit), ["first", "second"])
  })
)

it.effect("a provider that is down is passed over, whosever key the run uses", () =>
  Effect.gen(function* () {
    for (const credential of [platform, own]) assert.deepStrictEqual(yield* tried(credential, down), ["second"])
  })
)

/** The operations that a run of these tries, and what it holds. */
const planned = (
  operations: ReadonlyArray<{ readonly id: string; readonly micros: number; readonly effect: string }>,
  enabled: boolean,
  further: JsonObject = {}
) =>
  Effect.gen(function* () {
    const parts = {
      catalog: yield* Catalog,
      credentials: yield* Credentials,
      health: yield* ProviderHealth,
      providers: yield* Providers
    }
    const fallback = {
      enabled,
      maxAttempts: 3,
      maxCostMicros: null,
      exclude: [],
      stopAtFirstMiss: false,
      prefer: "cheapest" as const
    }
    const request = {
      endpointId: "job:people.email.find",
      input: { ...further, name: "Ada" },
      fallback,
      connectionId: null
    }
    const asked = { workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`), policy: unrestricted, request }
    const route = yield* planJob(parts, asked, "people.email.find")
    return [route.candidates.map(({ endpointId }) => String(endpointId)), Number(holdOf(route))]
  }).pipe(
    Effect.provide(
      Layer.merge(
        servedCatalog({
          jobs: content.jobs,
          endpoints: operations.map(({ effect, id, micros }) =>
            endpoint({
              id,
              job: "people.email.find",
              effect,
              repeatable: effect === "read_only",
              price: { basis: "per_call", micros, source: "https://price.test" }
            })
          )
        }),
        worldServices(newWorld())
      )
    )
  )

it.effect("an operation with an effect is tried first or not at all, and the hold covers what is tried", () =>
  Effect.gen(function* () {
    const cheap = { id: "cheap", micros: 100, effect: "read_only" }
    const dear = { id: "dear", micros: 2_000, effect: "read_only" }
    const sends = (micros: number) => ({ id: "sends", micros, effect: "effectful" })
    assert.deepStrictEqual(yield* planned([cheap, sends(1_000), dear], true), [["cheap", "dear"], 2_100])
    assert.deepStrictEqual(yield* planned([cheap, sends(50), dear], true), [["sends"], 50])
    assert.deepStrictEqual(yield* planned([cheap, dear], false), [["cheap"], 100])
  })
)

it.effect("each provider is looked at in a turn of the event loop of its own where the input is long", () =>
  Effect.gen(function* () {
    const operations = Array.from({ length: 10 }, (_, at) => ({ id: `op-${at}`, micros: 100, effect: "read_only" }))
    const turnsWith = (fields: number) =>
      Effect.gen(function* () {
        let turns = 0
        const count = (): void => {
          turns += 1
          next = setImmediate(count)
        }
        let next = setImmediate(count)
        const further = Object.fromEntries(Array.from({ length: fields }, (_, at) => [`f${at}`, at]))
        const [, held] = yield* planned(operations, true, further)
        clearImmediate(next)
        assert.strictEqual(held, 300)
        return turns
      })
    const short = yield* turnsWith(10)
    assert.isAtLeast(yield* turnsWith(longInputFields), short + operations.length)
  })
)
