/** What searches learn from the runs of their workspace, whatever it is stored in. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { noFilter } from "../../src/domain/CatalogSearch.js"
import { hit, ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { Catalog } from "../../src/services/Catalog.js"
import { Runs } from "../../src/services/Runs.js"
import { SearchUses } from "../../src/services/SearchUses.js"
import { eventually } from "../support/eventually.js"
import { makeSetClock, type SetClock } from "../support/setClock.js"
import { engine, funded, principalOf, requestOf, type Storage } from "../support/engine.js"

const start = Date.UTC(2026, 5, 1)
const minute = 60_000
const day = 86_400_000

type Services = Layer.Layer.Success<ReturnType<typeof engine>> | Storage

const search = (principal: Principal, q = "fixture e-mail") =>
  Effect.flatMap(Catalog, (catalog) =>
    catalog.search({ ...noFilter, q, limit: 10, offset: 0, prefer: "balanced" }, principal)
  )
const address = { input: { email: "ada@example.com" } }
const run = (principal: Principal, endpointId: string) =>
  Effect.flatMap(Runs, (runs) =>
    runs.create(principal, requestOf(endpointId, endpointId === "mock-email-verify" ? address : {}), 0)
  )
const weights = (principal: Principal) =>
  Effect.flatMap(SearchUses, (uses) =>
    Effect.map(uses.weights(principal.workspaceId), (found) => Object.fromEntries(found))
  )
const learning = (on: boolean, principal: Principal) =>
  Effect.gen(function* () {
    yield* (yield* Accounts).setSearchLearning(principal.workspaceId, on, commandLine)
    return yield* principalOf(principal.workspaceId)
  })
const learner = Effect.flatMap(funded(1_000_000), (principal) => learning(true, principal))

/** Waits until everything noted before is written: one worker writes it in its order, and this comes last. */
const written = (principal: Principal) =>
  Effect.gen(function* () {
    const uses = yield* SearchUses
    const last = `last-${Math.random()}`
    yield* uses.shown(principal.workspaceId, [last])
    yield* uses.ran(principal.workspaceId, last)
    yield* eventually(uses.weights(principal.workspaceId), (found) => found.has(last))
    return Object.fromEntries(Object.entries(yield* weights(principal)).filter(([id]) => !id.startsWith("last-")))
  })

const raisedIn = ({ endpoints }: Effect.Effect.Success<ReturnType<typeof search>>) =>
  Object.fromEntries(
    endpoints.flatMap(({ endpointId, raisedByUse }) => (raisedByUse === undefined ? [] : [[endpointId, raisedByUse]]))
  )

