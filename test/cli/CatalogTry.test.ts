/** `catalog try`: one call of a manifest on a real socket, with everything shown but the keys. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert } from "vitest"
import { parse, stringify } from "yaml"
import { lintCatalog } from "../../src/layers/catalog/CatalogLint.js"
import { decodeCatalog } from "../../src/layers/catalog/ManifestReading.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { withLogLines } from "../support/logLines.js"
import { cli, CommandLineTest, json } from "./commandLine.js"

const place = mkdtempSync(join(tmpdir(), "gateway-try-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))

const key = "sk_live_0123456789"

const price = { basis: "per_call", micros: 5000, source: "https://shop.example/pricing" }
const provenance = { docs: "https://shop.example/docs", verified: false }
const items = {
  id: "shop-items",
  name: "Items",
  summary: "Finds items of the shop.",
  method: "GET",
  path: "/v1/items",
  input: { type: "object", required: ["q"], properties: { q: { type: "string" } } },
  price,
  response: { success: "body.items", errors: [{ when: "body.error", message: "body.error" }] },
  provenance,
  samples: { hit: { input: { q: "tea" }, body: { items: [] }, outcome: "hit" } }
}
const order = {
  ...items,
  id: "shop-order",
  method: "POST",
  path: "/v1/orders",
  effect: "effectful",
  repeatable: false,
  response: {}
}
const report = {
  ...items,
  id: "shop-report",
  path: "/v1/reports",
  response: { success: "body.rows" },
  async: {
    ticket: "body.id",
    poll: { path: "/v1/reports/{id}" },
    done: "body.state == 'done'",
    result: { path: "/v1/reports/{id}/rows" },
    intervalMs: 5
  },
  samples: {}
}
/** A manifest in a folder of its own; its answers come from `respond`. */
const manifest = (name: string, provider: object) => {
  const folder = join(place, name, "providers")
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "shop.yaml")
  writeFileSync(
    file,
    stringify({
      id: "shop",
      name: "Shop",
      baseUrl: "https://api.shop.example",
      auth: { type: "bearer" },
      operations: [items, order, report],
      ...provider
    })
  )
  return file
}

interface Got {
  readonly method: string
  readonly url: string
  readonly authorization: string
}

