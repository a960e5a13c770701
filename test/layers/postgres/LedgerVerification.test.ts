// Whether a row of money that somebody has changed behind the gateway's back is found, where the sums still agree.
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { TopUpId } from "../../../src/domain/Ids.js"
import { scopes } from "../../../src/domain/Scope.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { ledgerCheckLock, refusedRunsLock } from "../../../src/layers/postgres/database/AdvisoryLocks.js"
import { LedgerChecksPg } from "../../../src/layers/postgres/LedgerChecksPg.js"
import { LoginApprovalsPg } from "../../../src/layers/postgres/LoginApprovalsPg.js"
import { hit, miss, ProvidersScripted } from "../../../src/layers/providers/ProvidersScripted.js"
import { Accounts, type Principal } from "../../../src/services/Accounts.js"
import { LedgerChecks } from "../../../src/services/LedgerChecks.js"
import { LoginApprovals } from "../../../src/services/LoginApprovals.js"
import { Reports } from "../../../src/services/Reports.js"
import { Runs } from "../../../src/services/Runs.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { engine, funded, requestOf, storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

const providers = ProvidersScripted()
const gateway = Layer.provideMerge(
  engine(providers.layer),
  Layer.provideMerge(LoginApprovalsPg, Layer.provideMerge(storagePg, testDatabase()))
)

/** Two runs of a token that another one let in: one charged 5,000, one charged 0. */
const twoRuns = Effect.gen(function* () {
  const runs = yield* Runs
  const logins = yield* LoginApprovals
  const parent = yield* funded(1_000_000)
  const text = `pgw_${randomBytes(32).toString("base64url")}`
  const { approvalId } = yield* logins.create({
    digest: createHash("sha256").update(text).digest("hex"),
    label: "child",
    scopes,
    tokenExpiresAt: null
  })
  yield* logins.approve(approvalId, parent, commandLine)
  const child: Principal = yield* (yield* Accounts).authenticate(Redacted.make(text))
  const run = (script: ReturnType<typeof hit>) =>
    Effect.suspend(() => {
      providers.script("mock-email-find", script)
      return Effect.map(runs.create(child, requestOf("mock-email-find"), 20), (made) => made.run)
    })
  const paid = yield* run(hit(undefined, { costMicros: 5_000 }))
  const free = yield* run(miss(undefined, { costMicros: 0 }))
  return { parent, child, paid, free }
})

/** Changes entries as somebody would who owns the database: their trigger refuses it to everybody else. */
const tampered = (statement: string) =>
  Effect.flatMap(Database, ({ sql, transact }) =>
    transact(
      Effect.gen(function* () {
        yield* sql`set local session_replication_role = replica`
        yield* sql`${sql.literal(statement)}`
      })
    )
  )

const found = Effect.flatMap(Wallet, ({ verify }) =>
  Effect.map(verify, ({ difference, driftMicros, ok }) => ({ difference: difference ?? "", driftMicros, ok }))
)

describe("the regular check of the ledger", () => {
  const nodes = Layer.provideMerge(LedgerChecksPg, Layer.provideMerge(storagePg, testDatabase()))

  it.scopedLive("is made by one node, and the others see what it found until it is old", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const checks = yield* LedgerChecks
      const { tokenId } = yield* funded(1_000)
      const first = yield* checks.latest(Duration.minutes(1))
      assert.deepInclude(first, { driftMicros: 0, difference: null })
      yield* query(sql`update tokens set spend_micros = 7 where token_id = ${tokenId}`)
      assert.deepStrictEqual(yield* checks.latest(Duration.minutes(1)), first)
      yield* query(sql`update ledger_checks set checked_at = checked_at - 60000`)
      const second = yield* checks.latest(Duration.minutes(1))
      assert.strictEqual(second?.driftMicros, 7)
      assert.include(second?.difference ?? "", tokenId)
      // One that took long rests nineteen times as long.
      yield* query(sql`update tokens set spend_micros = 0 where token_id = ${tokenId}`)
      yield* query(sql`update ledger_checks set checked_at = checked_at - 100000, took_millis = 10000`)
      assert.strictEqual((yield* checks.latest(Duration.minutes(1)))?.driftMicros, 7)
      yield* query(sql`update ledger_checks set checked_at = checked_at - 90000`)
      assert.strictEqual((yield* checks.latest(Duration.minutes(1)))?.driftMicros, 0)
    }).pipe(Effect.provide(nodes))
  )

  it.scopedLive("is not made twice at once: while one node is at it, the others keep what was found before", () =>
    Effect.gen(function* () {
      const { query, sql, transact } = yield* Database
      const checks = yield* LedgerChecks
      yield* transact(
        Effect.gen(function* () {
          yield* sql`select pg_advisory_xact_lock(${ledgerCheckLock}::bigint)`
          assert.isNull(yield* checks.latest(Duration.minutes(1)))
        })
      )
      assert.isNotNull(yield* checks.latest(Duration.minutes(1)))
      assert.deepStrictEqual(yield* query(sql`select count(*)::int as rows from ledger_checks`), [{ rows: 1 }])
    }).pipe(Effect.provide(nodes))
  )

  it.scopedLive("is made while refused runs are forgotten: the two locks are different ones", () =>
    Effect.gen(function* () {
      const { sql, transact } = yield* Database
      const checks = yield* LedgerChecks
      yield* transact(
        Effect.gen(function* () {
          yield* sql`select pg_advisory_xact_lock(${refusedRunsLock}::bigint)`
          assert.isNotNull(yield* checks.latest(Duration.minutes(1)))
        })
      )
    }).pipe(Effect.provide(nodes))
  )
})

