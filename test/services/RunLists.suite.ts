/** What lists of runs and of money show, whatever they are stored in. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { RunId } from "../../src/domain/Ids.js"
import { hit, miss, ProvidersScripted, type ScriptedProviders } from "../../src/layers/providers/ProvidersScripted.js"
import { Ids } from "../../src/services/Ids.js"
import type { Principal } from "../../src/services/Accounts.js"
import { Runs, type RunRequest } from "../../src/services/Runs.js"
import { type RunFilter, RunStore } from "../../src/services/RunStore.js"
import { Transactions } from "../../src/services/Transactions.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, type Storage } from "../support/engine.js"

const job = "job:people.email.find"

type Services = Layer.Layer.Success<ReturnType<typeof engine>> | Storage

export const runListsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (title: string, work: (providers: ScriptedProviders) => Effect.Effect<void, unknown, Services>) =>
      it.live(title, () => {
        const providers = ProvidersScripted()
        return Effect.provide(work(providers), Layer.provideMerge(engine(providers.layer), storage))
      })

    test("a page with results ends before their bytes would pass the bound, and never before its first run", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const runs = yield* Runs
        const store = yield* RunStore
        // Neither does what is stored compressed count for less.
        const bodies = [
          "x".repeat(3_000),
          "small",
          Array.from({ length: 3_000 }, (_, index) => String.fromCharCode(33 + ((index * index) % 90))).join(""),
          "small"
        ]
        for (const text of bodies) {
          providers.script("mock-email-find", hit({ found: true, email: "ada@example.com", text }))
          yield* runs.create(principal, requestOf("mock-email-find"), 20)
        }
        const sizesOf = (bytesMax: number) =>
          Effect.gen(function* () {
            const sizes: Array<number> = []
            let after: string | null = null
            do {
              const page: Effect.Effect.Success<ReturnType<typeof store.list>> = yield* store.list(
                principal.workspaceId,
                {},
                { limit: 4, after },
                bytesMax
              )
              assert.isTrue(page.items.every(({ result }) => result !== null))
              sizes.push(page.items.length)
              after = page.next
            } while (after !== null)
            return sizes
          })
        assert.deepStrictEqual(yield* sizesOf(1_000_000), [4])
        assert.deepStrictEqual(yield* sizesOf(4_000), [3, 1])
        assert.deepStrictEqual(yield* sizesOf(1_000), [1, 1, 1, 1])
        const { items } = yield* store.list(principal.workspaceId, {}, { limit: 3, after: null }, null)
        assert.deepStrictEqual(
          items.map(({ result }) => result),
          [null, null, null]
        )
      }))

    test("a page with results counts what it carries, not what the provider sent", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const runs = yield* Runs
        const store = yield* RunStore
        providers.script("mock-email-find", hit())
        const { run } = yield* runs.create(principal, requestOf("mock-email-find"), 20)
        // As JSON each of these characters is six bytes.
        const result = { _tag: "Text", text: "\u0001".repeat(20_000), format: "text" } as const
        const { suffix } = yield* Ids
        const { transact } = yield* Transactions
        for (let n = 0; n < 4; n += 1) {
          const copy = { ...run, runId: RunId.make(`run_${yield* suffix}`), result, resultBytes: 20_000 }
          yield* transact(store.insert([{ run: copy, lease: null, attempt: null, tellEnd: false }]))
        }
        const { items, next } = yield* store.list(principal.workspaceId, {}, { limit: 4, after: null }, 300_000)
        assert.deepStrictEqual(
          items.map((listed) => listed.result),
          [result, result]
        )
        assert.isNotNull(next)
      }))

    test("a list of runs takes any filter together with any other, in pages", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const runs = yield* Runs
        const made: Array<string> = []
        for (let n = 0; n < 5; n += 1) {
          providers.script("mock-email-find", n % 2 === 0 ? hit() : miss())
          made.push((yield* runs.create(principal, requestOf(job), 20)).run.runId)
        }
        const failed = (yield* runs.create(principal, requestOf(job, { input: {} }), 20)).run
        assert.strictEqual(failed.status, "failed")
        const shown = Effect.fnUntraced(function* (filter: RunFilter) {
          const ids: Array<string> = []
          let after: string | null = null
          do {
            const page: Effect.Effect.Success<ReturnType<typeof runs.list>> = yield* runs.list(
              principal.workspaceId,
              filter,
              { limit: 2, after },
              false
            )
            ids.push(...page.items.map(({ runId }) => runId))
            after = page.next
          } while (after !== null)
          return ids
        })
        const newest = [...made].reverse()
        assert.deepStrictEqual(yield* shown({}), [failed.runId, ...newest])
        assert.deepStrictEqual(yield* shown({ status: "completed" }), newest)
        assert.deepStrictEqual(yield* shown({ status: "failed" }), [failed.runId])
        assert.deepStrictEqual(yield* shown({ status: "running" }), [])
        assert.deepStrictEqual(yield* shown({ capability: "people.email.find" }), [failed.runId, ...newest])
        assert.deepStrictEqual(yield* shown({ capability: "people.email.find", status: "completed" }), newest)
        assert.deepStrictEqual(yield* shown({ capability: "people.email.verify", status: "completed" }), [])
        assert.deepStrictEqual(yield* shown({ capability: "people.email.verify" }), [])
      }))

    test("a list of runs finds the one run of an idempotency key, together with any other filter", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const other = yield* funded(1_000_000)
        const runs = yield* Runs
        const idempotencyKey = "order 17: one key of two workspaces"
        const created = Effect.fnUntraced(function* (by: Principal, changes: Partial<RunRequest>) {
          providers.script("mock-email-find", hit())
          return (yield* runs.create(by, requestOf(job, changes), 20)).run.runId
        })
        const own = yield* created(principal, { idempotencyKey })
        const theirs = yield* created(other, { idempotencyKey })
        yield* created(principal, {})
        const refused = yield* created(principal, { idempotencyKey: "refused", input: {} })
        const shown = (filter: RunFilter, { workspaceId } = principal, after: string | null = null) =>
          Effect.map(runs.list(workspaceId, filter, { limit: 1, after }, false), ({ items, next }) => {
            assert.isNull(next)
            return items.map(({ runId }) => runId)
          })
        assert.deepStrictEqual(yield* shown({ idempotencyKey }), [own])
        assert.deepStrictEqual(yield* shown({ idempotencyKey }, other), [theirs])
        assert.deepStrictEqual(yield* shown({ idempotencyKey: "refused" }), [refused])
        assert.deepStrictEqual(yield* shown({ idempotencyKey: "order 17" }), [])
        assert.deepStrictEqual(yield* shown({ idempotencyKey }, principal, own), [])
        const { tokenId } = principal
        assert.deepStrictEqual(yield* shown({ idempotencyKey, tokenId, status: "completed" }), [own])
        assert.deepStrictEqual(yield* shown({ idempotencyKey, tokenId, capability: "people.email.find" }), [own])
        for (const filter of [
          { status: "failed" },
          { capability: "people.email.verify" },
          { tokenId: other.tokenId },
          { endpointId: "mock-email-verify" },
          { providerId: "hunter" },
          { toMillis: 1 }
        ] as const)
          assert.deepStrictEqual(yield* shown({ idempotencyKey, ...filter }), [])
      }))

    test("a capability finds the runs of the job and of tools that do it, with dots or underscores; what is no job is told", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", hit())
        const principal = yield* funded(1_000_000)
        const runs = yield* Runs
        const byJob = (yield* runs.create(principal, requestOf(job), 20)).run.runId
        const byTool = (yield* runs.create(principal, requestOf("mock-email-find"), 20)).run
        const refused = (yield* runs.create(principal, requestOf("mock-email-find", { input: {} }), 20)).run.runId
        yield* runs.create(principal, requestOf("mock-email-verify", { input: {} }), 20)
        yield* runs.create(principal, requestOf("job:no.such.job"), 20)
        const list = (capability: string, others: RunFilter = {}) =>
          runs.list(principal.workspaceId, { capability, ...others }, { limit: 10, after: null }, false)
        for (const capability of ["people.email.find", "people_email_find"]) {
          assert.deepStrictEqual(
            (yield* list(capability)).items.map(({ runId }) => runId),
            [refused, byTool.runId, byJob]
          )
        }
        assert.deepStrictEqual(
          (yield* list("people.email.find", { status: "failed" })).items.map(({ runId }) => runId),
          [refused]
        )
        // A job of the catalog without a run, and one that only a run of this workspace knows.
        assert.deepStrictEqual((yield* list("company.enrich")).items, [])
        const old = { ...byTool, runId: RunId.make(`run_${yield* (yield* Ids).suffix}`), job: "people.email.guess" }
        const { transact } = yield* Transactions
        yield* transact((yield* RunStore).insert([{ run: old, lease: null, attempt: null, tellEnd: false }]))
        for (const capability of ["people.email.guess", "people_email_guess"]) {
          assert.deepStrictEqual(
            (yield* list(capability)).items.map(({ runId }) => runId),
            [old.runId]
          )
          assert.deepStrictEqual((yield* list(capability, { status: "failed" })).items, [])
        }
        const other = yield* funded(0)
        for (const [{ workspaceId }, capability] of [
          [principal, "no.such.job"],
          [principal, "people.email.fnd"],
          [other, "people.email.guess"]
        ] as const) {
          const error = yield* Effect.flip(runs.list(workspaceId, { capability }, { limit: 10, after: null }, false))
          assert.strictEqual(error._tag === "validation_error" ? error.details[0]?.field : error._tag, "capability")
        }
      }))

    test("a list of ledger entries is in the order of the money, and with a kind or times in the order of time", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const wallet = yield* Wallet
        const runs = yield* Runs
        for (let n = 0; n < 3; n += 1) {
          providers.script("mock-email-find", hit())
          yield* Effect.zipRight(Effect.sleep("2 millis"), runs.create(principal, requestOf(job), 20))
        }
        const shown = Effect.fnUntraced(function* (filter: Parameters<typeof wallet.entries>[1]) {
          const entries: Array<Effect.Effect.Success<ReturnType<typeof wallet.entries>>["items"][number]> = []
          let after: string | null = null
          do {
            const page: Effect.Effect.Success<ReturnType<typeof wallet.entries>> = yield* wallet.entries(
              principal.workspaceId,
              filter,
              { limit: 2, after }
            )
            entries.push(...page.items)
            after = page.next
          } while (after !== null)
          return entries
        })
        const all = yield* shown({})
        assert.deepStrictEqual(
          all.map(({ kind }) => kind),
          ["charge", "release", "hold", "charge", "release", "hold", "charge", "release", "hold", "adjustment"]
        )
        assert.strictEqual(all[0]?.balanceAfterMicros, (yield* wallet.balance(principal.workspaceId)).availableMicros)
        for (const kind of ["charge", "release", "hold", "adjustment", "top_up"] as const)
          assert.deepStrictEqual(
            yield* shown({ kind }),
            all.filter((entry) => entry.kind === kind)
          )
        const [from, to] = [all[5]!.createdAt, all[2]!.createdAt]
        const within = all.filter(({ createdAt }) => createdAt >= from && createdAt < to)
        assert.deepStrictEqual(yield* shown({ fromMillis: from, toMillis: to }), within)
        assert.deepStrictEqual(
          yield* shown({ kind: "hold", fromMillis: from, toMillis: to }),
          within.filter(({ kind }) => kind === "hold")
        )
        assert.deepStrictEqual(yield* shown({ runId: all[0]!.runId! }), all.slice(0, 3))
        assert.deepStrictEqual(yield* shown({ runId: all[0]!.runId!, kind: "hold" }), all.slice(2, 3))
      }))
  })
