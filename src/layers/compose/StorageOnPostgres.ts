/**
 * The part of the composition that needs no HTTP, no catalog and no provider: the database, what stands on it, and the
 * services of an operator's command line. Apart from `Main` so that a command starts without loading the rest.
 */
import { Data, Effect, Layer, Option } from "effect"
import { resolve } from "node:path"
import { type BillingPolicy, billingPolicy } from "../../domain/TopUp.js"
import { ArchiveFilesNone, ArchiveFilesOnDisk } from "../node/ArchiveFilesOnDisk.js"
import { FaultPointsOff } from "../node/FaultPointsOff.js"
import { AccountsPg } from "../postgres/AccountsPg.js"
import { AuditTrailPg } from "../postgres/AuditTrailPg.js"
import { PublicUrl } from "../../services/PublicUrl.js"
import { CapabilityRequestsPg } from "../postgres/CapabilityRequestsPg.js"
import { CatalogRevisionsPg } from "../postgres/CatalogRevisionsPg.js"
import type { GatewayConfig } from "../node/Config.js"
import { ContractStorePg } from "../postgres/ContractStorePg.js"
import { CursorKeyPg } from "../postgres/CursorKeyPg.js"
import { type Database, DatabasePg } from "../postgres/Database.js"
import { inSentences } from "../node/StorageWords.js"
import * as EmbeddedPostgres from "../postgres/embedded/EmbeddedPostgres.js"
import type { MoneyAndRuns, People } from "./Engine.js"
import { EndpointStatsPg } from "../postgres/EndpointStatsPg.js"
import { IdempotencyPg } from "../postgres/IdempotencyPg.js"
import { IdsCrypto } from "../node/IdsCrypto.js"
import { MembersPg } from "../postgres/MembersPg.js"
import { SearchUsesPg } from "../postgres/SearchUsesPg.js"
import { SessionsPg } from "../postgres/SessionsPg.js"
import { LoginApprovalsPg } from "../postgres/LoginApprovalsPg.js"
import { migrate, missingMigrations } from "../postgres/Migrations.js"
import { migrations } from "../postgres/migrations/index.js"
import type { OffSessionPayments } from "../../services/OffSessionPayments.js"
import type { PaymentEvents } from "../../services/PaymentEvents.js"
import type { Payments } from "../../services/Payments.js"
import { PaymentsNone } from "../accounts/payments/PaymentsNone.js"
import { PaymentsStripe } from "../accounts/payments/PaymentsStripe.js"
import { ProviderHealthPg } from "../postgres/ProviderHealthPg.js"
import { ProviderStatesPg } from "../postgres/ProviderStatesPg.js"
import { ReconciliationStored } from "../runs/ReconciliationStored.js"
import { ProposalsPg } from "../postgres/ProposalsPg.js"
import { ReportsPg } from "../postgres/ReportsPg.js"
import { RetentionPasses } from "../runs/retention/RetentionPasses.js"
import { RunHistoryPg } from "../postgres/history/RunHistoryPg.js"
import { RunSignalsMemory } from "../memory/RunSignalsMemory.js"
import { RunSignalsPg } from "../postgres/RunSignalsPg.js"
import type { RunSignals } from "../../services/RunSignals.js"
import { RunStorePg } from "../postgres/RunStorePg.js"
import { SealingPg } from "../postgres/SealingPg.js"
import { SecretsPg, StoredSecretsPg } from "./SecretsOnPostgres.js"
import { MoneyCommitsInTurn } from "../runs/MoneyCommits.js"
import { SettlementBatched } from "../runs/SettlementBatched.js"
import { TokensPg } from "../postgres/TokensPg.js"
import { TopUpsPg } from "../postgres/TopUpsPg.js"
import { TransactionsPg } from "../postgres/TransactionsPg.js"
import { WalletDefaults } from "../accounts/WalletDefaults.js"
import { WalletPg } from "../postgres/WalletPg.js"

/** A command was asked about a gateway that is not here, such as in another folder than the one it was started in. */
export class NoGatewayHere extends Data.TaggedError("NoGatewayHere")<{ readonly folder: string }> {
  readonly advice =
    "Run the command in the folder in which the gateway was started, or set GATEWAY_DATA_DIR to its data folder, or DATABASE_URL to its database. gateway serve makes a new one"
  get found() {
    return `There is no gateway in ${this.folder}`
  }
  override get message() {
    return inSentences(this)
  }
}

/**
 * The database of `DATABASE_URL`, or a Postgres of our own that lives as long as the scope; as it is found, for a
 * command. Where a Postgres of our own was never started, it fails.
 */
export const DatabaseFound = (config: GatewayConfig) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      if (Option.isNone(config.databaseUrl) && !(yield* EmbeddedPostgres.exists(config.dataDir)))
        return yield* new NoGatewayHere({ folder: resolve(config.dataDir) })
      return DatabaseFoundOrMade(config, "command")
    })
  )

/** The same, and a new Postgres of our own where there is none. */
export const DatabaseFoundOrMade = (config: GatewayConfig, usedBy: "node" | "command") =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const url = Option.isSome(config.databaseUrl)
        ? config.databaseUrl.value
        : (yield* EmbeddedPostgres.start({ dataDir: config.dataDir })).url
      return DatabasePg({
        url,
        usedBy,
        connectionsMax: config.databaseConnections,
        poolerPrepares: config.poolerPrepares,
        ...(Option.isSome(config.databaseUrl) && Option.isSome(config.listenUrl)
          ? { directUrl: config.listenUrl.value }
          : {})
      })
    })
  )

