/**
 * A whole gateway without HTTP, over the storage that a suite is given: real admission, dispatch and settlement, scripted
 * providers, and the operations of the fixture manifests as the catalog.
 */
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import type { JsonObject } from "../../src/domain/Json.js"
import type { Micros } from "../../src/domain/Micros.js"
import { scopes } from "../../src/domain/Scope.js"
import { AccountsMemory } from "../../src/layers/AccountsMemory.js"
import { AccountsPg } from "../../src/layers/AccountsPg.js"
import { AdmissionBatched } from "../../src/layers/AdmissionBatched.js"
import { readCatalog } from "../../src/layers/CatalogFiles.js"
import { CatalogServed } from "../../src/layers/CatalogServed.js"
import { ContractStoreMemory } from "../../src/layers/ContractStoreMemory.js"
import type { Database } from "../../src/layers/Database.js"
import { dispatcherDefaults, type DispatcherOptions, DispatcherQueue, DispatcherSettings } from "../../src/layers/DispatcherQueue.js"
import { EndpointStatsMemory } from "../../src/layers/EndpointStatsMemory.js"
import { IdempotencyMemory } from "../../src/layers/IdempotencyMemory.js"
import { IdempotencyPg } from "../../src/layers/IdempotencyPg.js"
import { IdsCrypto } from "../../src/layers/IdsCrypto.js"
import { MemoryStorageLayer, TransactionsMemory } from "../../src/layers/MemoryStorage.js"
import { PaymentsNone } from "../../src/layers/PaymentsNone.js"
import { ProviderHealthMemory } from "../../src/layers/ProviderHealthMemory.js"
import { RunsAdmitted } from "../../src/layers/RunsAdmitted.js"
import { RunSignalsMemory } from "../../src/layers/RunSignalsMemory.js"
import { RunSignalsPg } from "../../src/layers/RunSignalsPg.js"
import { RunStoreMemory } from "../../src/layers/RunStoreMemory.js"
import { RunStorePg } from "../../src/layers/RunStorePg.js"
import { SealingAesGcm } from "../../src/layers/SealingAesGcm.js"
import { SecretsMemory } from "../../src/layers/Secrets.js"
import { SettlementBatched } from "../../src/layers/SettlementBatched.js"
import { TopUpsMemory } from "../../src/layers/TopUpsMemory.js"
import { TopUpsPg } from "../../src/layers/TopUpsPg.js"
import { TransactionsPg } from "../../src/layers/TransactionsPg.js"
import { WalletDefaults } from "../../src/layers/WalletDefaults.js"
import { WalletMemory } from "../../src/layers/WalletMemory.js"
import { WalletPg } from "../../src/layers/WalletPg.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { CatalogPublisher } from "../../src/services/CatalogPublisher.js"
import { FaultPointsOff } from "../../src/services/FaultPoints.js"
import type { Idempotency } from "../../src/services/Idempotency.js"
import type { Ids } from "../../src/services/Ids.js"
import type { Providers } from "../../src/services/Providers.js"
import type { RunRequest } from "../../src/services/Runs.js"
import type { RunSignals } from "../../src/services/RunSignals.js"
import type { RunStore } from "../../src/services/RunStore.js"
import type { TopUps } from "../../src/services/TopUps.js"
import type { Transactions } from "../../src/services/Transactions.js"
import { Wallet } from "../../src/services/Wallet.js"
import { Micros as Amount } from "../../src/domain/Micros.js"

export type Storage = Accounts | Idempotency | Ids | RunSignals | RunStore | TopUps | Transactions | Wallet

const defaults = Layer.succeed(WalletDefaults, { inflightLimit: 8 })
const billing = {
  enabled: true,
  minimumMicros: Amount.make(5_000_000),
  suggestedMicros: Amount.make(20_000_000),
  maximumMicros: Amount.make(10_000_000_000),
  dashboardUrl: "http://gateway.test/docs"
}

