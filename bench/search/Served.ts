// The catalog service over operations of a benchmark, with nothing around it: every key is missing and nothing has run
// yet.
import { Context, Effect, Layer } from "effect"
import { WorkspaceId } from "../../src/domain/Ids.js"
import { unrestricted } from "../../src/domain/WorkspacePolicy.js"
import { CatalogServed } from "../../src/layers/catalog/CatalogServed.js"
import type { SearchVocabulary } from "../../src/layers/catalog/search/Vocabulary.js"
import { Catalog } from "../../src/services/Catalog.js"
import { type CatalogContent, CatalogPublisher, type CatalogRefused } from "../../src/services/CatalogPublisher.js"
import { ContractStore } from "../../src/services/ContractStore.js"
import { Credentials } from "../../src/services/Credentials.js"
import { EndpointStats } from "../../src/services/EndpointStats.js"
import { ProviderHealth } from "../../src/services/ProviderHealth.js"
import { SearchUses } from "../../src/services/SearchUses.js"
import { Providers } from "../../src/services/Providers.js"
import type { StorageError } from "../../src/domain/StorageErrors.js"

/** Whose searches are measured. */
export const viewer = {
  workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`),
  policy: unrestricted,
  learnsFromUse: false
}

/** What a benchmark never calls. */
export const unused = <Id, Shape extends object>(
  tag: Context.Tag<Id, Shape>,
  methods: Partial<Shape> = {}
): Layer.Layer<Id> => Layer.succeed(tag, methods as Shape)
const noStatistics = new Map<string, never>()

export const worldless = Layer.mergeAll(
  unused(ContractStore, { keep: () => Effect.void, find: () => Effect.succeed(null) }),
  unused(Credentials, {
    access: () => Effect.succeed({ version: "1", of: () => ({ hasPlatformKey: false, hasConnection: false }) })
  }),
  unused(ProviderHealth, { health: () => Effect.succeed({ state: "enabled", openForSeconds: 0 }) }),
  unused(EndpointStats, { snapshot: Effect.succeed(noStatistics) }),
  unused(SearchUses),
  unused(Providers)
)

export const servedCatalog = (
  content: CatalogContent,
  vocabulary: SearchVocabulary
): Effect.Effect<Catalog["Type"], CatalogRefused | StorageError> =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      CatalogServed({ jobsMayPickFixtures: false, vocabulary }).pipe(Layer.provide(worldless))
    )
    yield* Context.get(context, CatalogPublisher).publish(content)
    return Context.get(context, Catalog)
  }).pipe(Effect.scoped)
