/**
 * Runs of a job with a provider that gives its results in pages and one that does not: what is quoted, held, charged
 * and shown on the receipt, whatever the runs are stored in. The providers answer on a socket.
 */
import type { ServerResponse } from "node:http"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Either, HashMap, Layer, Logger, Option, type Scope } from "effect"
import { describe } from "vitest"
import { attemptList, runBody } from "../../src/http/runs/ShownRun.js"
import { decodeCatalog } from "../../src/layers/catalog/ManifestReading.js"
import { EngineInMemory } from "../../src/layers/compose/MemoryGateway.js"
import { ProvidersHttp } from "../../src/layers/providers/ProvidersHttp.js"
import { Runs } from "../../src/services/Runs.js"
import type { RunDetail } from "../../src/services/RunStore.js"
import { Wallet } from "../../src/services/Wallet.js"
import { json, type Seen, serve } from "../layers/providers/support.js"
import { funded, requestOf, type Storage } from "../support/engine.js"
import { eventually } from "../support/eventually.js"

const input = "{ type: object, properties: { q: { type: string }, limit: { type: integer }, at: {} } }"
const providers = [
  `id: alpha
name: Alpha
baseUrl: https://alpha.test
operations:
  - id: alpha-list
    name: Alpha list
    summary: Lists things page by page.
    job: thing.list
    method: GET
    path: /alpha
    input: ${input}
    price: { basis: per_result, micros: 10, perCallMicros: 100, maxMicros: 300, source: "https://alpha.test" }
    volume: { field: limit, default: 10, max: 100 }
    pages: { items: body.things, size: 10, next: { by: cursor, cursor: body.next, field: at } }
    response: { miss: "body.things == \`[]\`", resultCount: length(body.things), costMicros: body.cost }
`,
  `id: beta
name: Beta
baseUrl: https://beta.test
operations:
  - id: beta-list
    name: Beta list
    summary: Lists things at once.
    job: thing.list
    method: GET
    path: /beta
    input: ${input}
    price: { basis: per_call, micros: 5000, source: "https://beta.test" }
    response: { success: body.things }
`
]
const job = `id: thing.list
title: List of things
category: test
platform: things
description: Lists things.
exampleInput: { q: tea }
`
const content = decodeCatalog({
  jobs: [{ file: "thing.list.yaml", text: job }],
  providers: providers.map((text, at) => ({ file: `${["alpha", "beta"][at]}.yaml`, text }))
})

type Respond = (page: number, response: ServerResponse) => void

/** The page that a request of alpha asks for, from 1; 0 for beta. */
const pageOf = (seen: Seen): number =>
  seen.url.startsWith("/beta") ? 0 : Number(new URL(seen.url, "http://x.test").searchParams.get("at") ?? 1)

const things = (page: number, count = 10) => Array.from({ length: count }, (_, at) => ({ id: page * 100 + at }))

