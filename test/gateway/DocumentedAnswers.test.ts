// Answers of a provider that does not keep to its documentation: who gets them, what is counted, and who sees it.
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { answerSchemaBytesMax } from "../../src/domain/limits/Calls.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { Catalog } from "../../src/services/Catalog.js"
import { EndpointStats } from "../../src/services/EndpointStats.js"
import { eventually } from "../support/eventually.js"
import { catalogFolder, temporaryFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"
import { signInAsOperator } from "../support/signIn.js"

const operation = (id: string, more = "") => `
  - id: ${id}
    name: ${id}
    summary: Says something.
    method: POST
    path: /say
    input: { type: object, properties: { n: { type: integer } } }
    price: { basis: per_call, micros: 10 }
${more}`
const outputSchema = `    outputSchema: { type: object, required: [id], properties: { id: { type: integer }, "tags": { type: array, items: { type: string } } } }`
const manifest = (port: number) => `
id: loose
name: Loose
baseUrl: http://127.0.0.1:${port}
operations:${operation("loose-say", outputSchema)}${operation("loose-strict", `${outputSchema}\n    response: { undocumented: refuse }`)}${operation(
  "loose-free",
  `    samples: { hit: { input: {}, body: { id: 1 }, outcome: hit } }`
)}`

it.scopedLive(
  "an answer that breaks its documented schema is passed on or refused, counted, and shown to operators with the first broken place",
  () =>
    Effect.gen(function* () {
      let answer = ""
      const server = createServer(
        (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(answer)
      )
      const port = yield* listenLocally(server, 0)
      const folder = yield* catalogFolder({ providers: { loose: manifest(port) } })
      const { call, funded, services, url } = yield* startGateway({
        catalogFolders: [folder],
        egressAllow: [`127.0.0.1:${port}`]
      })
      const { token } = yield* funded(1_000_000)
      let runs = 0
      const run = (endpointId: string, body: string) => {
        answer = body
        const n = ++runs
        return Effect.map(
          call("POST", "/v1/runs?wait=10", {
            token,
            headers: { "idempotency-key": `run-${n}` },
            body: { endpointId, input: { n } }
          }),
          ({ json }) => json
        )
      }
      const stats = Context.get(services, EndpointStats)
      const versionOf = (endpointId: string) =>
        Effect.map(Context.get(services, Catalog).endpoint(endpointId), (found) => found?.contractVersion ?? "none")
      const say = yield* versionOf("loose-say")
      const compared = (count: number) => eventually(stats.comparedAnswers, (all) => all.get(say)?.compared === count)

      const broken = yield* run("loose-say", '{"id":7,"tags":["a",{"ada@example.com":"secret"}]}')
      assert.deepStrictEqual([broken.status, broken.outcome, broken.actualCost], ["completed", "hit", 0.00001])
      assert.strictEqual(broken.result.tags[1]["ada@example.com"], "secret")
      const firstBreak = { place: "body.tags[]", message: "must be text" }
      assert.deepStrictEqual((yield* compared(1)).get(say), { compared: 1, broken: 1, firstBreak })
      assert.strictEqual((yield* run("loose-say", '{"id":7}')).status, "completed")
      // Too large to be looked at.
      yield* run("loose-say", `{"id":"${"x".repeat(answerSchemaBytesMax)}"}`)
      yield* run("loose-free", '{"id":"drawn"}')
      yield* run("loose-say", '{"id":8}')
      assert.deepStrictEqual((yield* compared(3)).get(say), { compared: 3, broken: 1, firstBreak })
      assert.isFalse((yield* stats.comparedAnswers).has(yield* versionOf("loose-free")))

      const refused = yield* run("loose-strict", '{"id":"secret"}')
      assert.deepStrictEqual([refused.status, refused.error.code], ["failed", "invalid_response"])
      assert.include(refused.error.message, "body.id must be a whole number")
      assert.notInclude(JSON.stringify(refused.error), "secret")
      assert.strictEqual(refused.actualCost, 0)

      const { text: metrics } = yield* call("GET", "/metrics")
      for (const [result, count] of [
        ["kept", 2],
        ["broken", 1],
        ["left_out", 1]
      ])
        assert.include(metrics, `gateway_answer_schema_checks_total{endpoint="loose-say",result="${result}"} ${count}`)
      assert.notInclude(metrics, 'endpoint="loose-free"')

      const { cookie } = yield* Effect.provide(signInAsOperator(), services)
      const page = (path: string) =>
        Effect.promise(async () => (await fetch(`${url}/console/operator/${path}`, { headers: { cookie } })).text())
      const providers = yield* page("providers?q=loose")
      for (const shown of ["Answers off their schema", "loose-say: body.tags[] must be text"])
        assert.include(providers, shown)
      assert.include(yield* page("providers?q=loose&format=csv"), "loose-say: body.tags[] must be text")
      const health = yield* page("health")
      for (const shown of ["Answers off their documented schema", "compared in 30 days"]) assert.include(health, shown)
    })
)

const strictly = "response: { undocumented: refuse }"
const refusing = (port: number) => `
id: strict
name: Strict
baseUrl: http://127.0.0.1:${port}
operations:${operation("strict-read", `${outputSchema}\n    ${strictly}`)}${operation(
  "strict-write",
  `${outputSchema}\n    effect: effectful\n    repeatable: false\n    ${strictly}`
)}${operation("empty-write", `${outputSchema}\n    effect: effectful\n    repeatable: false`)}
  - id: strict-pages
    name: Pages
    summary: Lists things.
    method: GET
    path: /list
    input: { type: object, properties: { n: { type: integer }, limit: { type: integer }, page: { type: integer } } }
    price: { basis: per_call, micros: 10 }
    volume: { field: limit, default: 4, max: 10 }
    pages: { items: body.things, size: 2, next: { by: page, field: page } }
    outputSchema: { type: object, required: [things], properties: { things: { type: array, items: { type: integer } } } }
    ${strictly}
  - id: counted-pages
    name: Counted pages
    summary: Lists things of which a page has two.
    method: GET
    path: /numbers
    input: { type: object, properties: { n: { type: integer }, limit: { type: integer }, page: { type: integer } } }
    price: { basis: per_call, micros: 10 }
    volume: { field: limit, default: 4, max: 10 }
    pages: { items: body.things, size: 2, next: { by: page, field: page } }
    outputSchema: { type: object, properties: { things: { type: array, maxItems: 2, items: { type: integer } } } }
`

it.scopedLive("an answer that is refused because it breaks its schema is counted, and an empty success is not", () =>
  Effect.gen(function* () {
    const server = createServer((request, response) => {
      const at = new URL(request.url ?? "/", "http://x.test")
      const page = at.searchParams.get("page")
      const pages = {
        "/list": { things: page === "2" ? [3, "secret"] : [1, 2] },
        "/numbers": { things: [page, 9].map(Number) }
      }
      const body = Object.entries(pages).find(([path]) => path === at.pathname)?.[1] ?? { id: "secret" }
      if (at.pathname === "/empty") response.writeHead(204).end()
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
    const port = yield* listenLocally(server, 0)
    const folder = yield* temporaryFolder("strict-")
    mkdirSync(join(folder, "providers"))
    const text = refusing(port).replace(/(id: empty-write[^]*?)path: \/say/, "$1path: /empty")
    writeFileSync(join(folder, "providers", "strict.yaml"), text)
    const { call, funded, services } = yield* startGateway({
      catalogFolders: [folder],
      egressAllow: [`127.0.0.1:${port}`]
    })
    const { token } = yield* funded(1_000_000)
    const run = (endpointId: string, n: number) =>
      Effect.map(
        call("POST", "/v1/runs?wait=10", {
          token,
          headers: { "idempotency-key": `${endpointId}-${n}` },
          body: { endpointId, input: { n } }
        }),
        ({ json }) => json
      )
    const stats = Context.get(services, EndpointStats)
    const catalog = Context.get(services, Catalog)
    const counted = (endpointId: string, count: number) =>
      Effect.gen(function* () {
        const version = (yield* catalog.endpoint(endpointId))?.contractVersion ?? "none"
        const all = yield* eventually(stats.comparedAnswers, (each) => (each.get(version)?.compared ?? 0) >= count)
        return all.get(version)
      })

    const empty = yield* run("empty-write", 1)
    assert.deepStrictEqual([empty.status, empty.outcome], ["completed", "hit"])
    for (const [endpointId, code] of [
      ["strict-read", "invalid_response"],
      ["strict-write", "provider_reported_error"]
    ] as const) {
      for (const n of [1, 2]) {
        const failed = yield* run(endpointId, n)
        assert.deepStrictEqual([failed.status, failed.error?.code], ["failed", code])
      }
      assert.deepStrictEqual(yield* counted(endpointId, 2), {
        compared: 2,
        broken: 2,
        firstBreak: { place: "body.id", message: "must be a whole number" }
      })
    }
    const whole = yield* run("counted-pages", 1)
    assert.deepStrictEqual([whole.pages, whole.result.things], [{ read: 2, complete: true }, [0, 9, 2, 9]])
    assert.deepInclude(yield* counted("counted-pages", 1), { compared: 1, broken: 0 })
    const paged = yield* run("strict-pages", 1)
    assert.deepStrictEqual([paged.status, paged.pages], ["completed", { read: 1, complete: false }])
    assert.deepStrictEqual(yield* counted("strict-pages", 1), {
      compared: 1,
      broken: 1,
      firstBreak: { place: "body.things[]", message: "must be a whole number" }
    })
    const { text: metrics } = yield* call("GET", "/metrics")
    for (const line of ['"strict-read",result="broken"} 2', '"strict-write",result="broken"} 2'])
      assert.include(metrics, `gateway_answer_schema_checks_total{endpoint=${line}`)
    assert.include(metrics, 'gateway_answer_schema_checks_total{endpoint="strict-pages",result="broken"} 1')
    // The empty answer came first, so that it would have been counted by now.
    assert.isUndefined(yield* counted("empty-write", 0))
    assert.notInclude(metrics, 'endpoint="empty-write",result="broken"} 1')
  })
)
