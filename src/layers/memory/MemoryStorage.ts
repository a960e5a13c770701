/**
 * All state of the gateway in one immutable value, for tests and trials. A transaction works on a draft. A commit swaps
 * the draft in, and a rollback only drops it. One transaction runs at a time. Nothing survives the process.
 */
import { Context, Effect, HashMap, Layer, Ref } from "effect"
import type { MemberId, RunId, TokenId, TopUpId, WorkspaceId } from "../../domain/Ids.js"
import type { LedgerEntry } from "../../domain/Ledger.js"
import type { Micros } from "../../domain/Micros.js"
import type { AutomaticTopUp } from "../../domain/AutomaticTopUp.js"
import type { Payment, SavedMethod } from "../../domain/PaymentReport.js"
import type { Proposal } from "../../domain/Resolution.js"
import type { Attempt, Run } from "../../domain/Run.js"
import type { SearchUse } from "../../domain/SearchUse.js"
import type { AuditRow } from "../accounts/audit/AuditRows.js"
import type { LinkRow, SessionRow } from "../accounts/members/SessionRows.js"
import type { Member } from "../../domain/Member.js"
import type { Principal, Workspace } from "../../services/Accounts.js"
import type { KeyClaim } from "../../services/Idempotency.js"
import type { Lease, Media } from "../../services/RunStore.js"
import { Transactions } from "../../services/Transactions.js"
import type { TopUpRow } from "../accounts/topups/TopUpRows.js"
import type { WalletState, TokenSpend } from "../../domain/Admission.js"

export interface StoredToken extends Omit<
  Principal,
  "learnsFromUse" | "operatorWorkspace" | "policy" | "workspaceName"
> {
  /** SHA-256 of the token, in hex. */
  readonly digest: string
  readonly monthlyLimitMicros: Micros | null
  readonly revokedAt: number | null
  readonly lastUsedAt?: number
  /** Secrets that a rotation replaced and that still work for a while. */
  readonly replacedSecrets?: ReadonlyArray<{ readonly digest: string; readonly worksUntil: number }>
  readonly spend: Pick<TokenSpend, "month" | "spentMicros">
  /** The member who acts by it; it has no usable secret then. */
  readonly memberId?: MemberId
  /** The member who made it or let it in. */
  readonly madeBy?: MemberId | null
}

export interface StoredWallet extends Pick<
  WalletState,
  "balance" | "inflight" | "minuteStartedAt" | "minuteCount" | "minuteRefused"
> {
  /** Newest first. */
  readonly entries: ReadonlyArray<LedgerEntry>
  readonly creditKeys: ReadonlyMap<string, number>
}

export interface StoredRun {
  readonly run: Run
  readonly lease: Lease | null
  /** When the lease ends unless it is renewed; 0 without one. */
  readonly leaseEndsAt: number
  readonly workersLost: number
  readonly attempts: ReadonlyArray<Attempt>
  readonly media: ReadonlyArray<Media>
}

/** By the id of an operation, or `job:` with the id of a job. */
export interface StoredSearchUses {
  readonly shownAt: HashMap.HashMap<string, number>
  readonly uses: HashMap.HashMap<string, SearchUse>
}

export interface MemoryState {
  readonly workspaces: HashMap.HashMap<WorkspaceId, Workspace>
  readonly tokens: HashMap.HashMap<TokenId, StoredToken>
  readonly wallets: HashMap.HashMap<WorkspaceId, StoredWallet>
  readonly keys: HashMap.HashMap<string, KeyClaim>
  readonly runs: HashMap.HashMap<RunId, StoredRun>
  /** Oldest first, like the members. */
  readonly auditEntries: ReadonlyArray<AuditRow>
  readonly members: ReadonlyArray<Member>
  /** Newest first. */
  readonly proposals: ReadonlyArray<Proposal>
  readonly links: ReadonlyArray<LinkRow>
  readonly sessions: ReadonlyArray<SessionRow>
  readonly topUps: HashMap.HashMap<TopUpId, TopUpRow>
  /** By the processor's name of the payment. */
  readonly payments: HashMap.HashMap<string, Payment>
  readonly automaticTopUps: HashMap.HashMap<WorkspaceId, AutomaticTopUp>
  readonly savedMethods: HashMap.HashMap<WorkspaceId, SavedMethod>
  readonly searchUses: HashMap.HashMap<WorkspaceId, StoredSearchUses>
}

const empty: MemoryState = {
  workspaces: HashMap.empty(),
  tokens: HashMap.empty(),
  wallets: HashMap.empty(),
  keys: HashMap.empty(),
  runs: HashMap.empty(),
  topUps: HashMap.empty(),
  payments: HashMap.empty(),
  automaticTopUps: HashMap.empty(),
  savedMethods: HashMap.empty(),
  searchUses: HashMap.empty(),
  auditEntries: [],
  members: [],
  proposals: [],
  links: [],
  sessions: []
}

export class MemoryStorage extends Context.Tag("gateway/layers/MemoryStorage")<
  MemoryStorage,
  {
    /** The draft of the surrounding transaction, or outside of one the committed state. */
    readonly read: Effect.Effect<MemoryState>
    /** One step of the surrounding transaction, or a transaction of its own. */
    readonly modify: <A>(change: (state: MemoryState) => readonly [A, MemoryState]) => Effect.Effect<A>
    readonly transact: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  }
>() {}

/** The draft that the current fiber works on, inside a transaction. */
class Draft extends Context.Reference<Draft>()("gateway/layers/MemoryStorage/Draft", {
  defaultValue: (): Ref.Ref<MemoryState> | null => null
}) {}

const make = Effect.gen(function* () {
  const committed = yield* Ref.make(empty)
  const one = yield* Effect.makeSemaphore(1)

  /** Does the work on a draft of the state, which takes its place once the work has succeeded. */
  const onDraftOf = Effect.fnUntraced(function* <A, E>(state: Ref.Ref<MemoryState>, work: Effect.Effect<A, E>) {
    const draft = yield* Ref.make(yield* Ref.get(state))
    const result = yield* Effect.provideService(work, Draft, draft)
    yield* Ref.set(state, yield* Ref.get(draft))
    return result
  })

  const transact = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Draft, (outer) =>
      // Inside another transaction it is what a savepoint is.
      outer !== null ? onDraftOf(outer, work) : one.withPermits(1)(onDraftOf(committed, work))
    )

  return MemoryStorage.of({
    read: Effect.flatMap(Draft, (draft) => Ref.get(draft ?? committed)),
    modify: (change) =>
      Effect.flatMap(Draft, (draft) =>
        draft === null ? one.withPermits(1)(Ref.modify(committed, change)) : Ref.modify(draft, change)
      ),
    transact
  })
})

export const MemoryStorageLayer: Layer.Layer<MemoryStorage> = Layer.effect(MemoryStorage, make)

export const TransactionsMemory: Layer.Layer<Transactions, never, MemoryStorage> = Layer.effect(
  Transactions,
  Effect.map(MemoryStorage, (storage) => Transactions.of({ transact: storage.transact }))
)