export const storageMemory: Layer.Layer<Storage> = Layer.mergeAll(AccountsMemory, IdempotencyMemory, RunSignalsMemory, RunStoreMemory, TopUpsMemory(billing), TransactionsMemory).pipe(
  Layer.provideMerge(WalletMemory),
  Layer.provide([MemoryStorageLayer, PaymentsNone, defaults]),
  Layer.provideMerge(IdsCrypto)
)

export const storagePg: Layer.Layer<Storage, never, Database> = Layer.mergeAll(AccountsPg, IdempotencyPg, RunSignalsPg, RunStorePg, TopUpsPg(billing), TransactionsPg).pipe(
  Layer.provideMerge(WalletPg),
  Layer.provide([PaymentsNone, defaults]),
  Layer.provideMerge(IdsCrypto)
)

const sealing = SealingAesGcm({ current: "test", byId: new Map([["test", Redacted.make(new Uint8Array(32))]]) })

/** Read once for all tests of a file. */
const fixtures = Effect.runSync(Effect.cached(
  readCatalog([fileURLToPath(new URL("../../catalog", import.meta.url))]).pipe(
    Effect.map(({ endpoints, jobs }) => ({ jobs, endpoints: endpoints.filter(({ provider }) => provider.mock) })),
    Effect.provide(NodeContext.layer)
  )
))

const published = Layer.effectDiscard(Effect.gen(function*() {
  yield* (yield* CatalogPublisher).publish(yield* fixtures)
})).pipe(Layer.orDie)

/** The engine over a storage, with the given providers, and settings other than a test's usual ones. */
export const engine = (providers: Layer.Layer<Providers>, settings: Partial<DispatcherOptions> = {}) =>
  RunsAdmitted.pipe(
    Layer.provideMerge(DispatcherQueue),
    Layer.provideMerge(Layer.mergeAll(AdmissionBatched, SettlementBatched)),
    Layer.provideMerge(Layer.provideMerge(published, CatalogServed({ jobsMayPickFixtures: true, vocabulary: { same: [], related: [], jobs: {} } }))),
    Layer.provideMerge(providers),
    Layer.provide(Layer.succeed(DispatcherSettings, { ...dispatcherDefaults, drainMillis: 0, ...settings })),
    Layer.provideMerge(Layer.mergeAll(ContractStoreMemory, EndpointStatsMemory, ProviderHealthMemory, FaultPointsOff, Layer.provide(SecretsMemory, sealing)))
  )

/** A new workspace with this balance, and a token with every scope. */
export const funded = (micros: number, options: { readonly inflightLimit?: number; readonly monthlyLimitMicros?: Micros } = {}): Effect.Effect<Principal, never, Accounts | Wallet | Ids> =>
  Effect.gen(function*() {
    const accounts = yield* Accounts
    const wallet = yield* Wallet
    const { workspaceId } = yield* accounts.createWorkspace(`test-${Math.random()}`)
    yield* accounts.setLimits(workspaceId, { inflightLimit: options.inflightLimit ?? 1000 })
    if (micros > 0) yield* wallet.credit({ workspaceId, kind: "adjustment", micros, reason: "test", topUpId: null, key: "test" })
    return yield* principalOf(workspaceId, options.monthlyLimitMicros ?? null)
  }).pipe(Effect.orDie)

export const principalOf = (workspaceId: WorkspaceId, monthlyLimitMicros: Micros | null = null) =>
  Effect.gen(function*() {
    const accounts = yield* Accounts
    const { token } = yield* accounts.createToken({ workspaceId, label: "test", scopes: [...scopes], monthlyLimitMicros, expiresAt: null })
    return yield* accounts.authenticate(token)
  }).pipe(Effect.orDie)

let keys = 0
export const person: JsonObject = { first_name: "Ada", last_name: "Example", domain: "example.com" }
export const requestOf = (endpointId: string, changes: Partial<RunRequest> = {}): RunRequest => ({
  endpointId,
  input: person,
  fallback: null,
  outputMode: null,
  connectionId: null,
  idempotencyKey: `key-${keys++}`,
  serviceAgent: null,
  requestId: "req_test",
  ...changes
})
