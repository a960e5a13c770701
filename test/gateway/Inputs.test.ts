/**
 * What reaches a provider of what a client sent, on the whole gateway over HTTP, with the fixture that echoes its
 * input.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { startGateway } from "../support/gateway.js"

describe("an input that is made to look like paths", () => {
  it.scopedLive(
    "reaches the provider letter for letter, at once",
    () =>
      Effect.gen(function* () {
        const { call, funded } = yield* startGateway()
        const { token } = yield* funded(1_000_000)
        const echoed = (key: string, input: object) =>
          call("POST", "/v1/runs?wait=10", {
            token,
            headers: { "idempotency-key": key },
            body: { endpointId: "mock-echo", input }
          })
        const shapes: ReadonlyArray<readonly [name: string, input: object]> = [
          ["a position", { "x.200000000": 1 }],
          ["dotted names", { "a.b": 1, "a.c.0": { "d.e": 2 }, "..": 3, "a.": 4 }],
          [
            "names of what objects inherit",
            { constructor: 1, toString: "text", hasOwnProperty: null, valueOf: [], prototype: {} }
          ],
          ["many dotted names", Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`a.${n}.b`, n]))],
          ["a name of dots", { [".".repeat(100)]: 1 }]
        ]
        for (const [name, input] of shapes) {
          const { json, status } = yield* echoed(name, input)
          assert.deepStrictEqual(
            [status, json.status, json.outcome],
            [201, "completed", "hit"],
            `${name}: ${JSON.stringify(json.error)}`
          )
          assert.deepStrictEqual(json.result.input, input, name)
        }
      }),
    60_000
  )
})
