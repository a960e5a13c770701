/**
 * The gateway as it runs in production: the one place that knows every layer. `StoragePg` is what stands on Postgres,
 * `Engine` what works over any storage, `Gateway` both with the HTTP interface. The HTTP server is built last and so
 * stops first; the database stops last of all.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Effect, Fiber, Layer, Option } from "effect"
import { answersRequests, doesHousekeeping, startsUnwaitedRuns, takesQueuedRuns } from "../../domain/NodeRole.js"
import { HttpLayer } from "../../http/Server.js"
import { HttpSettings } from "../../http/Settings.js"
import { ReadinessChecks } from "../../http/system/Readiness.js"
import { DrainingMemory } from "../node/DrainingMemory.js"
import { Engine } from "./Engine.js"
import { builtInCatalog } from "../catalog/BuiltInCatalog.js"
import { readCatalog } from "../catalog/CatalogFiles.js"
import { CatalogFollowing } from "../catalog/CatalogFollowing.js"
import { listed } from "../catalog/Merging.js"
import type { GatewayConfig } from "../node/Config.js"
import { ensureDemoWorkspace } from "../accounts/DemoWorkspace.js"
import { enterDeployment } from "../postgres/Deployment.js"
import { FixtureProvider, fixtureOrigin } from "../providers/fixture/FixtureProvider.js"
import { FaultPointsKill } from "../node/FaultPointsKill.js"
import { Gauges } from "../node/Gauges.js"
import { ProcessGauges } from "../node/ProcessGauges.js"
import { LedgerChecksPg } from "../postgres/LedgerChecksPg.js"
import { DatabaseFoundOrMade, RetentionPg, StoragePg } from "./StorageOnPostgres.js"
import { AutomaticTopUpsKept } from "../accounts/topups/AutomaticTopUpsKept.js"
import { OwedCollected } from "../accounts/topups/OwedCollected.js"
import { CallbacksNone, CallbacksSigned } from "../providers/CallbacksSigned.js"
import { NodeRegistered } from "../postgres/NodesPg.js"
import { ProvidersHttp } from "../providers/ProvidersHttp.js"
import { Catalog } from "../../services/Catalog.js"
import { ProviderCallbacks } from "../../services/ProviderCallbacks.js"
import { PublicUrl } from "../../services/PublicUrl.js"
import { OpenIdClient } from "../accounts/OpenIdClient.js"
import { OpenIdNone } from "../accounts/OpenIdNone.js"
import { LeasesRenewedApart } from "../postgres/leases/LeasesRenewedApart.js"
import { RateLimiterMemory } from "../node/RateLimiterMemory.js"
import { RateLimiterShared } from "../node/RateLimiterShared.js"
import { RateBucketsPg } from "../postgres/RateBucketsPg.js"
import { ReconciliationStored } from "../runs/ReconciliationStored.js"
import { ReportsKept } from "../runs/ReportsKept.js"
import { RetentionKept } from "../runs/retention/RetentionKept.js"
import { RefusedRunsForgotten } from "../runs/RefusedRunsForgotten.js"
import { Sealing } from "../../services/Sealing.js"
import { assertSecretsOpen } from "../postgres/SealingPg.js"
import { storageChecks } from "../postgres/StorageChecks.js"
import { readVocabulary } from "../catalog/VocabularyFiles.js"

/** What the catalog folders hold, without the fixtures where they do not run. */
const catalogContent = (config: GatewayConfig) =>
  Effect.gen(function* () {
    const { endpoints, jobs, overridden } = yield* readCatalog([builtInCatalog, ...config.catalogFolders])
    for (const { folder, ...ids } of overridden) {
      yield* Effect.logInfo("A catalog folder overrides what stands below it").pipe(
        Effect.annotateLogs({ folder, ...listed(ids) })
      )
    }
    return { jobs, endpoints: endpoints.filter(({ provider }) => config.fixtures || !provider.mock) }
  })

const Checks = Layer.scoped(
  ReadinessChecks,
  Effect.map(storageChecks, (checks) => Effect.map(checks, (found) => ({ ...found })))
)

/** Where the fixture provider is: one that runs already, one of our own, or nowhere. */
const fixtureFor = (config: GatewayConfig) =>
  !config.fixtures || Option.isSome(config.fixtureOrigin)
    ? Effect.succeed(config.fixtureOrigin)
    : Effect.map(FixtureProvider.start({ port: config.fixturePort }), ({ origin }) => Option.some(origin))

/** What is due now and again for all nodes. */
const Housekeeping = Layer.mergeAll(AutomaticTopUpsKept, OwedCollected, RefusedRunsForgotten, ReportsKept)

