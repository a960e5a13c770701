/** What a workspace is told that it can run, while a provider is in trouble with the platform's key. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { WorkspaceId } from "../../../src/domain/Ids.js"
import { ProviderFailure } from "../../../src/domain/ProviderCall.js"
import { ProviderHttpError } from "../../../src/domain/RunFailures.js"
import { unrestricted } from "../../../src/domain/WorkspacePolicy.js"
import { CatalogServed } from "../../../src/layers/catalog/CatalogServed.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { ContractStoreMemory } from "../../../src/layers/memory/ContractStoreMemory.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { ProviderHealthMemory } from "../../../src/layers/memory/ProviderHealthMemory.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { Catalog } from "../../../src/services/Catalog.js"
import { CatalogPublisher } from "../../../src/services/CatalogPublisher.js"
import { ProviderHealth } from "../../../src/services/ProviderHealth.js"
import { endpoint, newWorld, noVocabulary, worldServices } from "../../support/catalog.js"

const world = newWorld()
const services = CatalogServed({ jobsMayPickFixtures: true, vocabulary: noVocabulary }).pipe(
  Layer.provideMerge(ProviderHealthMemory),
  Layer.provide(worldServices(world)),
  Layer.provide(ContractStoreMemory),
  Layer.provide(Layer.provideMerge(AuditTrailMemory, Layer.merge(IdsCrypto, MemoryStorageLayer)))
)

it.effect("a provider whose platform key is out of credit runs for those who have a connection of their own", () =>
  Effect.gen(function* () {
    const content = { jobs: [], endpoints: [endpoint({ id: "look", provider: { id: "p", auth: { type: "bearer" } } })] }
    yield* (yield* CatalogPublisher).publish(content)
    const viewer = {
      workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`),
      policy: unrestricted,
      learnsFromUse: false
    }
    const access = Effect.map(
      Effect.flatMap(Catalog, (catalog) => catalog.rows(["look"], viewer)),
      (rows) => rows.map((row) => row.access)
    )
    world.platformKeys.add("p")
    assert.deepStrictEqual(yield* access, ["runs_now"])
    const failure = new ProviderHttpError({ providerStatus: 402 })
    yield* (yield* ProviderHealth).record(
      "p",
      new ProviderFailure({ failure, sent: true, cost: { _tag: "None" }, evidence: null })
    )
    assert.deepStrictEqual(yield* access, ["coming_soon"])
    world.connections.add("p")
    assert.deepStrictEqual(yield* access, ["runs_now"])
  }).pipe(Effect.provide(services))
)
