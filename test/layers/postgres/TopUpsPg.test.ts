import { assert, it } from "@effect/vitest"
import { Cause, Clock, Context, Deferred, Effect, Fiber, Layer, Runtime } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { Micros } from "../../../src/domain/Micros.js"
import type { BillingPolicy } from "../../../src/domain/TopUp.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { DatabaseNow } from "../../../src/layers/postgres/database/Now.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { TopUpsPg } from "../../../src/layers/postgres/TopUpsPg.js"
import { WalletDefaults } from "../../../src/layers/accounts/WalletDefaults.js"
import { WalletPg } from "../../../src/layers/postgres/WalletPg.js"
import { AutomaticTopUps } from "../../../src/services/AutomaticTopUps.js"
import { ChargeUncertain, OffSessionPayments } from "../../../src/services/OffSessionPayments.js"
import { Payments } from "../../../src/services/Payments.js"
import { TopUpReports } from "../../../src/services/TopUpReports.js"
import { TopUps } from "../../../src/services/TopUps.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { billing } from "../../support/billing.js"
import { eventually } from "../../support/eventually.js"
import { newWorkspace, sharedDatabase } from "../../support/sharedDatabase.js"
import { automaticTopUpsSuite } from "../../services/AutomaticTopUps.suite.js"
import { topUpReportsSuite } from "../../services/TopUpReports.suite.js"
import { topUpsSuite } from "../../services/TopUps.suite.js"
import { nobodyCharges, paying, pending, spend } from "../../services/TopUpStage.js"

const database = sharedDatabase()
const topUps = (policy: BillingPolicy, over: Layer.Layer<Database> = database) =>
  TopUpsPg(policy).pipe(
    Layer.provideMerge(Layer.merge(WalletPg, AccountsPg)),
    Layer.provide([
      IdsCrypto,
      over,
      Layer.succeed(WalletDefaults, { inflightLimit: 8 }),
      // Postgres cannot be told what time it is, so its clock is that of the test.
      Layer.succeed(
        DatabaseNow,
        Effect.map(Clock.currentTimeMillis, (millis) => `${millis}::bigint`)
      )
    ])
  )
/** After each statement something else may happen, on a connection of its own. */
const afterEach = (happens: (text: string) => Promise<void>) =>
  Layer.map(database, (context) => {
    const { query, ...rest } = Context.get(context, Database)
    return Context.make(Database, {
      ...rest,
      query: (statement) =>
        Effect.zipLeft(
          query(statement),
          Effect.promise(() => happens(statement.compile()[0]))
        )
    })
  })

topUpsSuite("TopUpsPg", topUps)
topUpReportsSuite("TopUpReportsPg", topUps)
automaticTopUpsSuite("AutomaticTopUpsPg", topUps)

it.effect("money that comes in while a node takes what is due is seen: no card is charged for it", () =>
  Effect.gen(function* () {
    const usd = (amount: number) => Micros.make(amount * 1_000_000)
    const charges: Array<string> = []
    const cards = Layer.mergeAll(
      Layer.succeed(OffSessionPayments, {
        charge: ({ workspaceId }) =>
          Effect.zipRight(
            Effect.sync(() => charges.push(workspaceId)),
            new ChargeUncertain()
          ),
        find: () => Effect.succeed(null)
      }),
      Layer.succeed(Payments, {
        configured: true,
        createCheckout: () => Effect.succeed({ checkoutUrl: "https://pay.test" })
      })
    )
    let meanwhile: () => Promise<void> = () => Promise.resolve()
    // Once the rules that are due are locked.
    const interrupted = afterEach((text) => (text.includes("skip locked") ? meanwhile() : Promise.resolve()))
    yield* Effect.gen(function* () {
      const automatic = yield* AutomaticTopUps
      const { report } = yield* TopUpReports
      const wallet = yield* Wallet
      const { workspaceId } = yield* newWorkspace
      const { topUpId } = yield* (yield* TopUps).request(
        { workspaceId, operatorWorkspace: false, amountMicros: usd(10), idempotencyKey: null, saveMethod: true },
        commandLine
      )
      const savedMethod = { method: "cus_1/pm_1", paidAt: 0 }
      yield* report({ _tag: "Paid", topUpId, reference: `pi_${topUpId}`, amountMicros: usd(10), savedMethod })
      const rule = { belowMicros: usd(15), amountMicros: usd(10), monthlyMaximumMicros: usd(25) }
      yield* automatic.set(workspaceId, rule, commandLine)
      const credit = wallet.credit(
        { workspaceId, kind: "adjustment", micros: usd(5), reason: "test", topUpId: null, key: "meanwhile" },
        commandLine
      )
      const runtime = yield* Effect.runtime()
      meanwhile = () => Runtime.runPromise(runtime)(Effect.asVoid(credit))
      yield* automatic.turn
      assert.notInclude(charges, workspaceId)
      assert.strictEqual((yield* wallet.balance(workspaceId)).availableMicros, usd(15))
      // At less, the card is charged.
      meanwhile = () => Promise.resolve()
      yield* automatic.set(workspaceId, { ...rule, belowMicros: usd(16) }, commandLine)
      yield* automatic.turn
      assert.include(charges, workspaceId)
    }).pipe(Effect.provide(Layer.provide(topUps(billing, interrupted), cards)))
  })
)

