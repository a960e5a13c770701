/** What reports say of the runs and the charges of workspaces, whatever they are stored in. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { describe } from "vitest"
import { dayOf, daysUpTo } from "../../src/domain/Days.js"
import { reportDaysMax } from "../../src/domain/limits/Lists.js"
import {
  drop,
  hit,
  miss,
  ProvidersScripted,
  type ScriptedProviders,
  weak
} from "../../src/layers/providers/ProvidersScripted.js"
import { Reports, type SpendReport } from "../../src/services/Reports.js"
import { type RunRequest, Runs } from "../../src/services/Runs.js"
import { RunStore } from "../../src/services/RunStore.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, person, principalOf, requestOf, type Storage } from "../support/engine.js"

const job = "job:people.email.find"
const tool = "mock-email-find"
const fallback: RunRequest["fallback"] = {
  enabled: true,
  maxAttempts: 3,
  maxCostMicros: null,
  prefer: "balanced",
  exclude: [],
  stopAtFirstMiss: false
}

type Services = Layer.Layer.Success<ReturnType<typeof engine>> | Storage

export const reportsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (title: string, work: (providers: ScriptedProviders) => Effect.Effect<void, unknown, Services>) =>
      it.live(title, () => {
        const providers = ProvidersScripted()
        return Effect.provide(work(providers), Layer.provideMerge(engine(providers.layer), storage))
      })

    const total = (rows: ReadonlyArray<{ readonly calls: number; readonly chargeMicros: number }>) => ({
      calls: rows.reduce((sum, { calls }) => sum + calls, 0),
      chargeMicros: rows.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0)
    })
    const addsUp = (report: SpendReport) => {
      for (const rows of [report.days, report.providers, report.tokens])
        assert.deepStrictEqual(total(rows), { ...report.total, chargeMicros: Number(report.total.chargeMicros) })
    }
    const today = Effect.map(Clock.currentTimeMillis, (now) => daysUpTo(dayOf(now) + 1, 3))

    test("spend adds up to the charges of the ledger, by day, provider and token, before and after it is summed up", (providers) =>
      Effect.gen(function* () {
        const first = yield* funded(1_000_000)
        const second = yield* principalOf(first.workspaceId)
        const other = yield* funded(1_000_000)
        const runs = yield* Runs
        const reports = yield* Reports
        const span = yield* today
        const paid = (principal: typeof first, costMicros: number) =>
          Effect.suspend(() => {
            providers.script(tool, hit(undefined, { costMicros }))
            return runs.create(principal, requestOf(tool), 20)
          })
        yield* reports.keep
        const chargedBefore = yield* reports.chargedByProvider(span)
        yield* paid(first, 1_000)
        yield* paid(second, 2_000)
        yield* paid(other, 4_000)
        providers.script(tool, miss(undefined, { costMicros: 0 }))
        yield* runs.create(first, requestOf(tool), 20)
        const before = yield* reports.spend(first.workspaceId, span)
        yield* reports.keep
        assert.deepStrictEqual(yield* reports.spend(first.workspaceId, span), before)
        const chargedAfter = yield* reports.chargedByProvider(span)
        const grown = (of: (one: { readonly calls: number; readonly chargeMicros: number }) => number) =>
          of(chargedAfter.get("mock")!) - of(chargedBefore.get("mock") ?? { calls: 0, chargeMicros: 0 })
        assert.deepStrictEqual([grown(({ calls }) => calls), grown(({ chargeMicros }) => chargeMicros)], [3, 7_000])
        yield* paid(first, 3_000)
        yield* reports.keep
        yield* reports.keep
        yield* paid(first, 500)

        const report = yield* reports.spend(first.workspaceId, span)
        addsUp(report)
        assert.deepStrictEqual({ ...report.total }, { calls: 4, chargeMicros: report.total.chargeMicros })
        assert.strictEqual(Number(report.total.chargeMicros), 6_500)
        assert.isNull(report.completeUntil)
        assert.deepStrictEqual(
          report.tokens.map(({ calls, chargeMicros, tokenId }) => [tokenId, calls, Number(chargeMicros)]),
          [
            [first.tokenId, 3, 4_500],
            [second.tokenId, 1, 2_000]
          ]
        )
        assert.isTrue(report.tokens.every(({ label }) => label === "test"))
        assert.lengthOf(report.providers, 1)
        const charges = yield* (yield* Wallet).entries(
          first.workspaceId,
          { kind: "charge" },
          { limit: 50, after: null }
        )
        assert.strictEqual(
          Number(report.total.chargeMicros),
          -charges.items.reduce((sum, { amountMicros }) => sum + amountMicros, 0)
        )
        assert.strictEqual((yield* (yield* Wallet).verify).difference, null)
      }))

    test("a run that fell back counts for each provider with what its call cost", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const reports = yield* Reports
        providers.script(tool, weak(undefined, { costMicros: 1_000 }))
        providers.script("mock-slow-email-find", weak(undefined, { costMicros: 2_000 }))
        const { attempts, run } = yield* (yield* Runs).create(principal, requestOf(job, { fallback }), 20)
        assert.strictEqual(Number(run.chargeMicros), 3_000)
        for (const kept of [false, true]) {
          if (kept) yield* reports.keep
          const report = yield* reports.spend(principal.workspaceId, yield* today)
          addsUp(report)
          assert.strictEqual(report.total.calls, 2)
          for (const { costMicros, providerId } of attempts) {
            const same = attempts.filter((attempt) => attempt.providerId === providerId)
            assert.strictEqual(
              Number(report.providers.find((row) => row.providerId === providerId)?.chargeMicros),
              same.reduce((sum, attempt) => sum + Number(attempt.costMicros), 0),
              `${providerId} ${costMicros}`
            )
          }
        }
      }))

    test("a report covers 1 to 92 days and says nothing of others", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const reports = yield* Reports
        providers.script(tool, hit(undefined, { costMicros: 1_000 }))
        yield* (yield* Runs).create(principal, requestOf(tool), 20)
        const { lastDay } = yield* today
        const spent = (firstDay: number, lastDay: number) =>
          Effect.map(reports.spend(principal.workspaceId, { firstDay, lastDay }), ({ total }) =>
            Number(total.chargeMicros)
          )
        assert.strictEqual(yield* spent(lastDay - reportDaysMax + 1, lastDay), 1_000)
        assert.strictEqual(yield* spent(lastDay - 40, lastDay - 10), 0)
        assert.strictEqual(yield* spent(lastDay + 1, lastDay + 1), 0)
        for (const [from, to] of [
          [lastDay, lastDay - 1],
          [lastDay - reportDaysMax, lastDay]
        ] as const) {
          const refused = yield* Effect.flip(spent(from, to))
          assert.strictEqual(refused._tag === "validation_error" ? refused.details[0].field : refused._tag, "days")
        }
      }))

    test("runs are found by token, operation, provider and time, and by several of them, in pages", (providers) =>
      Effect.gen(function* () {
        const first = yield* funded(1_000_000)
        const second = yield* principalOf(first.workspaceId)
        const runs = yield* Runs
        const store = yield* RunStore
        providers.script(tool, miss(), hit(), miss(), hit())
        providers.script("mock-slow-email-find", hit(), hit())
        const made: Array<string> = []
        const times: Array<number> = []
        for (const [principal, endpointId] of [
          [first, job],
          [second, tool],
          [first, tool],
          [first, tool],
          [second, "mock-email-verify"]
        ] as const) {
          const { run } = yield* runs.create(
            principal,
            requestOf(
              endpointId,
              endpointId === job ? { fallback } : { input: { ...person, email: "ada@example.com" } }
            ),
            20
          )
          made.push(run.runId)
          times.push(run.createdAt)
          yield* Effect.sleep("3 millis")
        }
        const [a, b, c, d, e] = made
        const shown = Effect.fnUntraced(function* (filter: Parameters<typeof store.list>[1]) {
          const ids: Array<string> = []
          let after: string | null = null
          do {
            const page: Effect.Effect.Success<ReturnType<typeof store.list>> = yield* store.list(
              first.workspaceId,
              filter,
              { limit: 2, after },
              null
            )
            ids.push(...page.items.map(({ runId }) => runId))
            after = page.next
          } while (after !== null)
          return ids
        })
        assert.deepStrictEqual(yield* shown({ tokenId: first.tokenId }), [d, c, a])
        assert.deepStrictEqual(yield* shown({ tokenId: second.tokenId }), [e, b])
        // The run of the job was picked for one operation and answered by another.
        assert.deepStrictEqual(yield* shown({ endpointId: "mock-slow-email-find" }), [a])
        assert.deepStrictEqual(yield* shown({ endpointId: tool }), [d, c, b])
        assert.deepStrictEqual(yield* shown({ endpointId: tool, tokenId: first.tokenId }), [d, c])
        assert.deepStrictEqual(yield* shown({ providerId: "mock-slow" }), [a])
        assert.deepStrictEqual(yield* shown({ providerId: "mock", tokenId: second.tokenId }), [e, b])
        assert.deepStrictEqual(yield* shown({ providerId: "no-such-provider" }), [])
        assert.deepStrictEqual(yield* shown({ fromMillis: times[1]!, toMillis: times[3]! }), [c, b])
        assert.deepStrictEqual(yield* shown({ fromMillis: times[1]!, tokenId: second.tokenId }), [e, b])
        assert.deepStrictEqual(yield* shown({ toMillis: times[1]!, status: "completed" }), [a])
        assert.deepStrictEqual(yield* shown({ tokenId: first.tokenId, capability: "people.email.find" }), [d, c, a])
        assert.deepStrictEqual(yield* shown({ tokenId: first.tokenId, status: "failed" }), [])
      }))

    test("runs are counted by status since a time", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const runs = yield* Runs
        const reports = yield* Reports
        providers.script(tool, hit(), hit())
        providers.script("mock-send-message", drop())
        yield* runs.create(principal, requestOf(tool), 20)
        yield* Effect.sleep("3 millis")
        const since = yield* Clock.currentTimeMillis
        yield* runs.create(principal, requestOf(tool), 20)
        yield* runs.create(
          principal,
          requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } }),
          20
        )
        const counts = (fromMillis: number) =>
          Effect.map(reports.runCounts(principal.workspaceId, fromMillis), (rows) =>
            Object.fromEntries(rows.map(({ more, runs, status }) => [status, more ? -1 : runs]))
          )
        const none = { queued: 0, running: 0, completed: 0, failed: 0, blocked: 0, reconciliation_pending: 0 }
        assert.deepStrictEqual(yield* counts(0), { ...none, completed: 2, reconciliation_pending: 1 })
        assert.deepStrictEqual(yield* counts(since), { ...none, completed: 1, reconciliation_pending: 1 })
      }))

    test("the list of workspaces shows their money and newest run, and finds them by name", (providers) =>
      Effect.gen(function* () {
        const reports = yield* Reports
        const first = yield* funded(1_000_000)
        const second = yield* funded(0)
        providers.script("mock-send-message", drop())
        const { run } = yield* (yield* Runs).create(
          first,
          requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } }),
          20
        )
        const standing = yield* reports.workspace(first.workspaceId)
        assert.deepStrictEqual(standing, {
          workspaceId: first.workspaceId,
          name: first.workspaceName,
          operator: false,
          inflight: 0,
          availableMicros: standing.availableMicros,
          reservedMicros: run.holdMicros,
          createdAt: standing.createdAt,
          lastRunAt: run.createdAt
        })
        assert.strictEqual(standing.availableMicros + standing.reservedMicros, 1_000_000)
        const two = yield* reports.workspaces(null, { limit: 2, after: null })
        assert.deepStrictEqual(
          two.items.map(({ lastRunAt, workspaceId }) => [workspaceId, lastRunAt]),
          [
            [second.workspaceId, null],
            [first.workspaceId, run.createdAt]
          ]
        )
        const one = yield* reports.workspaces(null, { limit: 1, after: null })
        assert.strictEqual(one.next, second.workspaceId)
        assert.deepStrictEqual((yield* reports.workspaces(null, { limit: 1, after: one.next })).items, [standing])
        for (const search of [first.workspaceName.toUpperCase(), first.workspaceName.slice(5), first.workspaceId])
          assert.deepStrictEqual((yield* reports.workspaces(search, { limit: 5, after: null })).items, [standing])
        assert.deepStrictEqual((yield* reports.workspaces("test_0%", { limit: 5, after: null })).items, [])
      }))

    test("health names the age of the oldest run that waits for a person", (providers) =>
      Effect.gen(function* () {
        const reports = yield* Reports
        const principal = yield* funded(1_000_000)
        const before = yield* reports.health
        providers.script("mock-send-message", drop())
        yield* (yield* Runs).create(
          principal,
          requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } }),
          20
        )
        const after = yield* reports.health
        assert.strictEqual(after.uncertain.runs, before.uncertain.runs + 1)
        assert.isAtLeast(after.oldestUncertainMillis ?? -1, 0)
        assert.deepStrictEqual([after.queued.runs, after.oldestQueuedMillis], [0, null])
        assert.deepStrictEqual(after.leases, [])
      }))
  })