export const pagedRunsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (
      title: string,
      respond: Respond,
      work: (asked: () => ReadonlyArray<number>) => Effect.Effect<void, unknown, Runs | Storage | Scope.Scope>
    ) =>
      it.scopedLive(title, () =>
        Effect.gen(function* () {
          const here = yield* serve((seen, response) => respond(pageOf(seen), response))
          const engine = EngineInMemory({
            providers: ProvidersHttp({
              origins: { "https://alpha.test": here.origin, "https://beta.test": here.origin }
            }),
            content: Effect.orDie(Either.map(content, (read) => read))
          })
          yield* Effect.provide(
            Effect.gen(function* () {
              yield* work(() => here.requests.map(pageOf))
              const { difference, driftMicros } = yield* (yield* Wallet).verify
              assert.deepStrictEqual([driftMicros, difference], [0, null])
            }),
            Layer.provideMerge(engine, storage)
          )
        })
      )

    const fallback = {
      enabled: true,
      maxAttempts: 2,
      maxCostMicros: null,
      prefer: "cheapest",
      exclude: [],
      stopAtFirstMiss: false
    } as const
    const asking = (limit: number) => requestOf("job:thing.list", { input: { q: "tea", limit }, fallback })
    const started = (limit: number) =>
      Effect.gen(function* () {
        const runs = yield* Runs
        const principal = yield* funded(1_000_000)
        const quote = yield* runs.quote(principal, asking(limit))
        const created = yield* runs.create(principal, asking(limit), 20)
        return { principal, quote, created, detail: yield* runs.get(principal.workspaceId, created.run.runId) }
      })
    const moneyOf = ({ run }: RunDetail) =>
      Effect.flatMap(Wallet, (wallet) =>
        Effect.map(wallet.entries(run.workspaceId, { runId: run.runId }, { limit: 20, after: null }), ({ items }) =>
          items.map(({ amountMicros, kind }) => [kind, amountMicros]).reverse()
        )
      )
    const shownPages = (detail: RunDetail) => ({
      run: runBody(detail).pages,
      attempts: attemptList(detail).attempts.map(({ receipt }) => receipt?.pages)
    })
    /** Three pages of alpha, each as dear as a page can be, and one call of beta. */
    const held = 3 * 300 + 5000

    test(
      "holds the dearest pages, charges what they cost, and says how many there were",
      (page, response) => json(response, 200, { things: things(page, page === 3 ? 5 : 10), next: page + 1 }),
      (asked) =>
        Effect.gen(function* () {
          const { detail, quote } = yield* started(25)
          assert.deepStrictEqual(asked(), [1, 2, 3])
          assert.deepStrictEqual([detail.run.holdMicros, quote.holdMicros], [held, held])
          assert.deepStrictEqual(
            [detail.run.status, detail.run.outcome, detail.run.chargeMicros],
            ["completed", "hit", 3 * 100 + 25 * 10]
          )
          assert.deepStrictEqual(yield* moneyOf(detail), [
            ["hold", -detail.run.holdMicros],
            ["release", detail.run.holdMicros],
            ["charge", -550]
          ])
          assert.deepStrictEqual(shownPages(detail), {
            run: { read: 3, complete: true },
            attempts: [{ read: 3, complete: true }]
          })
        })
    )

    test(
      "goes on to a provider without pages after a miss, and says nothing of pages",
      (page, response) => json(response, 200, { things: page === 0 ? things(0, 3) : [] }),
      (asked) =>
        Effect.gen(function* () {
          const { detail } = yield* started(25)
          assert.deepStrictEqual(asked(), [1, 0])
          assert.deepStrictEqual(
            [detail.run.servedEndpointId, detail.run.outcome, detail.run.chargeMicros],
            ["beta-list", "hit", 5000]
          )
          assert.deepStrictEqual(
            detail.attempts.map(({ costMicros, outcome }) => `${outcome} ${costMicros}`),
            ["miss 0", "hit 5000"]
          )
          assert.deepStrictEqual(shownPages(detail), { run: undefined, attempts: [undefined, undefined] })
          assert.notInclude(JSON.stringify([runBody(detail), attemptList(detail)]), '"pages"')
        })
    )

    test(
      "delivers and charges the pages that came before one that fails, and says that it is not all",
      (page, response) =>
        page === 3 ? json(response, 404, {}) : json(response, 200, { things: things(page), next: page + 1, cost: 250 }),
      (asked) =>
        Effect.gen(function* () {
          const { detail } = yield* started(25)
          assert.deepStrictEqual(asked(), [1, 2, 3])
          assert.deepStrictEqual([detail.run.outcome, detail.run.chargeMicros], ["hit", 500])
          assert.include(detail.run.outcomeReason ?? "", "It is not all: page 3 failed")
          assert.deepStrictEqual(shownPages(detail), {
            run: { read: 2, complete: false },
            attempts: [{ read: 2, complete: false }]
          })
        })
    )

    test(
      "asks for no page that its own provider's maximum does not cover, though the hold of the run does",
      (page, response) => json(response, 200, { things: things(page, 5), next: page + 1, cost: 300 }),
      (asked) =>
        Effect.gen(function* () {
          const { detail } = yield* started(25)
          assert.deepStrictEqual(asked(), [1, 2, 3])
          assert.deepStrictEqual([detail.run.holdMicros, detail.run.chargeMicros], [held, 900])
          assert.deepStrictEqual(shownPages(detail).run, { read: 3, complete: false })
        })
    )

    it.scopedLive("the log warns of a cost that is not charged as it is told, which is never a refund", () =>
      Effect.gen(function* () {
        let cost: unknown = null
        const here = yield* serve((_, response) => json(response, 200, { things: things(1), cost }))
        const warned: Array<unknown> = []
        const spy = Logger.make(({ annotations, logLevel }) => {
          if (logLevel.label === "WARN")
            warned.push(["told", "chargedMicros"].map((name) => Option.getOrNull(HashMap.get(annotations, name))))
        })
        const engine = EngineInMemory({
          providers: ProvidersHttp({ origins: { "https://alpha.test": here.origin } }),
          content: Effect.orDie(Either.map(content, (read) => read))
        }).pipe(Layer.provide(Logger.replace(Logger.defaultLogger, spy)))
        yield* Effect.provide(
          Effect.gen(function* () {
            const runs = yield* Runs
            const principal = yield* funded(1_000_000)
            for (const [told, charged, warning] of [
              [150, 150, null],
              ["150", 150, null],
              [150.5, 151, null],
              [-5, 0, "-5"],
              ["much", 0, '"much"'],
              [true, 0, "true"],
              [9_999, 300, "9999"]
            ] as const) {
              cost = told
              warned.length = 0
              const request = requestOf("alpha-list", { input: { q: "tea", limit: 10 } })
              const { run } = yield* runs.create(principal, request, 20)
              assert.deepStrictEqual([run.chargeMicros, run.holdMicros], [charged, 300] as Array<unknown>, String(told))
              assert.deepStrictEqual(warned, warning === null ? [] : [[warning, charged]], String(told))
            }
          }),
          Layer.provideMerge(engine, storage)
        )
      })
    )

    for (const [told, charged] of [
      [250, 500],
      [100_000, 600],
      [undefined, 0]
    ] as const)
      it.scopedLive(
        `a cancel between pages charges what their answers told, ${told ?? "nothing"} each: ${charged}`,
        () =>
          Effect.gen(function* () {
            const asksThird = yield* Deferred.make<void>()
            const here = yield* serve((seen, response) => {
              const page = pageOf(seen)
              if (page === 3) return Deferred.unsafeDone(asksThird, Effect.void)
              json(response, 200, {
                things: things(page),
                next: page + 1,
                ...(told === undefined ? {} : { cost: told })
              })
            })
            const engine = EngineInMemory({
              providers: ProvidersHttp({ origins: { "https://alpha.test": here.origin } }),
              content: Effect.orDie(Either.map(content, (read) => read))
            })
            yield* Effect.provide(
              Effect.gen(function* () {
                const runs = yield* Runs
                const principal = yield* funded(1_000_000)
                const { run } = yield* runs.create(principal, asking(25), 0)
                yield* Deferred.await(asksThird)
                yield* runs.cancel(principal.workspaceId, run.runId)
                const detail = yield* eventually(
                  runs.get(principal.workspaceId, run.runId),
                  (seen) => seen.run.completedAt !== null
                )
                assert.deepStrictEqual(
                  [detail.run.status, detail.run.error?.code, detail.run.chargeMicros, detail.attempts[0]?.costMicros],
                  ["failed", "cancellation_requested_after_dispatch", charged, charged]
                )
                assert.isNull(detail.run.result)
                assert.isString(detail.attempts[0]?.receipt?.responseDigest)
                const { driftMicros } = yield* (yield* Wallet).verify
                assert.strictEqual(driftMicros, 0)
              }),
              Layer.provideMerge(engine, storage)
            )
          })
      )
  })
