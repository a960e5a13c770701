/** Which providers a job passes over because they are in trouble, for those who have a key of their own there. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { WorkspaceId } from "../../../src/domain/Ids.js"
import { type CallRunFailure, type Credential, ProviderFailure } from "../../../src/domain/ProviderCall.js"
import { ProviderError, ProviderHttpError } from "../../../src/domain/RunFailures.js"
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
