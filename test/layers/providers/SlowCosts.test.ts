// What a slow operation is charged, by every way in which its answers tell a cost and in which it can end.
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Micros } from "../../../src/domain/Micros.js"
import { costOf } from "../../../src/domain/Settlement.js"
import { costOfAnswer } from "../../../src/layers/providers/PriceByInput.js"
import { type CallEnd, callOf, callWith, endpointOf, engine, serve } from "./support.js"

const listed = 5000
const maxMicros = Micros.make(10_000)
const operation = {
  contentTypes: ["application/json", "application/pdf"],
  maxBytes: 20_000,
  price: { basis: "per_call", micros: listed, maxMicros: 10_000, source: "https://price.test" },
  async: {
    ticket: "body.id",
    poll: { path: "/v1/things/{id}" },
    done: "body.done",
    result: { path: "/v1/results/{id}" },
    intervalMs: 1,
    maxIntervalMs: 2
  },
  response: {
    errors: [{ when: "body.error", message: "body.error" }],
    costMicros: 'body.cost || headers."x-cost"'
  }
}

/** The cost that an answer tells, as it stands in its JSON. Undefined: it tells none. */
type Told = string | undefined

interface Answer {
  readonly status?: number
  readonly type?: string
  /** More members. */
  readonly body?: string
  readonly cost?: Told
  /** In its place: bytes that are no JSON. */
  readonly bytes?: string
  /** The cost, in a header. */
  readonly header?: string
}

interface Way {
  readonly start?: Answer
  readonly polls?: ReadonlyArray<Answer>
  /** The last one is repeated. */
  readonly result?: Answer
}

const write = (response: ServerResponse, { body, bytes, cost, header, status = 200, type }: Answer): void => {
  const members = [...(body === undefined ? [] : [body]), ...(cost === undefined ? [] : [`"cost":${cost}`])]
  response
    .writeHead(status, {
      "content-type": type ?? "application/json",
      ...(header === undefined ? {} : { "x-cost": header }),
      ...(status === 302 ? { location: "https://elsewhere.test/" } : {})
    })
    .end(status === 204 ? undefined : (bytes ?? `{${members.join(",")}}`))
}

/** What a call is charged: by its run, an answer costs its listed price where none was told, and a failure nothing. */
const chargeOf = (end: CallEnd) =>
  end._tag === "Answered"
    ? costOfAnswer(endpointOf({ operation }), { input: {}, maxMicros }, end)
    : costOf({ price: null, resultCount: null, evidence: end.cost, maxMicros })

/** Makes calls of one provider, one after the other. */
const calling = Effect.gen(function* () {
  let way: Way = {}
  let polled = 0
  const provider = yield* serve((seen, response) => {
    const { polls = [{}], result = {}, start = {} } = way
    if (seen.method === "POST") return write(response, { body: '"id":1', ...start })
    if (seen.url.startsWith("/v1/results")) return write(response, result)
    const at = Math.min(polled++, polls.length - 1)
    write(response, { ...(at === polls.length - 1 ? { body: '"done":true' } : {}), ...polls[at] })
  })
  const context = yield* Layer.build(engine(provider))
  return (next: Way) => {
    way = next
    polled = 0
    return Effect.provide(callWith(callOf({ operation })), context)
  }
})

