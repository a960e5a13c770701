/**
 * The part of the composition that needs no HTTP, no catalog and no provider: the database, what stands on it, and the services of
 * an operator's command line. Apart from `Main` so that a command starts without loading the rest.
 */
import { Effect, Layer, Option } from "effect"
import { Micros, microsPerUsd } from "../domain/Micros.js"
import { FaultPointsOff } from "../services/FaultPoints.js"
import { AccountsPg } from "./AccountsPg.js"
import { CapabilityRequestsPg } from "./CapabilityRequestsPg.js"
import { CatalogRevisionsPg } from "./CatalogRevisionsPg.js"
import type { GatewayConfig } from "./Config.js"
import { ContractStorePg } from "./ContractStorePg.js"
import { CursorKeyPg } from "./CursorKeyPg.js"
import { DatabasePg } from "./Database.js"
import * as EmbeddedPostgres from "./EmbeddedPostgres.js"
import { EndpointStatsPg } from "./EndpointStatsPg.js"
import { IdempotencyPg } from "./IdempotencyPg.js"
import { IdsCrypto } from "./IdsCrypto.js"
import { LoginApprovalsPg } from "./LoginApprovalsPg.js"
import { migrate } from "./Migrations.js"
import { migrations } from "./migrations/index.js"
import { PaymentsNone } from "./PaymentsNone.js"
import { ProviderHealthPg } from "./ProviderHealthPg.js"
import { ReconciliationStored } from "./ReconciliationStored.js"
import { RunSignalsPg } from "./RunSignalsPg.js"
import { RunStorePg } from "./RunStorePg.js"
import { SealingPg } from "./SealingPg.js"
import { SecretsPg } from "./Secrets.js"
import { SettlementBatched } from "./SettlementBatched.js"
import { TopUpsPg } from "./TopUpsPg.js"
import { TransactionsPg } from "./TransactionsPg.js"
import { WalletDefaults } from "./WalletDefaults.js"
import { WalletPg } from "./WalletPg.js"

/** The database of `DATABASE_URL`, or a Postgres of our own that lives as long as the scope; migrated either way. */
export const DatabaseConfigured = (config: GatewayConfig) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const url = Option.isSome(config.databaseUrl) ? config.databaseUrl.value : (yield* EmbeddedPostgres.start({ dataDir: config.dataDir })).url
    return Layer.tap(DatabasePg({ url, connectionsMax: config.databaseConnections }), (context) => Effect.provide(migrate(migrations), context))
  }))

/** Every service that stands on Postgres, with the database under them. */
export const StoragePg = (config: GatewayConfig) =>
  Layer.mergeAll(
    AccountsPg,
    CapabilityRequestsPg,
    ContractStorePg,
    CursorKeyPg,
    EndpointStatsPg,
    IdempotencyPg,
    LoginApprovalsPg,
    ProviderHealthPg,
    RunSignalsPg,
    RunStorePg,
    SecretsPg,
    TransactionsPg,
    TopUpsPg({
      enabled: config.billing,
      minimumMicros: Micros.make(5 * microsPerUsd),
      suggestedMicros: Micros.make(20 * microsPerUsd),
      maximumMicros: Micros.make(10_000 * microsPerUsd),
      dashboardUrl: `${config.publicUrl}/docs`
    })
  ).pipe(
    Layer.provideMerge(WalletPg),
    Layer.merge(CatalogRevisionsPg.pipe(Layer.provide(ContractStorePg))),
    Layer.provide(PaymentsNone),
    Layer.provideMerge(SealingPg({ keyFile: config.production ? null : `${config.dataDir}/sealing-keys` })),
    Layer.provide(Layer.succeed(WalletDefaults, { inflightLimit: config.inflightLimit })),
    Layer.provideMerge(IdsCrypto),
    Layer.provideMerge(DatabaseConfigured(config))
  )

/** The services of an operator's command line: everything about accounts, money and keys, nothing that dispatches. */
export const Operations = (config: GatewayConfig) =>
  ReconciliationStored.pipe(Layer.provide(SettlementBatched), Layer.provide(FaultPointsOff), Layer.provideMerge(StoragePg(config)))
