/**
 * A catalog for tests: endpoints made in one line, statistics, keys and provider states set by hand.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { type Endpoint, JobManifest, ProviderManifest } from "../../src/domain/Manifest.js"
import { endpointsOf } from "../../src/layers/catalog/ManifestEndpoints.js"
import { CatalogServed } from "../../src/layers/catalog/CatalogServed.js"
import type { SearchVocabulary } from "../../src/layers/catalog/search/Vocabulary.js"
import { ContractStoreMemory } from "../../src/layers/memory/ContractStoreMemory.js"
import type { Catalog } from "../../src/services/Catalog.js"
import { type CatalogContent, CatalogPublisher } from "../../src/services/CatalogPublisher.js"
import type { ContractStore } from "../../src/services/ContractStore.js"
import { Credentials } from "../../src/services/Credentials.js"
import { EndpointStats, type Works } from "../../src/services/EndpointStats.js"
import { type Health, ProviderHealth } from "../../src/services/ProviderHealth.js"
import { SearchUses } from "../../src/services/SearchUses.js"
import { Providers } from "../../src/services/Providers.js"

const decodeProvider = Schema.decodeUnknownSync(ProviderManifest)
const decodeJob = Schema.decodeUnknownSync(JobManifest)

export const job = (id: string, more: object = {}): JobManifest =>
  decodeJob({
    id,
    title: id.split(".").reverse().join(" "),
    category: id.split(".")[0],
    platform: id.split(".")[1],
    description: `Does ${id}.`,
    exampleInput: { name: "Ada" },
    ...more
  })

export interface Made {
  readonly id: string
  readonly provider?: object
  readonly [field: string]: unknown
}

/**
 * One operation of a provider of its own, unless `provider.id` says otherwise. Keyless and free where nothing is said.
 */
export const endpoint = ({ id, provider = {}, ...operation }: Made): Endpoint =>
  endpointsOf(
    decodeProvider({
      id: `p-${id}`,
      name: `Provider ${id}`,
      baseUrl: "https://api.example.com",
      ...provider,
      operations: [
        {
          id,
          name: `Operation ${id}`,
          summary: `Answers about ${id}.`,
          method: "GET",
          path: "/x",
          input: {
            type: "object",
            properties: { name: { type: "string", description: "Whose." } },
            required: ["name"]
          },
          price: { basis: "free", micros: 0 },
          ...operation
        }
      ]
    })
  )[0]!

/** What the world outside the catalog says; a test may change it at any time. */
export interface World {
  readonly works: Map<string, Works>
  readonly health: Map<string, Health>
  readonly platformKeys: Set<string>
  readonly connections: Set<string>
}

export const newWorld = (): World => ({
  works: new Map(),
  health: new Map(),
  platformKeys: new Set(),
  connections: new Set()
})

const needs: Providers["Type"]["prepare"] = ({ operation }, input) => {
  const required = operation.input["required"]
  const missing = Array.isArray(required) ? required.filter((field) => input[String(field)] === undefined) : []
  return missing.length === 0
    ? { _tag: "Accepted", input }
    : { _tag: "Rejected", problems: missing.map((field) => ({ _tag: "Missing" as const, field: String(field) })) }
}

const closed: Health = { state: "enabled", openForSeconds: 0 }

export const worldServices = (
  world: World
): Layer.Layer<Credentials | ProviderHealth | EndpointStats | Providers | SearchUses> =>
  Layer.succeedContext(
    Context.empty().pipe(
      Context.add(
        Credentials,
        Credentials.of({
          resolve: () => Effect.die("no call is made here"),
          // What a test changes here shows after a second, or at once in a world of few providers.
          access: () =>
            Effect.succeed({
              version: "1",
              of: (provider) => ({
                hasPlatformKey: world.platformKeys.has(provider.id),
                hasConnection: world.connections.has(provider.id)
              })
            })
        })
      ),
      Context.add(
        ProviderHealth,
        ProviderHealth.of({
          health: (providerId) => Effect.succeed(world.health.get(providerId) ?? closed),
          stateOf: (providerId) => (world.health.get(providerId) ?? closed).state,
          record: () => Effect.void,
          setState: () => Effect.void
        })
      ),
      // A copy each time: the catalog may keep what it made of a snapshot for as long as it is the same one.
      Context.add(
        EndpointStats,
        EndpointStats.of({
          snapshot: Effect.sync(() => new Map(world.works)),
          record: () => Effect.void,
          comparedAnswers: Effect.succeed(new Map()),
          recordCompared: () => Effect.void
        })
      ),
      // Nothing is learned here: `SearchUses.suite.ts` is about that.
      Context.add(
        SearchUses,
        SearchUses.of({
          weights: () => Effect.succeed(new Map()),
          shown: () => Effect.void,
          ran: () => Effect.void
        })
      ),
      Context.add(
        Providers,
        Providers.of({
          call: () => Effect.die("no call is made here"),
          prepare: needs,
          prepareJob: needs,
          checkCommon: () => []
        })
      )
    )
  )

export const noVocabulary = { same: [], related: [] }

/** The catalog layer with this content in force (none: nothing is published yet). */
export const servedCatalog = (
  content: CatalogContent | null,
  world: World = newWorld(),
  options: { readonly jobsMayPickFixtures?: boolean; readonly vocabulary?: SearchVocabulary } = {}
): Layer.Layer<Catalog | CatalogPublisher | ContractStore> => {
  const served = CatalogServed({
    jobsMayPickFixtures: options.jobsMayPickFixtures ?? true,
    vocabulary: options.vocabulary ?? noVocabulary
  }).pipe(Layer.provide(worldServices(world)), Layer.provideMerge(ContractStoreMemory))
  if (content === null) return served
  return Layer.effectDiscard(Effect.flatMap(CatalogPublisher, ({ publish }) => Effect.orDie(publish(content)))).pipe(
    Layer.provideMerge(served)
  )
}
