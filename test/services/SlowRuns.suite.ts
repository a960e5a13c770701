/**
 * Runs of a slow operation that end before its last answer: they are charged what its answers told until then, and
 * their receipts say that something was sent, whatever the runs are stored in. The provider answers on a socket.
 */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Either, Layer } from "effect"
import { describe } from "vitest"
import type { Json } from "../../src/domain/Json.js"
import { decodeCatalog } from "../../src/layers/catalog/ManifestReading.js"
import { EngineInMemory } from "../../src/layers/compose/MemoryGateway.js"
import { ProvidersHttp } from "../../src/layers/providers/ProvidersHttp.js"
import { Runs } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { json, serve } from "../layers/providers/support.js"
import { funded, requestOf, type Storage } from "../support/engine.js"
import { eventually } from "../support/eventually.js"

const operation = (id: string, more: string) => `
  - id: ${id}
    name: Slow
    summary: Takes a while.
    method: POST
    path: /jobs
    input: { type: object, properties: { q: { type: string } } }
    price: { basis: per_call, micros: 1000, maxMicros: 9000, source: "https://slow.test" }
    response: { success: body.found, costMicros: "body.credits * \`1000\`" }
    async: { ticket: body.id, poll: { path: "/jobs/{id}" }, done: body.done, intervalMs: 5, maxIntervalMs: 5${more} }`
const content = decodeCatalog({
  jobs: [],
  providers: [
    {
      file: "slow.yaml",
      text: `
id: slow
name: Slow
baseUrl: https://slow.test
operations:${operation("slow-job", `, cancel: { method: DELETE, path: "/jobs/{id}" }`)}${operation(
        "slow-short",
        ", totalMs: 1000"
      )}
`
    }
  ]
})

interface Answers {
  readonly start: Json
  /** Of the polls in their order; the last one is repeated. */
  readonly polls: ReadonlyArray<Json>
  readonly cancel: readonly [status: number, body: Json]
}

export const slowRunsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const ended = (endpointId: string, { cancel, polls, start }: Answers, cancels: boolean) =>
      Effect.gen(function* () {
        const polled = yield* Deferred.make<void>()
        let asked = 0
        const here = yield* serve((seen, response) => {
          if (seen.method === "POST") return json(response, 202, start)
          if (seen.method === "DELETE") return json(response, ...cancel)
          // When one more poll is asked for, the answers before it were read.
          if (asked === polls.length) Deferred.unsafeDone(polled, Effect.void)
          json(response, 200, polls[Math.min(asked, polls.length - 1)] ?? {})
          asked += 1
        })
        const engine = EngineInMemory({
          providers: ProvidersHttp({ origins: { "https://slow.test": here.origin } }),
          content: Effect.orDie(Either.map(content, (read) => read))
        })
        return yield* Effect.provide(
          Effect.gen(function* () {
            const runs = yield* Runs
            const principal = yield* funded(1_000_000)
            const { run } = yield* runs.create(principal, requestOf(endpointId, { input: { q: "tea" } }), 0)
            if (cancels) {
              yield* Deferred.await(polled)
              yield* runs.cancel(principal.workspaceId, run.runId)
            }
            const detail = yield* eventually(
              runs.get(principal.workspaceId, run.runId),
              (seen) => seen.run.completedAt !== null
            )
            const { difference, driftMicros } = yield* (yield* Wallet).verify
            assert.deepStrictEqual([driftMicros, difference], [0, null])
            assert.strictEqual(
              here.requests.some(({ method }) => method === "DELETE"),
              cancels
            )
            return detail
          }),
          Layer.provideMerge(engine, storage)
        )
      })

    const told = { done: false, credits: 4 }
    const silent = { done: false }
    for (const [what, answers, charged] of [
      ["what its polls told", { polls: [told, told] }, 4000],
      ["the cost that was told last", { polls: [{ done: false, credits: 2 }, told, silent] }, 4000],
      ["what its start told", { start: { id: 1, credits: 3 }, polls: [silent] }, 3000],
      ["what the provider said when it was cancelled there", { polls: [told], cancel: [200, { credits: 5 }] }, 5000],
      ["nothing of what a refused cancel says", { polls: [told], cancel: [409, { credits: 8 }] }, 4000],
      ["no more than is held", { polls: [{ done: false, credits: 4_000_000 }] }, 9000],
      ["nothing for a cost that is none", { polls: [{ done: false, credits: -4 }] }, 0],
      ["nothing when no cost was told", { polls: [silent, silent] }, 0]
    ] as const)
      it.scopedLive(`a cancel of a slow run charges ${what}`, () =>
        Effect.gen(function* () {
          const { attempts, run } = yield* ended(
            "slow-job",
            { start: { id: 1 }, cancel: [200, {}], ...answers } satisfies Answers,
            true
          )
          assert.deepStrictEqual([run.status, run.error?.code, run.chargeMicros, attempts[0]?.costMicros], [
            "failed",
            "cancellation_requested_after_dispatch",
            charged,
            charged
          ] as Array<unknown>)
          const receipt = attempts[0]?.receipt
          assert.match(receipt?.requestDigest ?? "", /^[0-9a-f]{64}$/)
          assert.match(receipt?.responseDigest ?? "", /^[0-9a-f]{64}$/)
          assert.isAbove(receipt?.requestBytes ?? 0, 0)
          assert.isAbove(receipt?.responseBytes ?? 0, 0)
        })
      )

    it.scopedLive("a slow run that takes too long is charged what its answers told", () =>
      Effect.gen(function* () {
        const { attempts, run } = yield* ended(
          "slow-short",
          { start: { id: 1, credits: 4 }, polls: [silent], cancel: [200, {}] },
          false
        )
        assert.deepStrictEqual([run.status, run.error?.code, run.chargeMicros], ["failed", "timeout", 4000])
        assert.isString(attempts[0]?.receipt?.requestDigest)
      })
    )
  })
