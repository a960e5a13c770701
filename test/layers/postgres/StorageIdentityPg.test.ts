import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { describe } from "vitest"
import { RunId } from "../../../src/domain/Ids.js"
import { EndpointId, ProviderId } from "../../../src/domain/Manifest.js"
import { Micros } from "../../../src/domain/Micros.js"
import { AdmissionBatched } from "../../../src/layers/runs/AdmissionBatched.js"
import { MoneyCommitsInTurn } from "../../../src/layers/runs/MoneyCommits.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { queuedRun } from "../../../src/layers/runs/NewRun.js"
import { SettlementBatched } from "../../../src/layers/runs/SettlementBatched.js"
import { ProvidersScripted } from "../../../src/layers/providers/ProvidersScripted.js"
import { RunStorePg } from "../../../src/layers/postgres/RunStorePg.js"
import { Admission } from "../../../src/services/Admission.js"
import { FaultPointsOff } from "../../../src/layers/node/FaultPointsOff.js"
import { Ids } from "../../../src/services/Ids.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { engine, funded, requestOf, storagePg } from "../../support/engine.js"
import { eventually } from "../../support/eventually.js"
import { testDatabase } from "../../support/postgres.js"

/** Everything but a dispatcher, which would take the queued run. */
const live = Layer.merge(AdmissionBatched, SettlementBatched).pipe(
  Layer.provide(MoneyCommitsInTurn),
  Layer.provide(FaultPointsOff),
  Layer.provideMerge(storagePg),
  Layer.provideMerge(testDatabase())
)

const queued = Effect.gen(function* () {
  const principal = yield* funded(1_000_000)
  const candidate = {
    endpointId: EndpointId.make("mock-email-find"),
    providerId: ProviderId.make("mock"),
    contractVersion: "1",
    effectful: false,
    repeatable: true,
    input: {},
    maxMicros: Micros.make(5_000)
  }
  const planned = {
    job: null,
    prefer: "balanced",
    reason: "",
    candidates: [candidate],
    skipped: [],
    fallback: null,
    connectionId: null,
    capped: false
  } as const
  const origin = {
    principal,
    request: requestOf("mock-email-find"),
    job: null,
    runId: RunId.make(`run_${yield* (yield* Ids).suffix}`),
    now: yield* Clock.currentTimeMillis
  }
  const run = queuedRun(origin, planned)
  return { principal, run }
})

const taking = { node: "n", limit: 10, leaseMillis: 60_000 }
const claimed = Effect.flatMap(RunStore, (store) =>
  Effect.map(store.claim(taking), (taken) => taken.map(({ restored, run: { runId } }) => [runId, restored] as const))
)
const admitted = Effect.gen(function* () {
  const { principal, run } = yield* queued
  yield* (yield* Admission).admit({ run, start: null, waitedFor: false })
  return { principal, run }
})
const restore = (set: string) =>
  Effect.flatMap(Database, ({ query, sql }) => query(sql.unsafe(`update storage_identity set ${set}`)))
const otherServer = "identity = 'another server'"
/** A dump keeps the row; the table that it is loaded into has another number. */
const loadedDump = "relation = 1"
/** As in a copy that was made before the last time that the storage was restored. */
const olderCopy = "epoch = epoch - 1"

describe("a storage that turns out to be another one", () => {
  for (const [what, set] of [
    ["of another server or timeline", otherServer],
    ["of a dump that was loaded into its own database", loadedDump],
    ["older than what the node has seen", olderCopy]
  ] as const) {
    it.live(`${what}: what was queued in it is taken marked, what is admitted from then on is not`, () =>
      Effect.gen(function* () {
        // The first look writes down where the storage is, the second remembers it.
        assert.deepStrictEqual([yield* claimed, yield* claimed], [[], []])
        yield* restore(set)
        const before = yield* admitted
        assert.deepStrictEqual(yield* claimed, [[before.run.runId, true]])
        const after = yield* admitted
        assert.deepStrictEqual(yield* claimed, [[after.run.runId, false]])
      }).pipe(Effect.provide(live))
    )
  }

  it.live("is found so by the first node, and the others do not mark what was admitted since", () =>
    Effect.gen(function* () {
      const another = <A, E>(work: Effect.Effect<A, E, RunStore>) => Effect.provide(work, Layer.fresh(RunStorePg))
      yield* Effect.gen(function* () {
        const other = yield* Effect.provide(RunStore, Layer.fresh(RunStorePg))
        const otherClaims = Effect.map(other.claim(taking), (taken) => taken.map(({ restored }) => restored))
        yield* otherClaims
        yield* claimed
        yield* restore(otherServer)
        yield* admitted
        assert.lengthOf(yield* claimed, 1)
        yield* admitted
        assert.deepStrictEqual(yield* otherClaims, [false])
        yield* admitted
        assert.deepStrictEqual(yield* otherClaims, [false])
      })
      // A node that starts only now knows it as it is.
      yield* admitted
      assert.deepStrictEqual(
        yield* another(claimed).pipe(Effect.map((taken) => taken.map(([, restored]) => restored))),
        [false]
      )
    }).pipe(Effect.provide(live))
  )

  for (const [by, settings] of [
    ["a node that takes it", {}],
    ["a node that takes it late", { queueMillisMax: -1 }],
    ["nodes that take no queued runs", { takesQueued: false, queueMillisMax: -1, pollMillis: 50 }]
  ] as const)
    it.live(`calls nobody for what was queued in it: ${by} ends such a run, and its money is given back`, () =>
      Effect.gen(function* () {
        yield* claimed
        yield* restore(otherServer)
        const { principal, run } = yield* admitted
        const providers = ProvidersScripted()
        const store = yield* RunStore
        const stored = yield* eventually(store.get(run), (found) => found?.completedAt !== null).pipe(
          Effect.provide(engine(providers.layer, settings))
        )
        assert.deepStrictEqual(
          [stored?.status, stored?.error?.code],
          ["failed", "runtime_store_replaced_before_dispatch"]
        )
        assert.deepStrictEqual(yield* (yield* Wallet).balance(principal.workspaceId), {
          availableMicros: Micros.make(1_000_000),
          reservedMicros: Micros.make(0)
        })
        assert.lengthOf(providers.calls(), 0)
      }).pipe(Effect.provide(live))
    )

  it.live("is the same one after a checkpoint and a lost connection", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      yield* claimed
      const { run } = yield* admitted
      yield* query(sql`select pg_switch_wal()`)
      yield* query(sql`checkpoint`)
      yield* Effect.ignore(
        query(
          sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
        )
      )
      assert.deepStrictEqual(yield* claimed, [[run.runId, false]])
    }).pipe(Effect.provide(live))
  )
})