it.effect("a workspace becomes the operator's before its card is charged, or once the charge is under way", () =>
  Effect.gen(function* () {
    const charges: Array<string> = []
    const cards = Layer.succeed(OffSessionPayments, {
      charge: ({ workspaceId }) =>
        Effect.zipRight(
          Effect.sync(() => charges.push(workspaceId)),
          new ChargeUncertain()
        ),
      find: () => Effect.succeed(null)
    })
    let asked: () => Promise<void> = () => Promise.resolve()
    // Once the rules that are due are locked.
    const interrupted = afterEach((text) => (text.includes("skip locked") ? asked() : Promise.resolve()))
    yield* Effect.gen(function* () {
      const automatic = yield* AutomaticTopUps
      const { query, sql, transact } = yield* Database
      const { paid, workspaceId } = yield* pending(10)
      yield* paid({ savedMethod: { method: "cus_1/pm_1", paidAt: 0 } })
      const rule = { belowMicros: Micros.make(15_000_000), amountMicros: Micros.make(10_000_000) }
      yield* automatic.set(workspaceId, { ...rule, monthlyMaximumMicros: Micros.make(25_000_000) }, commandLine)

      const [locked, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const becoming = yield* transact(
        Effect.gen(function* () {
          yield* query(sql`update workspaces set operator = true where workspace_id = ${workspaceId}`)
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(end)
        })
      ).pipe(Effect.fork)
      yield* Deferred.await(locked)
      yield* automatic.turn
      assert.deepStrictEqual(charges, [])
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(becoming)
      yield* automatic.turn
      assert.deepStrictEqual(charges, [])

      yield* query(sql`update workspaces set operator = false where workspace_id = ${workspaceId}`)
      const runtime = yield* Effect.runtime()
      const atOnce = query(
        sql`select 1 from workspaces where workspace_id = ${workspaceId} for no key update skip locked`
      )
      let found: ReadonlyArray<unknown> | undefined
      asked = async () => {
        found = await Runtime.runPromise(runtime)(atOnce)
      }
      yield* automatic.turn
      assert.deepStrictEqual([charges, found], [[workspaceId], []])
    }).pipe(Effect.provide(Layer.provideMerge(Layer.provide(topUps(billing, interrupted), [cards, paying]), database)))
  })
)

it.effect("of two who set the first rule of a workspace at once, neither forgets a top-up that began in between", () =>
  Effect.gen(function* () {
    const charges = new Set<string>()
    const cards = Layer.succeed(OffSessionPayments, {
      charge: ({ topUpId }) =>
        Effect.zipRight(
          Effect.sync(() => charges.add(topUpId)),
          new ChargeUncertain()
        ),
      find: () => Effect.succeed(null)
    })
    let meanwhile: () => Promise<void> = () => Promise.resolve()
    // Once the first one has looked for the rule.
    const interrupted = afterEach((text) =>
      /from automatic_top_ups .* for update/.test(text) ? meanwhile() : Promise.resolve()
    )
    const rule = {
      belowMicros: Micros.make(15_000_000),
      amountMicros: Micros.make(10_000_000),
      monthlyMaximumMicros: Micros.make(10_000_000)
    }
    yield* Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { paid, workspaceId } = yield* pending(10)
      yield* paid({ savedMethod: { method: "cus_1/pm_1", paidAt: 0 } })
      const automatic = yield* AutomaticTopUps
      const second = yield* Effect.provide(AutomaticTopUps, Layer.fresh(topUps(billing)))
      const runtime = yield* Effect.runtime()
      const other = yield* Deferred.make<Fiber.Fiber<void, unknown>>()
      const waits = Effect.zipRight(
        query(sql`select pg_stat_clear_snapshot()`),
        query(
          sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from wallets%'`
        )
      )
      meanwhile = () => {
        meanwhile = () => Promise.resolve()
        return Runtime.runPromise(runtime)(
          Effect.gen(function* () {
            const setting = yield* Effect.forkDaemon(
              Effect.zipRight(second.set(workspaceId, rule, commandLine), second.turn)
            )
            yield* Deferred.succeed(other, setting)
            // One that fails meanwhile waits no more.
            yield* Effect.raceFirst(
              eventually(waits, (rows) => rows.length > 0),
              Fiber.await(setting)
            )
          })
        )
      }
      yield* automatic.set(workspaceId, rule, commandLine)
      yield* Fiber.join(yield* Deferred.await(other))
      yield* automatic.turn
      assert.strictEqual(charges.size, 1)
      const { monthMicros, topUpId } = yield* automatic.get(workspaceId)
      assert.strictEqual(monthMicros, rule.amountMicros)
      assert.isTrue(topUpId !== null && charges.has(topUpId))
      yield* automatic.remove(workspaceId, commandLine)
    }).pipe(
      Effect.provide(Layer.provideMerge(Layer.provide(topUps(billing, interrupted), [cards, paying]), database)),
      Effect.provide(Layer.merge(cards, paying))
    )
  })
)