const rateLimiter = (config: GatewayConfig) => {
  const options = {
    burst: config.rateBurst,
    refillPerSecond: config.ratePerSecond,
    publicRate: { burst: config.publicRateBurst, refillPerSecond: config.publicRatePerSecond },
    publicTotalRate: { burst: config.publicTotalRateBurst, refillPerSecond: config.publicTotalRatePerSecond }
  }
  return config.rates === "shared"
    ? Layer.provide(RateLimiterShared(options), RateBucketsPg)
    : RateLimiterMemory(options)
}

/** The gateway over a catalog, which publishes what is served. It listens once that is in force. */
export const Gateway = <E, R>(config: GatewayConfig, catalog: Layer.Layer<never, E, R>) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const words = yield* Effect.forkScoped(Effect.orDie(readVocabulary(builtInCatalog)))
      const fixtureAt = yield* fixtureFor(config)
      const nodeId = randomUUID().replaceAll("-", "").slice(0, 16)
      const providers = Layer.unwrapEffect(
        Effect.map(ProviderCallbacks, (callbacks) =>
          ProvidersHttp({
            egressAllow: config.egressAllow,
            inlineResultBytes: config.inlineResultBytes,
            origins: Option.match(fixtureAt, { onNone: () => ({}), onSome: (origin) => ({ [fixtureOrigin]: origin }) }),
            callbacks
          })
        )
      )
      return HttpLayer.pipe(
        Layer.provide(
          Layer.succeed(HttpSettings, {
            host: config.host,
            port: config.port,
            drainMillis: config.drainMillis,
            readinessPauseMillis: config.stopPauseMillis,
            deploymentMode: config.production ? "production" : "development",
            publicUrl: config.publicUrl,
            serverUrl: config.serverUrl,
            trustProxy: config.trustProxy,
            serviceAgents: config.serviceAgents,
            probesOnly: !answersRequests(config.role)
          })
        ),
        Layer.provide([
          Layer.succeed(PublicUrl, config.publicUrl),
          Option.match(config.openId, { onNone: () => OpenIdNone, onSome: OpenIdClient }),
          Checks,
          ProcessGauges({ dataDir: config.dataDir }),
          Layer.provide(
            Gauges({ ledgerCheckSeconds: doesHousekeeping(config.role) ? config.ledgerCheckSeconds : 0 }),
            LedgerChecksPg
          ),
          doesHousekeeping(config.role)
            ? Layer.merge(Housekeeping, Layer.provide(RetentionKept, RetentionPg(config)))
            : Layer.empty,
          Layer.unwrapEffect(
            Effect.map(Effect.all([Sealing, Catalog]), ([{ keyIds }, { revision }]) =>
              NodeRegistered({
                nodeId,
                role: config.role,
                host: hostname(),
                sealingKeys: keyIds,
                catalog: Effect.orElseSucceed(revision, () => null)
              })
            )
          )
        ]),
        Layer.provide(ReconciliationStored({ twoPersonAboveMicros: Option.getOrNull(config.resolveTwoPersonMicros) })),
        Layer.provideMerge(
          Engine({
            catalog,
            vocabulary: Fiber.join(words),
            jobsMayPickFixtures: !config.production,
            providers,
            leases: LeasesRenewedApart(),
            dispatcher: {
              slots: config.dispatchSlots,
              normalizedOn: config.normalized,
              node: nodeId,
              takesQueued: takesQueuedRuns(config.role),
              startsUnwaited: startsUnwaitedRuns(config.role)
            }
          })
        ),
        Layer.provide(config.serverUrl === "/" ? CallbacksNone : CallbacksSigned(config.publicUrl)),
        Layer.provide([DrainingMemory, FaultPointsKill(config.faultPoint), rateLimiter(config)]),
        Layer.provideMerge(
          Layer.tap(StoragePg(config, DatabaseFoundOrMade(config, "node")), (context) =>
            Effect.provide(Effect.zipRight(enterDeployment(config.production), assertSecretsOpen), context)
          )
        )
      )
    })
  )

/**
 * The whole gateway, serving its catalog folders with whatever operators have published over them, now and from now on.
 * The folders are read while the database starts: either takes about a second. In development the demo workspace and
 * its token are made before the catalog is served, and the gateway listens after that: whoever finds it listening finds
 * it ready, and the token made.
 */
export const GatewayWithCatalog = (config: GatewayConfig) =>
  Layer.unwrapScoped(
    Effect.map(Effect.forkScoped(catalogContent(config)), (reading) =>
      Gateway(
        config,
        Layer.unwrapEffect(Effect.map(Fiber.join(reading), CatalogFollowing)).pipe(
          Layer.provide(Layer.effectDiscard(config.production ? Effect.void : ensureDemoWorkspace(config.dataDir)))
        )
      )
    )
  )
