/**
 * What works on runs: planning, admission, dispatch and settlement over the catalog that is served. This is its only
 * composition. Production, `testing` and the tests pass in different storages, providers, catalogs and settings.
 */
import { Effect, Layer } from "effect"
import type { Accounts } from "../../services/Accounts.js"
import type { AuditTrail } from "../../services/AuditTrail.js"
import type { AutomaticTopUps } from "../../services/AutomaticTopUps.js"
import type { Idempotency } from "../../services/Idempotency.js"
import type { Ids } from "../../services/Ids.js"
import type { LeaseKeeping } from "../../services/LeaseKeeping.js"
import type { LoginApprovals } from "../../services/LoginApprovals.js"
import type { Members } from "../../services/Members.js"
import type { Sessions } from "../../services/Sessions.js"
import type { PaymentEvents } from "../../services/PaymentEvents.js"
import type { Providers } from "../../services/Providers.js"
import type { Proposals } from "../../services/Proposals.js"
import type { Reports } from "../../services/Reports.js"
import type { RunSignals } from "../../services/RunSignals.js"
import type { RunStore } from "../../services/RunStore.js"
import type { SearchUses } from "../../services/SearchUses.js"
import type { Tokens } from "../../services/Tokens.js"
import type { TopUpReports } from "../../services/TopUpReports.js"
import type { TopUps } from "../../services/TopUps.js"
import type { Transactions } from "../../services/Transactions.js"
import type { Wallet } from "../../services/Wallet.js"
import { CatalogServed } from "../catalog/CatalogServed.js"
import type { SearchVocabulary } from "../catalog/search/Vocabulary.js"
import { AdmissionBatched } from "../runs/AdmissionBatched.js"
import {
  dispatcherDefaults,
  type DispatcherOptions,
  DispatcherQueue,
  DispatcherSettings
} from "../runs/dispatch/DispatcherQueue.js"
import { MoneyCommitsInTurn } from "../runs/MoneyCommits.js"
import { RunsAdmitted } from "../runs/RunsAdmitted.js"
import { SettlementBatched } from "../runs/SettlementBatched.js"

/** The storage of money and runs; the engine stands on it. */
export type MoneyAndRuns =
  | Accounts
  | AuditTrail
  | AutomaticTopUps
  | Idempotency
  | Ids
  | PaymentEvents
  | Proposals
  | Reports
  | RunSignals
  | RunStore
  | SearchUses
  | TopUpReports
  | TopUps
  | Transactions
  | Wallet

/** Who signs in, and whom they let in. The engine knows nobody of them. */
export type People = LoginApprovals | Members | Sessions | Tokens

export interface EngineParts<E, RCatalog, RProviders, RLeases> {
  /** Publishes the catalog. Built before anything is dispatched. */
  readonly catalog: Layer.Layer<never, E, RCatalog>
  /** The words that the search of the catalog knows. */
  readonly vocabulary: Effect.Effect<SearchVocabulary>
  /** Whether a job may pick operations of the fixture. */
  readonly jobsMayPickFixtures: boolean
  readonly providers: Layer.Layer<Providers, never, RProviders>
  /** Who renews the leases of this node's runs. */
  readonly leases: Layer.Layer<LeaseKeeping, never, RLeases>
  /** What differs from `dispatcherDefaults`. */
  readonly dispatcher: Partial<DispatcherOptions>
}

export const Engine = <E, RCatalog, RProviders, RLeases>(parts: EngineParts<E, RCatalog, RProviders, RLeases>) =>
  RunsAdmitted.pipe(
    Layer.provideMerge(Layer.provide(DispatcherQueue, parts.leases)),
    // One of it for both: admissions and settlements take turns with each other.
    Layer.provideMerge(Layer.provide(Layer.merge(AdmissionBatched, SettlementBatched), MoneyCommitsInTurn)),
    Layer.provideMerge(parts.catalog),
    Layer.provideMerge(
      Layer.unwrapEffect(
        Effect.map(parts.vocabulary, (vocabulary) =>
          CatalogServed({ jobsMayPickFixtures: parts.jobsMayPickFixtures, vocabulary })
        )
      )
    ),
    Layer.provideMerge(parts.providers),
    Layer.provide(Layer.succeed(DispatcherSettings, { ...dispatcherDefaults, ...parts.dispatcher }))
  )
