/**
 * The composition: the one place that knows every layer. `StoragePg` (Operations.ts) is what stands on Postgres, `Engine` what works
 * over any storage, `Gateway` both with the HTTP interface. The HTTP server is built last and so stops first; the database last of all.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { parse } from "yaml"
import { readFile } from "node:fs/promises"
import { HttpLayer } from "../http/Server.js"
import { HttpSettings } from "../http/Settings.js"
import { ReadinessChecks } from "../http/system/Readiness.js"
import { AdmissionBatched } from "./AdmissionBatched.js"
import { builtInCatalog } from "./BuiltInCatalog.js"
import { readCatalog } from "./CatalogFiles.js"
import { CatalogServed } from "./CatalogServed.js"
import type { GatewayConfig } from "./Config.js"
import { Database } from "./Database.js"
import { dispatcherDefaults, DispatcherQueue, DispatcherSettings } from "./DispatcherQueue.js"
import { FixtureProvider, fixtureOrigin } from "./FixtureProvider.js"
import { FaultPointsKill } from "./FaultPointsKill.js"
import { StoragePg } from "./Operations.js"
import { ProvidersHttp } from "./ProvidersHttp.js"
import { RateLimiterMemory } from "./RateLimiterMemory.js"
import { RunsAdmitted } from "./RunsAdmitted.js"
import { SettlementBatched } from "./SettlementBatched.js"
import { VocabularyFile } from "./search/Vocabulary.js"

const vocabulary = Effect.flatMap(
  Effect.promise(() => readFile(`${builtInCatalog}/vocabulary.yaml`, "utf8")),
  (text) => Schema.decodeUnknown(VocabularyFile)(parse(text))
)

const Engine = (config: GatewayConfig, fixtureAt: Option.Option<string>) =>
  RunsAdmitted.pipe(
    Layer.provideMerge(DispatcherQueue),
    Layer.provideMerge(Layer.mergeAll(AdmissionBatched, SettlementBatched)),
    Layer.provideMerge(Layer.unwrapEffect(Effect.map(Effect.orDie(vocabulary), (words) => CatalogServed({ jobsMayPickFixtures: !config.production, vocabulary: words })))),
    Layer.provideMerge(ProvidersHttp({
      egressAllow: config.egressAllow,
      origins: Option.match(fixtureAt, { onNone: () => ({}), onSome: (origin) => ({ [fixtureOrigin]: origin }) })
    })),
    Layer.provide([FaultPointsKill(config.faultPoint), Layer.succeed(DispatcherSettings, { ...dispatcherDefaults, slots: config.dispatchSlots, normalizedOn: config.normalized })])
  )

/** What the catalog folders hold, without the fixtures where they do not run. */
export const catalogContent = (config: GatewayConfig) =>
  Effect.map(readCatalog([builtInCatalog, ...config.catalogFolders]), ({ endpoints, jobs }) => ({
    jobs,
    endpoints: endpoints.filter(({ provider }) => config.fixtures || !provider.mock)
  }))

const Checks = Layer.effect(
  ReadinessChecks,
  Effect.map(Database, ({ query, sql }) => ({ storage: Effect.isSuccess(query(sql`select 1`)) }))
)

/** Where the fixture provider is: one that runs already, one of our own, or nowhere. */
const fixtureFor = (config: GatewayConfig) =>
  !config.fixtures || Option.isSome(config.fixtureOrigin)
    ? Effect.succeed(config.fixtureOrigin)
    : Effect.map(FixtureProvider.start({ port: config.fixturePort }), ({ origin }) => Option.some(origin))

/** The whole gateway, listening. The catalog is not published yet: until then it answers `catalog_loading`. */
export const Gateway = (config: GatewayConfig) =>
  Layer.unwrapScoped(Effect.map(
    fixtureFor(config),
    (fixtureAt) =>
      HttpLayer.pipe(
        Layer.provide(Layer.succeed(HttpSettings, {
          host: config.host,
          port: config.port,
          drainMillis: config.drainMillis,
          readinessPauseMillis: 0,
          deploymentMode: config.production ? "production" : "development"
        })),
        Layer.provide(Checks),
        Layer.provideMerge(Engine(config, fixtureAt)),
        Layer.provide(RateLimiterMemory({ burst: config.rateBurst, refillPerSecond: config.ratePerSecond })),
        Layer.provideMerge(StoragePg(config))
      )
  ))
