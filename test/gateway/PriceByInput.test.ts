/**
 * A price by input through the whole gateway over HTTP: quote, hold, charge, receipt, contract, comparison and tools of
 * agents show the same figure, and an input without a price sends nothing.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { temporaryFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

const manifest = (port: number) => `
id: voice
name: Voice
baseUrl: http://127.0.0.1:${port}
operations:
  - id: voice-speak
    name: Speak
    summary: Speaks a text.
    job: test.speak
    method: POST
    path: /speak
    input:
      type: object
      required: [text]
      properties: { text: { type: string }, clone: { type: boolean, default: false } }
    price: { basis: per_call, micros: 150, byInput: "length(input.text) * (input.clone && \`30\` || \`15\`)", maxMicros: 3000, source: test }
    response: { costMicros: body.cost }
    samples: { hit: { input: { text: "ten signs." }, body: { ok: true }, outcome: hit } }
  - id: voice-plain
    name: Speak plainly
    summary: Speaks a text, at one price.
    method: POST
    path: /speak
    input: { type: object, properties: { text: { type: string } } }
    price: { basis: per_call, micros: 2000, source: test }
  - id: voice-find
    name: Find voices
    summary: Finds voices.
    method: POST
    path: /find
    input: { type: object, properties: { limit: { type: integer }, options: { type: object }, batch: { type: array } } }
    price: { basis: per_result, micros: 100, source: test }
    volume: { field: limit, default: 15, max: 200 }
    response: { resultCount: length(body.items) }
`

it.scopedLive(
  "one figure everywhere, and nothing is sent without one",
  () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      let answer = "{}"
      const server = createServer((request, response) => {
        request.resume()
        request.on("end", () => {
          sent.push(request.url ?? "")
          response.writeHead(200, { "content-type": "application/json" }).end(answer)
        })
      })
      const port = yield* listenLocally(server, 0)
      const folder = yield* temporaryFolder("priced-")
      mkdirSync(join(folder, "providers"))
      mkdirSync(join(folder, "jobs"))
      writeFileSync(
        join(folder, "jobs", "test.speak.yaml"),
        "id: test.speak\ntitle: Speak\ncategory: test\nplatform: test\ndescription: Speaks.\nexampleInput: { text: hello }\n"
      )
      writeFileSync(join(folder, "providers", "voice.yaml"), manifest(port))
      const { call, funded } = yield* startGateway({ catalogFolders: [folder], egressAllow: [`127.0.0.1:${port}`] })
      const { token } = yield* funded(100_000)
      let n = 0
      const post = (path: string, body: object) =>
        call("POST", path, { token, headers: { "idempotency-key": `k${n++}` }, body })
      const quote = (endpointId: string, input: object) =>
        Effect.map(post("/v1/runs/quote", { endpointId, input }), ({ json }) => json)
      const run = (body: object) => Effect.map(post("/v1/runs?wait=10", body), ({ json }) => json)
      const balance = Effect.map(call("GET", "/v1/balance", { token }), ({ json }) => json)

      const input = { text: "a".repeat(40), clone: true }
      const quoted = yield* quote("voice-speak", input)
      assert.deepStrictEqual([quoted.holdMicros, quoted.route.candidates[0].maxMicros], [1_200, 1_200])
      const before = (yield* balance).availableMicros
      const hit = yield* run({ endpointId: "voice-speak", input })
      assert.deepStrictEqual([hit.status, hit.outcome, hit.actualCost], ["completed", "hit", 0.0012])
      const shown = (yield* call("GET", `/v1/runs/${hit.runId}/attempts`, { token })).json
      assert.deepStrictEqual(
        shown.attempts.map((attempt: { costMicros: number }) => attempt.costMicros),
        [1_200]
      )
      assert.strictEqual(before - (yield* balance).availableMicros, 1_200)

      // What the provider says counts up to what was held, as with every price.
      answer = '{"cost":700}'
      assert.strictEqual((yield* run({ endpointId: "voice-speak", input })).actualCost, 0.0007)
      answer = '{"cost":5000}'
      assert.strictEqual((yield* run({ endpointId: "voice-speak", input })).actualCost, 0.0012)
      answer = "{}"

      const contract = (yield* call("GET", "/v1/operations/voice-speak", { token })).json
      assert.deepStrictEqual(
        [contract.estimatedMaxCost, contract.endpoint.price.amountMicros, contract.endpoint.price.maxMicros],
        [0.00015, 150, 3_000]
      )
      assert.include(contract.endpoint.price.estimateFormula, "at most $0.003 a call")
      assert.include(contract.endpoint.price.byInput, "length(input.text)")
      const row = (yield* call("GET", "/v1/catalog/endpoints?provider=voice", { token })).json.endpoints.find(
        ({ endpointId }: { endpointId: string }) => endpointId === "voice-speak"
      )
      assert.strictEqual(row.estimatedPrice, 0.00015)
      const compared = (yield* call("POST", "/v1/public-catalog/compare", {
        body: { catalogItemIds: ["voice-speak", "voice-plain"], input: { text: "a".repeat(190) } }
      })).json
      assert.deepStrictEqual(
        compared.items.map(({ maxCostUsd }: { maxCostUsd: number }) => maxCostUsd),
        [0.00285, 0.002]
      )
      assert.strictEqual(compared.cheapest, "voice-plain")

      // Above the maximum: a refusal that names the field, in the quote as in the run, alone and by its job.
      const calls = sent.length
      const long = { text: "a".repeat(201) }
      const refused = yield* run({ endpointId: "voice-speak", input: long })
      assert.deepStrictEqual(
        [refused.status, refused.error?.code, refused.actualCost ?? 0],
        ["failed", "validation_error", 0]
      )
      assert.include(refused.error.message, "input.text: makes the call cost $0.003015, and it may cost at most $0.003")
      assert.strictEqual((yield* quote("voice-speak", long)).error.code, "validation_error")
      assert.strictEqual((yield* run({ endpointId: "job:test.speak", input: long })).error?.code, "route_no_fit")
      // The cap of the caller works on the price of this input.
      const capped = { endpointId: "job:test.speak", fallback: { enabled: true, maxCostUsd: 0.001 } }
      assert.strictEqual((yield* run({ ...capped, input: { text: "a".repeat(70) } })).error?.code, "route_capped")
      assert.strictEqual(sent.length, calls, "nothing was sent")
      assert.strictEqual((yield* run({ ...capped, input: { text: "a".repeat(60) } })).status, "completed")

      // A volume is found where it stands, at any depth.
      for (const [asked, micros] of [
        [{}, 1_500],
        [{ options: { limit: 200 } }, 20_000],
        [{ batch: Array.from({ length: 200 }, () => "x") }, 20_000],
        [{ batch: [{ query: "a", page_size: 200 }] }, 20_000]
      ] as const)
        assert.strictEqual((yield* quote("voice-find", asked)).holdMicros, micros)
      assert.strictEqual((yield* balance).reservedMicros, 0)
    }),
  60_000
)