describe("gateway ledger verify", () => {
  it.scopedLive("finds charges that were exchanged between two runs, though every sum agrees, and names a run", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { free, paid } = yield* twoRuns
      assert.deepStrictEqual(yield* found, { difference: "", driftMicros: 0, ok: true })
      yield* query(
        sql`update runs set charge_micros = 5000 - charge_micros where run_id in (${paid.runId}, ${free.runId})`
      )
      const { difference, driftMicros, ok } = yield* found
      assert.deepStrictEqual([ok, driftMicros], [false, 10_000])
      assert.isTrue(
        [paid.runId, free.runId].some((runId) => difference.includes(runId)),
        difference
      )
      assert.include(difference, "charge")
    }).pipe(Effect.provide(gateway))
  )

  it.scopedLive("finds releases that were exchanged between two runs, though every balance agrees", () =>
    Effect.gen(function* () {
      const { free, paid } = yield* twoRuns
      const released = (runId: string) => `kind = 'release' and run_id = '${runId}'`
      const seqOf = (runId: string) => `(select seq from ledger_entries where ${released(runId)})`
      yield* tampered(`update ledger_entries set balance_after_micros = balance_after_micros - 3, reserved_after_micros = reserved_after_micros + 3
        where workspace_id = '${paid.workspaceId}' and seq >= ${seqOf(paid.runId)} and seq < ${seqOf(free.runId)}`)
      yield* tampered(`update ledger_entries set amount_micros = amount_micros - 3 where ${released(paid.runId)}`)
      yield* tampered(`update ledger_entries set amount_micros = amount_micros + 3 where ${released(free.runId)}`)
      const { difference, driftMicros, ok } = yield* found
      assert.deepStrictEqual([ok, driftMicros], [false, 6])
      assert.include(
        difference,
        `${paid.runId} of ${paid.workspaceId}: entries hold 5000, release 4997 and charge 5000`
      )
    }).pipe(Effect.provide(gateway))
  )

  it.scopedLive("finds a hold without its entry, and entries without their run", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { paid } = yield* twoRuns
      yield* query(sql`update runs set hold_micros = hold_micros + 1 where run_id = ${paid.runId}`)
      assert.include((yield* found).difference, paid.runId)
      yield* query(sql`update runs set run_id = ${paid.runId.replace(/.$/, "x")} where run_id = ${paid.runId}`)
      const { difference } = yield* found
      assert.isFalse((yield* found).ok)
      assert.include(difference, paid.runId.slice(0, -1))
    }).pipe(Effect.provide(gateway))
  )

  it.scopedLive(
    "finds a token whose spend is not that of its runs, its own and those of the tokens that it let in",
    () =>
      Effect.gen(function* () {
        const { query, sql } = yield* Database
        const { child, parent } = yield* twoRuns
        for (const { tokenId } of [parent, child]) {
          yield* query(sql`update tokens set spend_micros = spend_micros - 1 where token_id = ${tokenId}`)
          const { difference, driftMicros, ok } = yield* found
          assert.deepStrictEqual([ok, driftMicros], [false, 1])
          assert.include(difference, tokenId)
          yield* query(sql`update tokens set spend_micros = spend_micros + 1 where token_id = ${tokenId}`)
        }
        assert.isTrue((yield* found).ok)
      }).pipe(Effect.provide(gateway))
  )

  it.scopedLive("finds a day of which reports say something else than the ledger", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { paid } = yield* twoRuns
      yield* (yield* Reports).keep
      assert.isTrue((yield* found).ok)
      // Each charge is in two rows: by provider and by token.
      for (const [change, drift] of [
        [sql`update spend_sums set charge_micros = charge_micros + 3`, 6],
        [sql`delete from spend_sums`, 10_000]
      ] as const) {
        yield* query(change)
        const { difference, driftMicros, ok } = yield* found
        assert.deepStrictEqual([ok, driftMicros], [false, drift])
        assert.include(difference, `${paid.workspaceId}: its charges of 2`)
      }
      // Emptied tables are filled again.
      yield* query(sql`delete from spend_summed`)
      yield* (yield* Reports).keep
      assert.isTrue((yield* found).ok)
    }).pipe(Effect.provide(gateway))
  )

  it.scopedLive("finds a balance behind any entry, and an amount, that do not follow from the entry before", () =>
    Effect.gen(function* () {
      const { paid } = yield* twoRuns
      const behind = { difference: "", driftMicros: 0, ok: true }
      assert.deepStrictEqual(yield* found, behind)
      for (const [column, drift] of [
        ["balance_after_micros", 6],
        ["reserved_after_micros", 6]
      ] as const) {
        const hold = `kind = 'hold' and run_id = '${paid.runId}'`
        yield* tampered(`update ledger_entries set ${column} = ${column} + 3 where ${hold}`)
        const { difference, driftMicros, ok } = yield* found
        assert.deepStrictEqual([ok, driftMicros], [false, drift], "it does not fit the entry before, nor the next one")
        assert.match(difference, /^led_\w+ of ws_\w+: the entry adds -\d+ to available and \d+ to reserved;/)
        yield* tampered(`update ledger_entries set ${column} = ${column} - 3 where ${hold}`)
      }
      assert.deepStrictEqual(yield* found, behind)
    }).pipe(Effect.provide(gateway))
  )

  it.scopedLive("finds a paid top-up whose entry says another amount, names another one, or is gone", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { workspaceId } = (yield* twoRuns).parent
      const topUpId = `top_${"0".repeat(26)}`
      yield* query(sql`
        insert into top_ups (workspace_id, top_up_id, status, amount_micros, automatic, saves_method, created_at, paid_at)
        values (${workspaceId}, ${topUpId}, 'paid', 20000000, false, false, 1, 2)`)
      const missing = yield* found
      assert.deepStrictEqual([missing.ok, missing.driftMicros], [false, 40_000_000])
      assert.strictEqual(
        missing.difference,
        `${topUpId} of ${workspaceId}: entries add 0 and take back 0; paid were 20000000 (20000000 by its payment), and taken back 0`
      )
      const topUp = { workspaceId, kind: "top_up", reason: null, topUpId: TopUpId.make(topUpId), key: topUpId } as const
      yield* (yield* Wallet).credit({ ...topUp, micros: 20_000_000 }, commandLine)
      assert.isTrue((yield* found).ok)
      yield* query(sql`update top_ups set amount_micros = 9000000 where top_up_id = ${topUpId}`)
      assert.strictEqual((yield* found).driftMicros, 22_000_000)
      yield* query(sql`update top_ups set amount_micros = 20000000 where top_up_id = ${topUpId}`)
      yield* tampered(`update ledger_entries set top_up_id = null where top_up_id = '${topUpId}'`)
      assert.strictEqual((yield* found).driftMicros, 80_000_000)
    }).pipe(Effect.provide(gateway))
  )

  it.scopedLive("finds a refund whose entry is gone, or of which the payment says another amount", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { workspaceId } = (yield* twoRuns).parent
      const wallet = yield* Wallet
      const topUpId = TopUpId.make(`top_${"1".repeat(26)}`)
      const money = { workspaceId, reason: "refund", topUpId }
      yield* query(sql`
        insert into top_ups (workspace_id, top_up_id, status, amount_micros, payment_reference, automatic, saves_method, created_at, paid_at)
        values (${workspaceId}, ${topUpId}, 'paid', 5000000, 'pi_1', false, false, 1, 2)`)
      yield* query(sql`
        insert into payments (payment_reference, workspace_id, top_up_id, amount_micros, to_take_micros, taken_micros, bookings)
        values ('pi_1', ${workspaceId}, ${topUpId}, 5000000, 3000000, 3000000, 1)`)
      yield* wallet.credit({ ...money, kind: "top_up", micros: 5_000_000, key: "paid" }, commandLine)
      assert.include(
        (yield* found).difference,
        "entries add 5000000 and take back 0; paid were 5000000 (5000000 by its payment), and taken back 3000000"
      )
      yield* wallet.credit({ ...money, kind: "adjustment", micros: -3_000_000, key: "back" }, commandLine)
      assert.isTrue((yield* found).ok)
      yield* query(sql`update payments set taken_micros = 2000000 where payment_reference = 'pi_1'`)
      assert.strictEqual((yield* found).driftMicros, 1_000_000)
      yield* query(
        sql`update payments set taken_micros = 3000000, amount_micros = 4000000 where payment_reference = 'pi_1'`
      )
      assert.strictEqual((yield* found).driftMicros, 1_000_000)
    }).pipe(Effect.provide(gateway))
  )

  it.scopedLive("finds the entries and holds of a workspace whose wallet is gone", () =>
    Effect.gen(function* () {
      const { workspaceId } = (yield* twoRuns).parent
      yield* tampered(`delete from wallets where workspace_id = '${workspaceId}'`)
      const { difference, driftMicros, ok } = yield* found
      assert.deepStrictEqual([ok, driftMicros], [false, 2 * 995_000])
      assert.include(difference, `${workspaceId}: entries give available 995000 and reserved 0`)
    }).pipe(Effect.provide(gateway))
  )

  it.scopedLive(
    "names the newest entry's balance, an entry between other accounts, and amounts beyond exact numbers",
    () =>
      Effect.gen(function* () {
        const { paid } = yield* twoRuns
        const charge = `kind = 'charge' and run_id = '${paid.runId}'`
        const newest = `seq = (select max(seq) from ledger_entries)`
        yield* tampered(`update ledger_entries set balance_after_micros = 7 where ${newest}`)
        assert.match(
          (yield* found).difference,
          /^led_\w+ of ws_\w+: the entry adds .*; the balances behind it are -\d+ /
        )
        yield* tampered(`update ledger_entries set balance_after_micros = 995000 where ${newest}`)
        const { sql, query } = yield* Database
        const [oldest] = yield* query(sql`select entry_id as id from ledger_entries order by seq limit 1`)
        const id = String(oldest?.["id"])
        yield* tampered(`update ledger_entries set amount_micros = amount_micros + 1 where entry_id = '${id}'`)
        const changed = yield* found
        assert.isFalse(changed.ok)
        assert.isTrue(changed.difference.startsWith(`${id} of `), changed.difference)
        yield* tampered(`update ledger_entries set amount_micros = amount_micros - 1 where entry_id = '${id}'`)
        yield* tampered(`update ledger_entries set debit = credit, credit = debit where ${charge}`)
        const swapped = yield* found
        assert.deepStrictEqual([swapped.ok, swapped.driftMicros], [false, 0])
        assert.match(swapped.difference, /^led_\w+ of ws_\w+: the entry is not between the two accounts of its kind$/)
        yield* tampered(`update ledger_entries set debit = credit, credit = debit where ${charge}`)
        for (const column of ["amount_micros", "balance_after_micros", "reserved_after_micros"]) {
          yield* tampered(`create table before as select seq, ${column} as micros from ledger_entries where ${charge}`)
          yield* tampered(`update ledger_entries set ${column} = 9223372036854775807 where ${charge}`)
          const { difference, driftMicros, ok } = yield* found
          assert.deepStrictEqual([ok, driftMicros], [false, Number.MAX_SAFE_INTEGER], column)
          assert.match(difference, /_/, column)
          yield* tampered(
            `update ledger_entries set ${column} = micros from before where before.seq = ledger_entries.seq`
          )
          yield* tampered("drop table before")
        }
        assert.isTrue((yield* found).ok)
      }).pipe(Effect.provide(gateway))
  )

  it.scopedLive("names an entry with an id that no run has, whatever the id looks like", () =>
    Effect.gen(function* () {
      const { paid } = yield* twoRuns
      yield* tampered(`update ledger_entries set run_id = 'run_fake' where kind = 'hold' and run_id = '${paid.runId}'`)
      assert.include((yield* found).difference, "run_")
    }).pipe(Effect.provide(gateway))
  )
})