it.effect("a workspace whose payments cannot be read keeps no other from being collected from, and is told", () =>
  Effect.gen(function* () {
    let broken: string | undefined
    const breaking = Layer.map(database, (context) => {
      const { query, ...rest } = Context.get(context, Database)
      return Context.make(Database, {
        ...rest,
        query: (statement) => {
          const [text, params] = statement.compile()
          const isIt = text.includes("to_take_micros <> taken_micros") && params.includes(broken)
          return isIt ? Effect.dieMessage("unreadable") : query(statement)
        }
      })
    })
    yield* Effect.gen(function* () {
      const { collectOwed } = yield* TopUpReports
      const owing = Effect.gen(function* () {
        const { available, paid, taken, workspaceId } = yield* pending(10)
        yield* paid()
        yield* spend(workspaceId, 10)
        yield* taken("re_1", 10)
        yield* spend(workspaceId, -4)
        return { available, workspaceId }
      })
      // Whichever of two is looked at first, once it is the broken one.
      for (const first of [true, false]) {
        const [one, other] = [yield* owing, yield* owing]
        const [unreadable, whole] = first ? [one, other] : [other, one]
        broken = unreadable.workspaceId
        assert.include(Cause.pretty(yield* Effect.flip(Effect.sandbox(collectOwed))), "unreadable")
        assert.deepStrictEqual([yield* unreadable.available, yield* whole.available], [4, 0])
        broken = undefined
        yield* collectOwed
        assert.strictEqual(yield* unreadable.available, 0)
      }
    }).pipe(Effect.provide(Layer.provide(topUps(billing, breaking), [nobodyCharges, paying])))
  })
)

it.effect("a refund whose payment is credited while it is looked at is taken back, with the wallet locked first", () =>
  Effect.gen(function* () {
    const locks: Array<"payment" | "wallet"> = []
    let credit: (() => Promise<void>) | undefined
    const interrupted = afterEach(async (text) => {
      if (/from wallets\b.*for update/s.test(text)) locks.push("wallet")
      if (/from payments\b.*for update/s.test(text)) locks.push("payment")
      // Once nobody was found who was paid by it.
      if (!text.includes('select workspace_id as "workspaceId" from payments')) return
      const first = credit
      credit = undefined
      await first?.()
      locks.length = 0
    })
    yield* Effect.gen(function* () {
      const wallet = yield* Wallet
      const { available, paid, taken } = yield* pending(10)
      const runtime = yield* Effect.runtime()
      credit = () => Runtime.runPromise(runtime)(Effect.asVoid(paid()))
      assert.strictEqual(yield* taken("re_1", 4), "changed")
      // A payment locks in this order too, and two orders would be deadlocks.
      assert.include(locks.join(), "wallet,payment")
      assert.strictEqual(yield* available, 6)
      assert.strictEqual(yield* taken("re_1", 4), "unchanged")
      assert.strictEqual(yield* available, 6)
      assert.isTrue((yield* wallet.verify).ok)
    }).pipe(Effect.provide(Layer.provide(topUps(billing, interrupted), [nobodyCharges, paying])))
  })
)
