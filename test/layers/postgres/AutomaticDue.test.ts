/**
 * Whether a rule of automatic top-ups is due is said twice: in the domain, and in the statement that finds such rules.
 * This compares the two over rules of every kind.
 */
import { assert, it } from "@effect/vitest"
import { Effect, FastCheck, Layer } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { type AutomaticTopUp, isDue } from "../../../src/domain/AutomaticTopUp.js"
import { TopUpId } from "../../../src/domain/Ids.js"
import { Micros } from "../../../src/domain/Micros.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { automaticRows } from "../../../src/layers/postgres/AutomaticRowsPg.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { DatabaseNow } from "../../../src/layers/postgres/database/Now.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { Accounts } from "../../../src/services/Accounts.js"
import { testDatabase } from "../../support/postgres.js"

/** Half an hour before May ends. */
const now = Date.UTC(2026, 4, 31, 23, 30)
const topUpId = TopUpId.make(`top_${"0".repeat(26)}`)

/** Few amounts, so that those which meet a bound are common. */
const micros = (...amounts: ReadonlyArray<number>) =>
  FastCheck.constantFrom(...amounts.map((each) => Micros.make(each)))
const standing = FastCheck.record({
  rule: FastCheck.record({
    status: FastCheck.constantFrom<AutomaticTopUp["status"]>("on", "on", "off", "disabled"),
    belowMicros: micros(10, 20),
    amountMicros: micros(10, 20),
    monthlyMaximumMicros: micros(20, 30),
    month: FastCheck.constantFrom("", "2025-12", "2026-04", "2026-05", "2026-06"),
    monthMicros: micros(0, 10, 20),
    isUnderWay: FastCheck.boolean(),
    stopped: FastCheck.boolean(),
    retryAt: FastCheck.constantFrom(0, now - 1, now, now + 1)
  }),
  availableMicros: micros(0, 9, 10, 19, 20),
  method: FastCheck.constantFrom("cus_1/pm_1", "cus_1/pm_1", null),
  operatorWorkspace: FastCheck.constantFrom(false, false, true)
})

it.live("the statement finds the rules that the domain calls due, and no other", () =>
  Effect.gen(function* () {
    const { query, sql } = yield* Database
    const accounts = yield* Accounts
    const rows = yield* automaticRows(yield* Database)
    const expected: Array<string> = []
    const samples = FastCheck.sample(standing, { numRuns: 200, seed: 37 })
    for (const [index, { availableMicros, method, operatorWorkspace, rule: drawn }] of samples.entries()) {
      const { workspaceId } = yield* accounts.createWorkspace(`workspace ${index}`, commandLine)
      const { isUnderWay, stopped, ...rest } = drawn
      const rule: AutomaticTopUp = {
        ...rest,
        workspaceId,
        disabledReason: drawn.status === "disabled" ? "card_declined" : null,
        underWay: isUnderWay ? { topUpId, startedAt: now - 60_000, method: "cus_1/pm_1", stopped } : null,
        updatedAt: now
      }
      yield* rows.putRule(rule)
      if (method !== null) yield* rows.saveMethod(workspaceId, { method, paidAt: now })
      yield* query(sql`update wallets set available_micros = ${availableMicros} where workspace_id = ${workspaceId}`)
      yield* query(sql`update workspaces set operator = ${operatorWorkspace} where workspace_id = ${workspaceId}`)
      const noTopUps = operatorWorkspace ? "operator_workspace" : null
      if (isDue(rule, { availableMicros, method, noTopUps, now })) expected.push(workspaceId)
    }
    const found = yield* rows.due(samples.length)
    assert.sameMembers(
      found.map(({ rule }) => rule.workspaceId),
      expected
    )
    assert.isAbove(expected.length, 25)
    assert.isBelow(expected.length, samples.length - 25)
  }).pipe(
    Effect.provideService(DatabaseNow, Effect.succeed(`${now}::bigint`)),
    Effect.provide(Layer.provideMerge(AccountsPg, Layer.merge(IdsCrypto, testDatabase())))
  )
)
