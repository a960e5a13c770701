/**
 * A gateway in the memory of one process, for tests: the real admission, dispatch, settlement, catalog and money, over
 * storage that ends with its scope. `StorageMemory` is everything that keeps state of money and runs; `Engine` works
 * over it, or over any other storage of the same services. Providers are the caller's choice, and HTTP is put on top by
 * somebody else.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Layer, Redacted } from "effect"
import { billingPolicy } from "../../domain/TopUp.js"
import type { Accounts } from "../../services/Accounts.js"
import type { Admission } from "../../services/Admission.js"
import type { Catalog } from "../../services/Catalog.js"
import { type CatalogContent, CatalogPublisher } from "../../services/CatalogPublisher.js"
import type { ContractStore } from "../../services/ContractStore.js"
import type { Dispatcher } from "../../services/Dispatcher.js"
import type { EndpointStats } from "../../services/EndpointStats.js"
import { DrainingLayer } from "../../services/Draining.js"
import { type FaultPoints, FaultPointsOff } from "../../services/FaultPoints.js"
import type { Idempotency } from "../../services/Idempotency.js"
import type { Ids } from "../../services/Ids.js"
import type { LoginApprovals } from "../../services/LoginApprovals.js"
import type { ProviderHealth } from "../../services/ProviderHealth.js"
import type { Providers } from "../../services/Providers.js"
import type { RunSignals } from "../../services/RunSignals.js"
import type { Runs } from "../../services/Runs.js"
import type { RunStore } from "../../services/RunStore.js"
import type { Settlement } from "../../services/Settlement.js"
import type { TopUpReports } from "../../services/TopUpReports.js"
import type { TopUps } from "../../services/TopUps.js"
import type { Transactions } from "../../services/Transactions.js"
import type { Wallet } from "../../services/Wallet.js"
import { AccountsMemory } from "../memory/AccountsMemory.js"
import { AdmissionBatched } from "../runs/AdmissionBatched.js"
import { builtInCatalog } from "../catalog/BuiltInCatalog.js"
import { decodeCatalog, readCatalog } from "../catalog/CatalogFiles.js"
import { CatalogServed } from "../catalog/CatalogServed.js"
import { ContractStoreMemory } from "../memory/ContractStoreMemory.js"
import {
  dispatcherDefaults,
  type DispatcherOptions,
  DispatcherQueue,
  DispatcherSettings
} from "../runs/dispatch/DispatcherQueue.js"
import { EndpointStatsMemory } from "../memory/EndpointStatsMemory.js"
import { IdempotencyMemory } from "../memory/IdempotencyMemory.js"
import { IdsCrypto } from "../node/IdsCrypto.js"
import { LeasesRenewedHere } from "../runs/LeasesRenewedHere.js"
import { LoginApprovalsMemory } from "../memory/LoginApprovalsMemory.js"
import { MemoryStorageLayer, TransactionsMemory } from "../memory/MemoryStorage.js"
import { PaymentsNone } from "../accounts/PaymentsNone.js"
import { ProviderHealthMemory } from "../memory/ProviderHealthMemory.js"
import { RunsAdmitted } from "../runs/RunsAdmitted.js"
import { RunSignalsMemory } from "../memory/RunSignalsMemory.js"
import { RunStoreMemory } from "../memory/RunStoreMemory.js"
import { SealingAesGcm } from "../secrets/SealingAesGcm.js"
import { type Secrets, SecretsMemory } from "./Secrets.js"
import { SettlementBatched } from "../runs/SettlementBatched.js"
import { TopUpsMemory } from "../memory/TopUpsMemory.js"
import { WalletDefaults } from "../accounts/WalletDefaults.js"
import { WalletMemory } from "../memory/WalletMemory.js"

/** What the engine stands on. */
export type Storage =
  Accounts | Idempotency | Ids | RunSignals | RunStore | TopUpReports | TopUps | Transactions | Wallet

/** The defaults of a gateway in production. */
export const billingDefaults = billingPolicy({ enabled: true, dashboardUrl: "http://gateway.test/docs" })

export const StorageMemory = (options: { readonly inflightLimit: number }): Layer.Layer<Storage | LoginApprovals> =>
  Layer.mergeAll(
    AccountsMemory,
    IdempotencyMemory,
    LoginApprovalsMemory,
    RunSignalsMemory,
    RunStoreMemory,
    TopUpsMemory(billingDefaults),
    TransactionsMemory
  ).pipe(
    Layer.provideMerge(WalletMemory),
    Layer.provide([MemoryStorageLayer, PaymentsNone, Layer.succeed(WalletDefaults, options)]),
    Layer.provideMerge(IdsCrypto)
  )

/**
 * Of the providers only the fixture's own manifests: a test need not wait for the hundred others to be read and
 * compiled.
 */
const readFixtures = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const textsIn = (folder: string, wanted: RegExp) =>
    Effect.flatMap(files.readDirectory(folder), (names) =>
      Effect.forEach(names.filter((name) => wanted.test(name)).sort(), (name) =>
        Effect.map(files.readFileString(`${folder}/${name}`), (text) => ({ file: name, text }))
      )
    )
  return yield* decodeCatalog({
    jobs: yield* textsIn(`${builtInCatalog}/jobs`, /\.ya?ml$/),
    providers: yield* textsIn(`${builtInCatalog}/providers`, /^fixture.*\.ya?ml$/)
  })
})

const once = <E>(read: Effect.Effect<CatalogContent, E, NodeContext.NodeContext>) =>
  Effect.runSync(Effect.cached(Effect.orDie(Effect.provide(read, NodeContext.layer))))
const content = { fixtures: once(readFixtures), all: once(readCatalog([builtInCatalog])) }

/** All jobs, and the operations of the fixture or of every provider. Read once in a process. */
export const builtInContent = (which: "fixtures" | "all"): Effect.Effect<CatalogContent> => content[which]

const sealing = SealingAesGcm({ current: "test", byId: new Map([["test", Redacted.make(new Uint8Array(32))]]) })

export interface EngineOptions {
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

export const Engine = ({
  content,
  dispatcher,
  providers
}: EngineOptions): Layer.Layer<EngineServices, never, Storage> =>
  RunsAdmitted.pipe(
    Layer.provideMerge(DispatcherQueue.pipe(Layer.provide(LeasesRenewedHere))),
    Layer.provideMerge(Layer.mergeAll(AdmissionBatched, SettlementBatched)),
    Layer.provideMerge(
      Layer.effectDiscard(
        Effect.gen(function* () {
          const publisher = yield* CatalogPublisher
          yield* Effect.orDie(publisher.publish(yield* content))
        })
      ).pipe(
        Layer.provideMerge(
          CatalogServed({ jobsMayPickFixtures: true, vocabulary: { same: [], related: [], jobs: {} } })
        )
      )
    ),
    Layer.provideMerge(providers),
    Layer.provide([
      DrainingLayer,
      Layer.succeed(DispatcherSettings, { ...dispatcherDefaults, drainMillis: 0, ...dispatcher })
    ]),
    Layer.provideMerge(
      Layer.mergeAll(
        ContractStoreMemory,
        EndpointStatsMemory,
        ProviderHealthMemory,
        FaultPointsOff,
        Layer.provide(SecretsMemory, sealing)
      )
    )
  )