describe("a slow operation costs the newest amount that its answers told", () => {
  const none = [0, null] as const
  const charges: ReadonlyArray<readonly [what: string, way: Way, charge: readonly [number, string | null]]> = [
    [
      "a file ends it, and its poll told 1e400",
      { polls: [{ cost: "1e400" }], result: { type: "application/pdf" } },
      [0, "1e400"]
    ],
    ["a poll told -4, and the next one nothing", { polls: [{ cost: "-4" }, {}] }, [0, "-4"]],
    ["a poll told 2000, and the next one a word", { polls: [{ cost: "2000" }, { cost: '"x"' }] }, [2000, '"x"']],
    ["its start told -4, and nothing else did", { start: { cost: "-4" } }, [0, "-4"]],
    ["its start told 1e400, and nothing else did", { start: { cost: "1e400" } }, [0, "1e400"]],
    ["its start told 7000 and its poll -1", { start: { cost: "7000" }, polls: [{ cost: "-1" }] }, [7000, "-1"]],
    ["its poll told 900 and its result -1", { polls: [{ cost: "900" }], result: { cost: "-1" } }, [900, "-1"]],
    ["its poll told -1 and its result 900", { polls: [{ cost: "-1" }], result: { cost: "900" } }, [900, "-1"]],
    ["its poll told more than is held", { polls: [{ cost: "70000" }] }, [10_000, "70000"]],
    ["its start was refused with a cost", { start: { status: 429, cost: "300" } }, [300, null]],
    ["a poll of 401 told 800", { polls: [{ status: 401, cost: "800" }] }, [800, null]],
    ["polls of 500 told 800 until it gave up", { polls: [{ status: 500, cost: "800" }] }, [800, null]],
    ["a poll of 500 told 800, and the next one nothing", { polls: [{ status: 500, cost: "800" }, {}] }, [800, null]],
    ["a poll told 600, and the next one was 402", { polls: [{ cost: "600" }, { status: 402 }] }, [600, null]],
    ["nothing told a cost, and it succeeded", {}, [listed, null]],
    ["nothing told a cost, and its start was an error", { start: { status: 400 } }, none],
    ["nothing told a cost, and its result was an error", { result: { status: 404 } }, none],
    ["nothing told a cost, and its result cannot be read", { result: { type: "text/html" } }, none]
  ]
  for (const [what, way, charge] of charges)
    it.scopedLive(`where ${what}: ${charge[0]}`, () =>
      Effect.gen(function* () {
        const { anomaly, micros } = chargeOf(yield* (yield* calling)(way))
        assert.deepStrictEqual([micros, anomaly], [...charge])
      })
    )

  /** How it ends, and what it costs where nothing told a cost. `cost` is what the last answer tells, where it can. */
  const large = " ".repeat(30_000)
  const ends: ReadonlyArray<readonly [what: string, untold: number, way: (cost: Told) => Way]> = [
    ["a result", listed, (cost) => ({ result: { cost } })],
    ["a file", listed, (cost) => ({ result: { type: "application/pdf", bytes: "%PDF", ...inHeader(cost) } })],
    ["an empty 204, a miss", 0, (cost) => ({ result: { status: 204, ...inHeader(cost) } })],
    ["a result of 401", 0, (cost) => ({ result: { status: 401, cost } })],
    ["a result of 404", 0, (cost) => ({ result: { status: 404, cost } })],
    ["results of 429", 0, (cost) => ({ result: { status: 429, cost } })],
    ["results of 500", 0, (cost) => ({ result: { status: 500, cost } })],
    ["a result that is an error", 0, (cost) => ({ result: { body: '"error":"no"', cost } })],
    ["a result of another type", 0, (cost) => ({ result: { type: "text/html", cost } })],
    ["a result that is no JSON", 0, (cost) => ({ result: { bytes: "{", ...inHeader(cost) } })],
    ["a redirect", 0, (cost) => ({ result: { status: 302, cost } })],
    ["a result that is too large", 0, (cost) => ({ result: { bytes: large, ...inHeader(cost) } })],
    ["polls that are too large", 0, (cost) => ({ polls: [{}, { bytes: large, ...inHeader(cost) }] })],
    ["a poll of 404", 0, (cost) => ({ polls: [{}, { status: 404, cost }] })],
    ["polls of 503", 0, (cost) => ({ polls: [{}, { status: 503, cost }] })],
    ["a poll that is an error", 0, (cost) => ({ polls: [{}, { body: '"error":"no"', cost }] })],
    ["a poll that is redirected", 0, (cost) => ({ polls: [{}, { status: 302, cost }] })]
  ]
  const inHeader = (cost: Told): Pick<Answer, "header"> => (cost === undefined ? {} : { header: cost })
  const tellings: ReadonlyArray<Told> = [undefined, "0", "900", "70000", "-4", "1e400", "9007199254740993"]
  const isAmount = (told: string): boolean => Number(told) >= 0 && Number(told) <= Number.MAX_SAFE_INTEGER

  for (const [what, untold, way] of ends)
    it.scopedLive(`however it ends: with ${what}`, () =>
      Effect.gen(function* () {
        const ended = yield* calling
        for (const start of [undefined, "900", "-4"])
          for (const polled of tellings)
            for (const last of [undefined, "300", "-1"]) {
              const { polls = [{}], ...others } = way(last)
              const { anomaly, micros } = chargeOf(
                yield* ended({
                  ...others,
                  start: { cost: start },
                  polls: [{ ...polls[0], cost: polled }, ...polls.slice(1)]
                })
              )
              const told = [start, polled, last].filter((each) => each !== undefined)
              const amount = told.filter(isAmount).at(-1)
              const due = amount !== undefined ? Number(amount) : told.length > 0 ? 0 : untold
              const isOdd = !told.every(isAmount) || due > maxMicros
              assert.deepStrictEqual(
                [micros, anomaly !== null],
                [Math.min(due, maxMicros), isOdd],
                `told: ${JSON.stringify([start, polled, last])}`
              )
            }
      })
    )
})