const migrated = <E, R>(database: Layer.Layer<Database, E, R>) =>
  Layer.tap(database, (context) => Effect.provide(migrate(migrations), context))

/** The database is there and empty: a command about a gateway would make one, often where none was meant. */
export class NoGatewayInDatabase extends Data.TaggedError("NoGatewayInDatabase")<{}> {
  override readonly message =
    "This database has no gateway yet. Set DATABASE_URL to that of the gateway; or start the gateway here, or run gateway migrate, which make one"
}

const holdingGateway = <E, R>(database: Layer.Layer<Database, E, R>) =>
  Layer.tap(database, (context) =>
    Effect.flatMap(Effect.provide(missingMigrations(migrations), context), ({ length }) =>
      length === Object.keys(migrations).length ? Effect.fail(new NoGatewayInDatabase()) : Effect.void
    )
  )

/** What holds the money and the runs, over a database. */
export const MoneyAndRunsPg = (options: {
  readonly inflightLimit: number
  readonly billing: BillingPolicy
  readonly payments: Layer.Layer<Payments | PaymentEvents | OffSessionPayments>
  /** Whether it waits for the runs of all nodes. */
  readonly signals: Layer.Layer<RunSignals, never, Database>
}): Layer.Layer<MoneyAndRuns | People, never, Database> =>
  Layer.mergeAll(
    AccountsPg,
    AuditTrailPg,
    IdempotencyPg,
    LoginApprovalsPg,
    MembersPg,
    ProposalsPg,
    ReportsPg,
    options.signals,
    RunStorePg,
    SearchUsesPg,
    SessionsPg,
    TokensPg,
    TopUpsPg(options.billing),
    TransactionsPg
  ).pipe(
    Layer.provideMerge(Layer.merge(WalletPg, options.payments)),
    Layer.provide([Layer.succeed(WalletDefaults, { inflightLimit: options.inflightLimit })]),
    Layer.provideMerge(IdsCrypto)
  )

/** The page shows the balance and its top-ups, and says what is missing where nothing can be paid. */
const billingOf = ({ billing, publicUrl }: GatewayConfig): BillingPolicy =>
  billingPolicy({
    enabled: billing,
    dashboardUrl: (workspaceId) => `${publicUrl}/console/${workspaceId}/top-up`
  })

/** What a command of an operator and a node have in common, under services that only one of them has. */
const storageUnder =
  <E, R>(
    config: GatewayConfig,
    database: Layer.Layer<Database, E, R>,
    signals: Layer.Layer<RunSignals, never, Database>
  ) =>
  <A, E2, R2>(services: Layer.Layer<A, E2, R2>) =>
    Layer.merge(services, Layer.provide(CatalogRevisionsPg, ContractStorePg)).pipe(
      Layer.provideMerge(
        MoneyAndRunsPg({
          inflightLimit: config.inflightLimit,
          billing: billingOf(config),
          payments: Option.match(config.stripe, { onNone: () => PaymentsNone, onSome: PaymentsStripe }),
          signals
        })
      ),
      Layer.provideMerge(SealingPg({ keyFile: config.production ? null : `${config.dataDir}/sealing-keys` })),
      Layer.provideMerge(database)
    )

/** Every service that stands on Postgres, with the database under them, which is migrated first. */
export const StoragePg = <E, R>(config: GatewayConfig, database: Layer.Layer<Database, E, R>) =>
  Layer.mergeAll(
    CapabilityRequestsPg,
    ContractStorePg,
    CursorKeyPg,
    EndpointStatsPg,
    ProviderHealthPg,
    SecretsPg(config.egressAllow)
  ).pipe(storageUnder(config, migrated(database), RunSignalsPg))

/** How long runs are kept, over a storage on Postgres. */
export const RetentionPg = ({ retention }: GatewayConfig) => {
  const settings = Option.getOrNull(retention)
  const folder = settings?.archiveDir ?? null
  return RetentionPasses(settings).pipe(
    Layer.provide(folder === null ? ArchiveFilesNone : ArchiveFilesOnDisk(folder)),
    Layer.provide(RunHistoryPg)
  )
}

/** A connection takes longer to make than what most commands ask of it. */
const operatorConnectionsMax = 2

/**
 * The services of an operator's command line: everything about accounts, money and keys, nothing that dispatches,
 * nothing that a node does in the background and nothing that it keeps in memory. So a command waits only for what it
 * reads itself. They are about a gateway that is there.
 */
export const OperatorServices = (config: GatewayConfig) => {
  const databaseConnections = Math.min(operatorConnectionsMax, config.databaseConnections)
  const database = holdingGateway(DatabaseFound({ ...config, databaseConnections }))
  return ReconciliationStored({ twoPersonAboveMicros: Option.getOrNull(config.resolveTwoPersonMicros) }).pipe(
    Layer.provide(Layer.provide(SettlementBatched, MoneyCommitsInTurn)),
    Layer.provide(FaultPointsOff),
    Layer.merge(Layer.succeed(PublicUrl, config.publicUrl)),
    Layer.merge(RetentionPg(config)),
    Layer.provideMerge(
      Layer.merge(ProviderStatesPg, StoredSecretsPg(config.egressAllow)).pipe(
        storageUnder(config, migrated(database), RunSignalsMemory)
      )
    )
  )
}