export const searchUsesSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (title: string, work: Effect.Effect<void, unknown, Services>) =>
      it.effect(title, () => {
        const providers = ProvidersScripted()
        for (const id of ["mock-email-find", "mock-email-verify"]) providers.script(id, hit())
        return Effect.zipRight(
          TestClock.setTime(start),
          Effect.provide(work, Layer.provideMerge(engine(providers.layer), storage))
        )
      })

    const overDays = (title: string, work: (clock: SetClock) => Effect.Effect<void, unknown, Storage>) =>
      it.effect(title, () =>
        Effect.gen(function* () {
          const clock = yield* makeSetClock(() => Effect.void)
          clock.set(start)
          yield* Effect.withClock(Effect.provide(work(clock), storage), clock)
        })
      )
    const shownAndRan = (principal: Principal, between: Effect.Effect<void> = Effect.void) =>
      Effect.gen(function* () {
        const uses = yield* SearchUses
        yield* uses.shown(principal.workspaceId, ["a"])
        yield* written(principal)
        yield* between
        yield* uses.ran(principal.workspaceId, "a")
        return (yield* written(principal))["a"] ?? 0
      })

    overDays("a use counts half after 14 days and a quarter after 28, and the next one adds to what is left", (clock) =>
      Effect.gen(function* () {
        const principal = yield* learner
        assert.strictEqual(yield* shownAndRan(principal), 1)
        yield* clock.pass(14 * day)
        assert.strictEqual((yield* weights(principal))["a"], 0.5)
        assert.strictEqual(yield* shownAndRan(principal), 1.5)
        yield* clock.pass(28 * day)
        assert.strictEqual((yield* weights(principal))["a"], 0.375)
      })
    )

    overDays("a search counts for half an hour", (clock) =>
      Effect.gen(function* () {
        const [inTime, late] = [yield* learner, yield* learner]
        assert.strictEqual(yield* shownAndRan(inTime, clock.pass(30 * minute)), 1)
        assert.strictEqual(yield* shownAndRan(late, clock.pass(30 * minute + 1)), 0)
      })
    )

    test(
      "what was run after a search comes with a raise of w / (w + 1) of a tenth in the next one, where w is how often",
      Effect.gen(function* () {
        const principal = yield* learner
        assert.deepStrictEqual(raisedIn(yield* search(principal)), {})
        yield* run(principal, "mock-email-verify")
        assert.deepStrictEqual(yield* written(principal), { "mock-email-verify": 1 })
        assert.deepStrictEqual(raisedIn(yield* search(principal)), { "mock-email-verify": 0.05 })

        yield* run(principal, "mock-email-verify")
        assert.deepStrictEqual(yield* written(principal), { "mock-email-verify": 2 })
        assert.deepStrictEqual(raisedIn(yield* search(principal)), { "mock-email-verify": 0.0667 })
      })
    )

    test(
      "a run of a job raises the operations that do it, and discovery says so too",
      Effect.gen(function* () {
        const principal = yield* learner
        yield* (yield* Catalog).discover(
          { q: "find an e-mail address", limit: 5, prefer: "balanced", maxPriceMicros: null },
          principal
        )
        yield* run(principal, "job:people.email.find")
        assert.deepStrictEqual(yield* written(principal), { "job:people.email.find": 1 })
        const { operations } = yield* (yield* Catalog).discover(
          { q: "find an e-mail address", limit: 5, prefer: "balanced", maxPriceMicros: null },
          principal
        )
        const raised = operations.filter(({ raisedByUse }) => raisedByUse !== undefined)
        assert.isAbove(raised.length, 0)
        for (const { capability, raisedByUse } of raised) {
          assert.strictEqual(capability, "people.email.find")
          assert.strictEqual(raisedByUse, 0.05)
        }
      })
    )

    test(
      "a search counts once for each row; a run without a search counts nothing",
      Effect.gen(function* () {
        const principal = yield* learner
        yield* run(principal, "mock-email-verify")
        assert.deepStrictEqual(yield* written(principal), {})

        yield* search(principal)
        yield* run(principal, "mock-email-verify")
        yield* run(principal, "mock-email-verify")
        yield* run(principal, "mock-email-find")
        assert.deepStrictEqual(yield* written(principal), { "mock-email-verify": 1, "mock-email-find": 1 })
      })
    )

    test(
      "a refused run and a repeated request count nothing",
      Effect.gen(function* () {
        const principal = yield* learner
        yield* search(principal)
        const runs = yield* Runs
        const refused = yield* runs.create(principal, requestOf("mock-email-verify", { input: {} }), 0)
        assert.isNull(refused.run.plan)
        assert.deepStrictEqual(yield* written(principal), {})
        const request = requestOf("mock-email-verify", address)
        yield* runs.create(principal, request, 0)
        yield* search(principal)
        assert.isTrue((yield* runs.create(principal, request, 0)).replayed)
        assert.deepStrictEqual(yield* written(principal), { "mock-email-verify": 1 })
      })
    )

    test(
      "nothing is learned unless it is switched on, and switching it off forgets",
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        yield* search(principal)
        yield* run(principal, "mock-email-verify")
        const on = yield* learning(true, principal)
        assert.deepStrictEqual(yield* written(on), {})
        yield* search(on)
        yield* run(on, "mock-email-verify")
        assert.deepStrictEqual(yield* written(on), { "mock-email-verify": 1 })

        const off = yield* learning(false, on)
        assert.deepStrictEqual(raisedIn(yield* search(off)), {})
        assert.deepStrictEqual(yield* weights(off), {})
        // A search that began before it was switched off is not noted either.
        yield* search(on)
        yield* written(yield* learner)
        const again = yield* learning(true, off)
        yield* run(again, "mock-email-verify")
        assert.deepStrictEqual(yield* written(again), {})
      })
    )

    test(
      "another workspace learns nothing of it",
      Effect.gen(function* () {
        const [principal, other] = [yield* learner, yield* learner]
        yield* search(principal)
        yield* run(other, "mock-email-verify")
        yield* run(principal, "mock-email-verify")
        assert.deepStrictEqual(yield* written(principal), { "mock-email-verify": 1 })
        assert.deepStrictEqual(yield* written(other), {})
        assert.deepStrictEqual(raisedIn(yield* search(other)), {})
      })
    )
  })