/** A local server with its address and what it got. */
const serving = (
  respond: (
    got: Got,
    nth: number
  ) => { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
) =>
  Effect.suspend(() => {
    const got: Array<Got> = []
    const server = http.createServer((request, response) => {
      request.resume()
      request.once("end", () => {
        const { headers, method = "", url = "" } = request
        got.push({ method, url, authorization: headers.authorization ?? "" })
        const {
          body,
          headers: more,
          status = 200
        } = respond({ method, url, authorization: headers.authorization ?? "" }, got.length)
        response.writeHead(status, {
          "content-type": "application/json",
          "x-echo": headers.authorization ?? "",
          ...more
        })
        response.end(JSON.stringify(body))
      })
    })
    return Effect.map(listenLocally(server), (port) => ({ got, port, url: `http://127.0.0.1:${port}` }))
  })

/** The cost that a call which failed is said to have. */
const costTold = (line: ReadonlyArray<string>) =>
  Effect.map(cli([...line, "--json"]), ({ code, out: [text = ""] }) => {
    assert.strictEqual(code, 1)
    return JSON.parse(text).costMicros as unknown
  })

layer(CommandLineTest, { excludeTestServices: true })("catalog try", (it) => {
  it.scoped("shows the request, the answer, the outcome and the price, and the key nowhere", () =>
    Effect.gen(function* () {
      const { got, url } = yield* serving(({ authorization }) => ({ body: { items: [1], you: authorization } }))
      const file = manifest("shown", {})
      const line = ["catalog", "try", file, "shop-items", "--base-url", url, "--key-env", "SHOP_KEY"]
      const settings = { SHOP_KEY: key }
      const { code, out } = yield* cli([...line, "--input", '{"q":"green tea"}'], { settings })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(got, [{ method: "GET", url: "/v1/items?q=green%20tea", authorization: `Bearer ${key}` }])
      const text = out.join("\n")
      assert.notInclude(text, key)
      for (const shown of [
        `> GET ${url}/v1/items?q=green%20tea`,
        `authorization: Bearer ${"*".repeat(8)}\n`,
        "< 200 after",
        "outcome: hit",
        "a run would hold $0.005 and cost $0.005",
        "1 attempt with 1 request"
      ])
        assert.include(text, shown)
      const told = yield* json(line, { settings })
      assert.deepInclude(told, { outcome: "hit", holdMicros: 5000, costMicros: 5000, attempts: 1 })
      assert.strictEqual(got.at(-1)?.url, "/v1/items?q=tea", "the sample's input is sent where none is given")
      assert.notInclude(JSON.stringify(told), key)
    })
  )

  it.scoped("shows the key in no name of a header that the provider sends back, as text and as JSON", () =>
    Effect.gen(function* () {
      const { url } = yield* serving(() => ({
        headers: { [`x-${key}`]: "yours", [`x-${Buffer.from(key).toString("hex")}`]: "yours" },
        body: { items: [1] }
      }))
      const line = ["catalog", "try", manifest("named", {}), "shop-items", "--base-url", url, "--key-env", "SHOP_KEY"]
      const settings = { SHOP_KEY: key }
      const told = JSON.stringify(yield* json(line, { settings })).toLowerCase()
      const shown = (yield* cli(line, { settings })).out.join("\n").toLowerCase()
      for (const each of [told, shown]) {
        assert.include(each, `x-${"*".repeat(key.length)}`)
        assert.notInclude(each, key.toLowerCase())
        assert.notInclude(each, Buffer.from(key).toString("hex"))
      }
    })
  )

  it.scoped("reads the key from standard input, and refuses one that does not fit", () =>
    Effect.gen(function* () {
      const { got, port } = yield* serving(() => ({ body: { items: [1] } }))
      const file = manifest("keys", { baseUrl: `http://127.0.0.1:${port}`, auth: { type: "basic" } })
      const line = ["catalog", "try", file, "shop-items", "--allow", `127.0.0.1:${port}`]
      const wrong = yield* cli(line, { input: "no-password" })
      assert.strictEqual(wrong.code, 1)
      assert.include(wrong.err.join("\n"), "the key must have the form user:password")
      assert.deepStrictEqual(got, [])
      const right = yield* cli(line, { input: "ada:open-sesame" })
      assert.strictEqual(right.code, 0, right.out.join("\n"))
      const sent = Buffer.from("ada:open-sesame").toString("base64")
      assert.strictEqual(got[0]?.authorization, `Basic ${sent}`)
      assert.notInclude(right.out.join("\n"), sent)
      assert.include(right.out.join("\n"), `let 127.0.0.1:${port} through`)
    })
  )

  it.scoped("shows that the access token was not given and why, and blots short tokens and secrets too", () =>
    Effect.gen(function* () {
      let answers = { status: 400, body: { error: "invalid_client", error_description: "no such client" } as object }
      const { got, port } = yield* serving(({ authorization, url }) =>
        url === "/token" ? answers : { body: { items: [1], you: authorization } }
      )
      const file = manifest("token", {
        baseUrl: `http://127.0.0.1:${port}`,
        auth: { type: "oauth2_client_credentials", tokenUrl: `http://127.0.0.1:${port}/token` }
      })
      const line = ["catalog", "try", file, "shop-items", "--allow", `127.0.0.1:${port}`]
      const sampled = [...line, "--save-sample", "hit"]
      const refused = yield* cli(sampled, { input: "client-1:pw12" })
      assert.strictEqual(refused.code, 1)
      const text = refused.out.join("\n")
      assert.include(
        text,
        `The operation was not called: it needs an access token, and http://127.0.0.1:${port}/token answered 400 {"error":"invalid_client"}`
      )
      assert.include(text, `> POST http://127.0.0.1:${port}/token`)
      assert.include(text, "1 attempt with 1 request")
      assert.include(text, "No sample was made: no answer came")
      assert.deepStrictEqual(
        got.map(({ url }) => url),
        ["/token"]
      )
      answers = { status: 401, body: { error: "wrong pw12" } }
      assert.include(
        (yield* cli(line, { input: "client-1:pw12" })).out.join("\n"),
        'answered 401 {"error":"wrong ********"}'
      )
      answers = { status: 200, body: { access_token: "spo1" } }
      const given = yield* cli(sampled, { input: "client-1:pw12" })
      assert.strictEqual(given.code, 0, given.out.join("\n"))
      assert.notInclude(given.out.join("\n"), "spo1")
      // As many signs for every key: the number of them would tell how long it is.
      assert.match(given.out.join("\n"), /authorization: Bearer \*{8}$/m)
      assert.strictEqual(got.at(-1)?.authorization, "Bearer spo1")
    })
  )

  it.scoped("calls no private address of a manifest that is not opened, and says what opens it", () =>
    Effect.gen(function* () {
      const { got, port } = yield* serving(() => ({ body: { items: [1] } }))
      const file = manifest("private", { baseUrl: `http://127.0.0.1:${port}` })
      const { code, logged, out } = yield* withLogLines((lines) =>
        Effect.map(cli(["catalog", "try", file, "shop-items"], { input: key }), (ended) => ({
          ...ended,
          logged: lines
        }))
      )
      assert.strictEqual(code, 1)
      // It is said in the answer, and not in a line of the log among it.
      assert.deepStrictEqual(logged, [])
      assert.include(out.join("\n"), "route_denied")
      assert.include(out.join("\n"), "--allow HOST:PORT")
      assert.deepStrictEqual(got, [])
    })
  )

  it.scoped("asks before an operation that changes something", () =>
    Effect.gen(function* () {
      const { got, url } = yield* serving(() => ({ body: { id: 7 } }))
      const line = ["catalog", "try", manifest("effects", {}), "shop-order", "--base-url", url]
      for (const typed of [{}, { answers: false }]) assert.strictEqual((yield* cli(line, typed)).code, 1)
      assert.deepStrictEqual(got, [])
      assert.strictEqual((yield* cli(line, { answers: true })).code, 0)
      assert.strictEqual((yield* cli([...line, "--yes"])).code, 0)
      assert.deepStrictEqual(
        got.map(({ method }) => method),
        ["POST", "POST"]
      )
    })
  )

  it.scoped("makes a sample of a slow operation that the check replays as it went", () =>
    Effect.gen(function* () {
      const { url } = yield* serving(({ url: path }, nth) => ({
        body:
          path === "/v1/reports?q=tea"
            ? { id: "r1" }
            : path.endsWith("/rows")
              ? { rows: [1, 2] }
              : { id: "r1", state: nth < 5 ? "running" : "done" }
      }))
      const file = manifest("samples", {})
      const told = yield* json([
        ...["catalog", "try", file, "shop-report", "--base-url", url],
        ...["--input", '{"q":"tea"}', "--save-sample", "hit"]
      ])
      assert.strictEqual(told["exchanges"].length, 6)
      assert.deepInclude(told["sample"], {
        input: { q: "tea" },
        start: { id: "r1" },
        polls: [
          { id: "r1", state: "running" },
          { id: "r1", state: "done" }
        ],
        body: { rows: [1, 2] },
        outcome: "hit"
      })
      const { out } = yield* cli([
        ...["catalog", "try", file, "shop-items", "--base-url", url],
        ...["--input", '{"q":"tea"}', "--save-sample", "error"]
      ])
      const yaml = out.join("\n").split("before you keep it.\n")[1] ?? ""
      assert.deepInclude(parse(yaml).samples.error, { outcome: "error", code: "invalid_response" })
      const lint = Effect.fnUntraced(function* (sample: object) {
        const replayed = { ...report, response: {}, samples: { hit: sample } }
        const text = readFileSync(manifest("replayed", { operations: [replayed] }), "utf8")
        const content = yield* decodeCatalog({ jobs: [], providers: [{ file: "shop.yaml", text }] })
        return (yield* lintCatalog(content)).map(({ message, path }) => `${path}: ${message}`)
      })
      assert.deepStrictEqual(yield* lint(told["sample"]), [])
      const early = yield* lint({ ...told["sample"], polls: [{ id: "r1", state: "done" }, { id: "r1" }] })
      assert.match(early.join("\n"), /^samples\.hit: asked 3 times/)
      const mixed = { ...told["sample"], body: { rows: [1], state: "done" } }
      delete mixed.polls
      assert.match((yield* lint(mixed)).join("\n"), /^samples\.hit\.polls: is needed/)
    })
  )

  it.scoped(
    "sends the examples of the fields where there is no sample, and asks for the input where there is none",
    () =>
      Effect.gen(function* () {
        const { got, port, url } = yield* serving(() => ({ body: { items: [1] } }))
        const without = (id: string, input: object) => ({ ...items, id, input, samples: {} })
        const q = { type: "string" }
        const file = manifest("examples", {
          operations: [
            without("shop-full", {
              type: "object",
              properties: {
                q: { ...q, examples: ["tea"] },
                size: { type: "integer", default: 5 },
                page: { type: "integer" }
              }
            }),
            without("shop-wanting", { type: "object", required: ["q"], properties: { q } }),
            without("shop-open", { type: "object", properties: { q } })
          ]
        })
        const line = ["--base-url", url, "--allow", `127.0.0.1:${port}`]
        const told = yield* json(["catalog", "try", file, "shop-full", ...line])
        assert.deepStrictEqual(
          got.map((each) => each.url),
          ["/v1/items?q=tea&size=5"]
        )
        assert.deepStrictEqual(told["opened"], [`127.0.0.1:${port}`])
        for (const [id, words] of [
          ["shop-wanting", /no example for q: give the input, such as --input '\{"q": …\}'$/],
          ["shop-open", /such as --input '\{"q": …\}', or --input '\{\}' for none$/]
        ] as const) {
          const { code, err } = yield* cli(["catalog", "try", file, id, ...line])
          assert.strictEqual(code, 1, id)
          assert.match(err.join("\n"), words)
        }
        assert.lengthOf(got, 1)
      })
  )

  it.scoped("makes a sample of a call in pages that the check replays, and the check says which page is amiss", () =>
    Effect.gen(function* () {
      let busy = 0
      const { url } = yield* serving(({ url: path }) => {
        const page = Number(/page=(\d+)/.exec(path)?.[1] ?? 1)
        if (page === 2 && busy++ === 0) return { status: 503, body: {} }
        return { body: { items: Array.from({ length: page < 3 ? 2 : 1 }, (_, at) => page * 10 + at) } }
      })
      const paged = {
        ...items,
        input: {
          type: "object",
          properties: { q: { type: "string" }, limit: { type: "integer" }, page: { type: "integer" } }
        },
        volume: { field: "limit", default: 2, max: 10 },
        pages: { items: "body.items", size: 2, next: { by: "page", field: "page" } }
      }
      const file = manifest("paged", { operations: [paged] })
      const told = yield* json([
        ...["catalog", "try", file, "shop-items", "--base-url", url],
        ...["--input", '{"q":"tea","limit":6}', "--save-sample", "hit"]
      ])
      const { sample } = told
      assert.strictEqual(told["exchanges"].length, 4)
      assert.deepStrictEqual(
        [sample.body, sample.pages.map(({ body }: { body: unknown }) => body)],
        [{ items: [10, 11] }, [{ items: [20, 21] }, { items: [30] }]]
      )
      const lint = Effect.fnUntraced(function* (hit: object, of: object = paged) {
        const text = readFileSync(manifest("paged-replayed", { operations: [{ ...of, samples: { hit } }] }), "utf8")
        const read = yield* decodeCatalog({ jobs: [], providers: [{ file: "shop.yaml", text }] })
        return (yield* lintCatalog(read)).map(({ message, path }) => `${path}: ${message}`).join("\n")
      })
      assert.strictEqual(yield* lint(sample), "")
      assert.match(
        yield* lint({ ...sample, pages: sample.pages.slice(0, 1) }),
        /a page 3 was asked for, and the sample has none/
      )
      const early = [{ body: { items: [20] } }, ...sample.pages.slice(1)]
      assert.match(yield* lint({ ...sample, pages: early }), /its page 3 was not asked for/)
      const misspelt = { ...paged, pages: { ...paged.pages, items: "body.itms" } }
      const { pages: _, ...alone } = sample
      assert.strictEqual(
        yield* lint({ ...alone, input: { q: "tea" } }, misspelt),
        "samples.hit.body: has no list at body.itms, where pages.items says that the results are"
      )
    })
  )

  it.scoped("makes a sample with the headers that the rules read, and without the others", () =>
    Effect.gen(function* () {
      const { url } = yield* serving(({ authorization, url: path }) => ({
        headers: {
          "x-rid": `r1 ${authorization}`,
          "x-cost": "700",
          "x-job": "j7",
          "x-other": "1",
          "set-cookie": "s=1"
        },
        body: path.startsWith("/v1/reports/") ? { state: "done", rows: [1] } : {}
      }))
      const success = 'headers."x-rid" && (body.rows || !(input.never))'
      const rules = { success, costMicros: 'to_number(headers."x-cost")', requestId: 'headers."x-rid"' }
      const file = (operation: object) =>
        manifest("headers", { operations: [{ ...items, response: rules, samples: {}, ...operation }] })
      const lint = Effect.fnUntraced(function* (path: string, hit: object) {
        const [operation] = parse(readFileSync(path, "utf8")).operations
        const text = readFileSync(file({ ...operation, samples: { hit } }), "utf8")
        const read = yield* decodeCatalog({ jobs: [], providers: [{ file: "shop.yaml", text }] })
        return (yield* lintCatalog(read)).map(({ message, path }) => `${path}: ${message}`)
      })
      for (const [operation, wanted] of [
        [{}, ["content-type", "x-cost", "x-rid"]],
        [{ response: { ...rules, requestId: "headers.* | [0]" } }, null],
        [
          {
            id: "shop-report",
            path: "/v1/reports",
            async: {
              ticket: 'headers."x-job"',
              poll: { path: "/v1/reports/{id}" },
              done: "body.state == 'done'",
              intervalMs: 5
            }
          },
          ["content-type", "x-cost", "x-job", "x-rid"]
        ]
      ] as const) {
        const path = file(operation)
        const { out, sample } = yield* json([
          ...["catalog", "try", path, "id" in operation ? operation.id : "shop-items", "--base-url", url],
          ...["--input", '{"q":"tea"}', "--save-sample", "hit"]
        ]).pipe(Effect.map((told) => ({ out: JSON.stringify(told), sample: told["sample"] })))
        assert.notInclude(out, "invented-key-0000")
        const kept = Object.keys(sample.headers).sort()
        if (wanted !== null) assert.deepStrictEqual(kept, [...wanted])
        else assert.includeMembers(kept, ["x-other", "x-rid"])
        assert.strictEqual(sample.costMicros, 700)
        assert.notIncludeMembers(kept, ["set-cookie"])
        assert.notIncludeMembers(kept, ["content-length"])
        assert.deepStrictEqual(yield* lint(path, sample), [])
      }
    })
  )

  it.effect("says what it did not do and why: a wrong operation, wrong inputs, a missing variable", () =>
    Effect.gen(function* () {
      const file = manifest("wrong", {})
      for (const [more, words] of [
        [["nope"], "shop.yaml has no operation nope; it has shop-items, shop-order, shop-report"],
        [["shop-items", "--input", "{"], "--input is not JSON"],
        [["shop-items", "--input", "[]"], "--input must be a JSON object"],
        [["shop-items", "--input", "{}"], "input.q is missing"],
        [["shop-items", "--key-env", "NO_SUCH_KEY"], "there is no environment variable NO_SUCH_KEY"],
        [["shop-items", "--key-env", "EMPTY_KEY"], "--key-env NAME, or give it on standard input"],
        [["shop-items", "--base-url", "ftp://a.example"], "--base-url must be an address"],
        [["shop-items", "--input-file", join(place, "none.json")], "none.json cannot be read"]
      ] as const) {
        const { code, err } = yield* cli(["catalog", "try", file, ...more], {
          input: key,
          settings: { EMPTY_KEY: "" }
        })
        assert.strictEqual(code, 1, words)
        assert.include(err.join("\n"), words)
      }
      const { code, err } = yield* cli(["catalog", "try", file, "shop-items", "--allow", "127.0.0.1"], { input: key })
      assert.deepStrictEqual([code, err.join("\n").includes("--allow: must be host:port")], [2, true])
    })
  )

  it.scoped("calls no operation that is not activated, unless an address is named", () =>
    Effect.gen(function* () {
      const { got, url } = yield* serving(() => ({ body: { items: [1] } }))
      const line = [
        "catalog",
        "try",
        manifest("inactive", { operations: [{ ...items, activated: false }] }),
        "shop-items"
      ]
      const { code, err } = yield* cli(line, { input: key })
      assert.strictEqual(code, 1)
      assert.include(err.join("\n"), "shop-items is not activated: write the provider's baseUrl")
      assert.deepStrictEqual(got, [])
      assert.strictEqual((yield* cli([...line, "--base-url", url])).code, 0)
    })
  )

  it.scoped("says that nobody knows whether a lost call was done only of an operation that changes something", () =>
    Effect.gen(function* () {
      const { url } = yield* serving(() => ({ headers: { "content-type": "text/html" }, body: {} }))
      const file = manifest("lost", {})
      const tried = (operation: string) => ["catalog", "try", file, operation, "--base-url", url, "--yes"]
      const read = (yield* cli(tried("shop-items"))).out.join("\n")
      assert.include(read, "a run would hold $0.005 and cost nothing\n")
      assert.notInclude(read, "nobody knows")
      assert.strictEqual(yield* costTold(tried("shop-items")), 0)
      const changed = (yield* cli(tried("shop-order"))).out.join("\n")
      assert.include(changed, "a run would hold $0.005 and cost nothing until somebody has found out")
      assert.include(changed, "and nobody knows whether it was done")
      assert.strictEqual(yield* costTold(tried("shop-order")), null)
    })
  )

  it.scoped("says what a failed call would cost whose answer tells it", () =>
    Effect.gen(function* () {
      const { url } = yield* serving(() => ({ body: { error: "spent all the same", cost: 700 } }))
      const costly = { ...items, response: { ...items.response, costMicros: "body.cost" } }
      const line = ["catalog", "try", manifest("costly", { operations: [costly] }), "shop-items", "--base-url", url]
      assert.include((yield* cli(line)).out.join("\n"), "a run would hold $0.005 and cost $0.0007")
      assert.strictEqual(yield* costTold(line), 700)
    })
  )
})
