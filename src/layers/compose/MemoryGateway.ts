/**
 * A gateway in the memory of one process, for tests: the real admission, dispatch, settlement, catalog and money.
 * `StorageMemory` is the storage of money and runs. `EngineInMemory` works over it, or over that of Postgres. The
 * caller chooses the providers and puts HTTP on top.
 */
import { Effect, Layer, Redacted } from "effect"
import { billingPolicy } from "../../domain/TopUp.js"
import type { Admission } from "../../services/Admission.js"
import type { Catalog } from "../../services/Catalog.js"
import { type CatalogContent, CatalogPublisher } from "../../services/CatalogPublisher.js"
import type { ContractStore } from "../../services/ContractStore.js"
import type { Dispatcher } from "../../services/Dispatcher.js"
import type { EndpointStats } from "../../services/EndpointStats.js"
import type { FaultPoints } from "../../services/FaultPoints.js"
import type { ProviderHealth } from "../../services/ProviderHealth.js"
import type { Providers } from "../../services/Providers.js"
import type { Runs } from "../../services/Runs.js"
import type { Settlement } from "../../services/Settlement.js"
import { AccountsMemory } from "../memory/AccountsMemory.js"
import { AuditTrailMemory } from "../memory/AuditTrailMemory.js"
import { ContractStoreMemory } from "../memory/ContractStoreMemory.js"
import type { DispatcherOptions } from "../runs/dispatch/DispatcherQueue.js"
import { DrainingMemory } from "../node/DrainingMemory.js"
import { Engine, type MoneyAndRuns, type People } from "./Engine.js"
import { FaultPointsOff } from "../node/FaultPointsOff.js"
import { EndpointStatsMemory } from "../memory/EndpointStatsMemory.js"
import { IdempotencyMemory } from "../memory/IdempotencyMemory.js"
import { IdsCrypto } from "../node/IdsCrypto.js"
import { LeasesRenewedHere } from "../runs/LeasesRenewedHere.js"
import { MembersMemory } from "../memory/MembersMemory.js"
import { SearchUsesMemory } from "../memory/SearchUsesMemory.js"
import { SessionsMemory } from "../memory/SessionsMemory.js"
import { LoginApprovalsMemory } from "../memory/LoginApprovalsMemory.js"
import { MemoryStorageLayer, TransactionsMemory } from "../memory/MemoryStorage.js"
import { PaymentsNone } from "../accounts/payments/PaymentsNone.js"
import { ProviderHealthMemory } from "../memory/ProviderHealthMemory.js"
import { ProposalsMemory } from "../memory/ProposalsMemory.js"
import { ReportsMemory } from "../memory/ReportsMemory.js"
import { RunSignalsMemory } from "../memory/RunSignalsMemory.js"
import { RunStoreMemory } from "../memory/RunStoreMemory.js"
import { SealingAesGcm } from "../secrets/SealingAesGcm.js"
import { type Secrets, SecretsMemory } from "./Secrets.js"
import { TokensMemory } from "../memory/TokensMemory.js"
import { TopUpsMemory } from "../memory/TopUpsMemory.js"
import { WalletDefaults } from "../accounts/WalletDefaults.js"
import { WalletMemory } from "../memory/WalletMemory.js"

/** The defaults of a gateway in production. */
export const billingDefaults = billingPolicy({
  enabled: true,
  dashboardUrl: (workspaceId) => `http://gateway.test/console/${workspaceId}/top-up`
})

/** The storage of money and runs. */
export const StorageMemory = (options: { readonly inflightLimit: number }): Layer.Layer<MoneyAndRuns | People> =>
  Layer.mergeAll(
    AccountsMemory,
    AuditTrailMemory,
    IdempotencyMemory,
    LoginApprovalsMemory,
    MembersMemory,
    ProposalsMemory,
    ReportsMemory,
    RunSignalsMemory,
    RunStoreMemory,
    SearchUsesMemory,
    SessionsMemory,
    TokensMemory,
    TopUpsMemory(billingDefaults),
    TransactionsMemory
  ).pipe(
    Layer.provideMerge(Layer.merge(WalletMemory, PaymentsNone)),
    Layer.provide([MemoryStorageLayer, Layer.succeed(WalletDefaults, options)]),
    Layer.provideMerge(IdsCrypto)
  )

/** Seals with a key that everybody knows. */
export const SealingForTests = SealingAesGcm({
  current: "test",
  byId: new Map([["test", Redacted.make(new Uint8Array(32))]])
})

/** What the engine needs besides the storage of money and runs. */
const BesideMoneyAndRuns = Layer.mergeAll(
  ContractStoreMemory,
  EndpointStatsMemory,
  ProviderHealthMemory,
  FaultPointsOff,
  Layer.provide(SecretsMemory, SealingForTests)
)

export interface EngineInMemoryOptions {
  readonly providers: Layer.Layer<Providers>
  /** Published before anything is served; one that is refused is a defect. */
  readonly content: Effect.Effect<CatalogContent>
  readonly dispatcher?: Partial<DispatcherOptions>
}

export type EngineServices =
  | Admission
  | Catalog
  | CatalogPublisher
  | ContractStore
  | Dispatcher
  | EndpointStats
  | FaultPoints
  | ProviderHealth
  | Providers
  | Runs
  | Secrets
  | Settlement

/** The engine over any storage of money and runs; everything else that it needs is in memory. */
export const EngineInMemory = ({
  content,
  dispatcher,
  providers
}: EngineInMemoryOptions): Layer.Layer<EngineServices, never, MoneyAndRuns> =>
  Engine({
    catalog: Layer.effectDiscard(
      Effect.gen(function* () {
        const publisher = yield* CatalogPublisher
        yield* Effect.orDie(publisher.publish(yield* content))
      })
    ),
    vocabulary: Effect.succeed({ same: [], related: [] }),
    jobsMayPickFixtures: true,
    providers,
    leases: LeasesRenewedHere,
    dispatcher: { drainMillis: 0, ...dispatcher }
  }).pipe(Layer.provide(DrainingMemory), Layer.provideMerge(BesideMoneyAndRuns))
