/** Reports over Postgres: the suite, and what only many rows show. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { dayOf, daysUpTo } from "../../../src/domain/Days.js"
import { firstRunIdAt, type RunId, type WorkspaceId } from "../../../src/domain/Ids.js"
import { runsCountedMax, runsLookedThroughMax } from "../../../src/domain/limits/Lists.js"
import { Micros } from "../../../src/domain/Micros.js"
import { sharesOf } from "../../../src/domain/Spend.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { Reports } from "../../../src/services/Reports.js"
import { type RunFilter, RunStore } from "../../../src/services/RunStore.js"
import { funded, storagePg } from "../../support/engine.js"
import { explain, nodesOf, readBy, recorded } from "../../support/explaining.js"
import { testDatabase } from "../../support/postgres.js"
import { reportsSuite } from "../../services/Reports.suite.js"

reportsSuite("Reports over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 10 })))

const storage = Layer.provideMerge(storagePg, testDatabase())
const hour = 3_600_000

describe("sums of what was charged", () => {
  it.live("share each charge between calls as the domain does", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const reports = yield* Reports
      const { tokenId, workspaceId } = yield* funded(0)
      const day = 20_000
      const cases = Array.from({ length: 60 }, (_, n) => ({
        runId: `run_${String(n).padStart(26, "0")}`,
        charge: 1 + ((n * 37) % 90),
        served: n % 3 === 0 ? null : `p${n % 4}`,
        costs: Array.from({ length: n % 4 }, (_, at) => ({ providerId: `p${(n + at) % 5}`, cost: (n * (at + 3)) % 50 }))
      }))
      for (const { charge, costs, runId, served } of cases) {
        yield* query(sql`
          insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, provider_id, served_provider_id,
            input, status, hold_micros, charge_micros, spend_month, created_at)
          values (${workspaceId}, ${runId}, ${tokenId}, ${runId}, '', '', 'e', 'e', 'picked', ${served}, '{}', 'completed', ${charge}, ${charge}, '2026-01', 0)`)
        yield* query(sql`
          insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros, reserved_after_micros, run_id, created_at)
          values (${workspaceId}, ${runId}, 'charge', 'available', 'revenue', ${-charge}, 0, 0, ${runId}, ${day * 24 * hour})`)
        for (const [at, { cost, providerId }] of costs.entries())
          yield* query(sql`
            insert into attempts (workspace_id, run_id, n, attempt_id, endpoint_id, provider_id, status, cost_micros, started_at)
            values (${workspaceId}, ${runId}, ${at + 1}, '', 'e', ${providerId}, 'completed', ${cost}, 0)`)
      }
      const expected = new Map<string, number>()
      for (const { charge, costs, served } of cases) {
        const shares = sharesOf(
          Micros.make(charge),
          { providerId: "picked", servedProviderId: served },
          costs.map(({ cost, providerId }) => ({ providerId, costMicros: Micros.make(cost) }))
        )
        assert.strictEqual(
          shares.reduce((sum, { micros }) => sum + micros, 0),
          charge
        )
        for (const { micros, providerId } of shares) expected.set(providerId, (expected.get(providerId) ?? 0) + micros)
      }
      for (const kept of [false, true]) {
        if (kept) yield* reports.keep
        const { providers } = yield* reports.spend(workspaceId, daysUpTo(day, 1))
        assert.sameDeepMembers(
          providers.map(({ chargeMicros, providerId }) => [providerId, Number(chargeMicros)]),
          [...expected]
        )
      }
    }).pipe(Effect.provide(storage))
  )
})

describe("lists of runs by token, operation and provider", () => {
  const runsMade = 12_500

  const fill = Effect.gen(function* () {
    const { sql, survey } = yield* Database
    const { workspaceId } = yield* funded(0)
    const start = Date.now() - runsMade * 1_000 - hour
    // One token is rare, one operation only in the middle, one provider only before all others.
    yield* survey(sql`
      insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, provider_id, input, status,
        outcome, hold_micros, charge_micros, spend_month, created_at)
      select ${workspaceId}, 'run_' || lpad(n::text, 26, '0'), case when n % 4000 = 7 then 'tok_' || repeat('0', 26) else 'tok_' || repeat('1', 26) end, n::text, '', '', 'e',
        case when n between 6000 and 6009 then 'middle' else 'e' end, case when n <= 3 then 'first' else 'p' end, '{}',
        case when n % 2 = 0 then 'failed' else 'completed' end, 'hit', 0, 0, '2026-01', ${start}::bigint + n * 1000 from generate_series(1, ${runsMade}) n`)
    return workspaceId
  })

  const listed = Effect.fnUntraced(function* (workspaceId: Effect.Effect.Success<typeof fill>, filter: RunFilter) {
    const store = yield* RunStore
    const ids: Array<number> = []
    let after: string | null = null
    let pages = 0
    do {
      const page: Effect.Effect.Success<ReturnType<typeof store.list>> = yield* store.list(
        workspaceId,
        filter,
        { limit: 5, after },
        null
      )
      ids.push(...page.items.map(({ runId }) => Number(runId.slice(4))))
      after = page.next
      pages += 1
    } while (after !== null)
    return { ids, pages }
  })

  it.live("find the same runs before any span is made, and reach rare ones at once when all are made", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const workspaceId = yield* fill
      const filters: ReadonlyArray<readonly [RunFilter, ReadonlyArray<number>, pages: number]> = [
        [{ tokenId: `tok_${"0".repeat(26)}` }, [12_007, 8_007, 4_007, 7], 1],
        [{ endpointId: "middle" }, [6009, 6008, 6007, 6006, 6005, 6004, 6003, 6002, 6001, 6000], 3],
        [{ endpointId: "middle", status: "failed" }, [6008, 6006, 6004, 6002, 6000], 1],
        [{ providerId: "first" }, [3, 2, 1], 1],
        [{ providerId: "first", tokenId: `tok_${"0".repeat(26)}` }, [], 1],
        [{ providerId: "nobody" }, [], 1]
      ]
      for (const [filter, expected] of filters) {
        const { ids, pages } = yield* listed(workspaceId, filter)
        assert.deepStrictEqual(ids, expected)
        assert.isAtLeast(pages, Math.ceil(runsMade / runsLookedThroughMax), JSON.stringify(filter))
      }
      yield* (yield* Reports).keep
      assert.deepStrictEqual(yield* query(sql`select count(*)::int as spans from run_spans`), [{ spans: 12 }])
      for (const [filter, expected, most] of filters) {
        const { ids, pages } = yield* listed(workspaceId, filter)
        assert.deepStrictEqual(ids, expected)
        assert.isAtMost(pages, most, JSON.stringify(filter))
      }
    }).pipe(Effect.provide(storage))
  )

  it.live("a span waits for runs under way and for ids that may still come", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const reports = yield* Reports
      const { workspaceId } = yield* funded(0)
      const spans = Effect.map(query(sql`select count(*)::int as spans from run_spans`), ([row]) => row?.["spans"])
      const add = (ids: ReadonlyArray<RunId>, status: "completed" | "queued") =>
        query(sql`
        insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, input, status, hold_micros, charge_micros, spend_month, created_at)
        select ${workspaceId}, id, 't', id, '', '', 'e', 'e', '{}', ${status}, 0, ${status === "completed" ? 0 : null}, '', 0 from unnest(${ids}::text[]) as ids (id)`)
      yield* add(
        Array.from({ length: 999 }, (_, n) => firstRunIdAt(n)),
        "completed"
      )
      yield* add([firstRunIdAt(5_000)], "queued")
      yield* reports.keep
      assert.strictEqual(yield* spans, 0)
      yield* query(sql`update runs set status = 'completed', charge_micros = 0 where status = 'queued'`)
      yield* reports.keep
      assert.strictEqual(yield* spans, 1)
      yield* add(
        Array.from({ length: 1_000 }, (_, n) => firstRunIdAt(Date.now() + n)),
        "completed"
      )
      yield* reports.keep
      assert.strictEqual(yield* spans, 1)
      const { runs, more } = (yield* reports.runCounts(workspaceId, 0)).find(({ status }) => status === "completed")!
      assert.deepStrictEqual([runs, more], [2_000, false])
      assert.isAbove(runsCountedMax, runs)
      assert.strictEqual(dayOf(Date.now()), Math.floor(Date.now() / (24 * hour)))
    }).pipe(Effect.provide(storage))
  )

  it.live("are looked for again only where runs are new, or where a span had to wait", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const { asked, recording } = recorded(database)
      yield* Effect.gen(function* () {
        const { survey, sql } = database
        const reports = yield* Reports
        const [idle, busy] = [yield* funded(0), yield* funded(0)]
        const add = (workspaceId: WorkspaceId, count: number, fromMillis: number) =>
          survey(sql`
            insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, input, status, hold_micros, charge_micros, spend_month, created_at)
            select ${workspaceId}, id, 't', id, '', '', 'e', 'e', '{}', 'completed', 0, 0, '', 0 from unnest(${Array.from({ length: count }, (_, n) => firstRunIdAt(fromMillis + n))}::text[]) as ids (id)`)
        yield* add(idle.workspaceId, 900, Date.now() - hour)
        yield* add(busy.workspaceId, 900, Date.now() - hour)
        yield* reports.keep
        yield* add(busy.workspaceId, 100, Date.now())
        asked.length = 0
        yield* reports.keep
        const [text, params] = asked.find(([text]) => text.includes("enough where"))!
        const read = nodesOf(yield* explain(database, text, params))
          // Or its partitions (`npm run test:partitioned`).
          .filter((node) => /^runs(?:_\d+)?$/.test(String(node["Relation Name"])))
          .reduce((sum, node) => sum + readBy(node), 0)
        // All of the workspace that has new runs, one to see that it has (Postgres tells averages), none of the other.
        assert.isAtLeast(read, 1_000)
        assert.isAtMost(read, 1_002)
      }).pipe(Effect.provide(Layer.provide(storagePg, recording)))
    }).pipe(Effect.provide(testDatabase()))
  )
})
