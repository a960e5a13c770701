/**
 * What a provider answers and what a client sends, through the whole gateway on Postgres: to the letter, and never
 * taken for a lost call.
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Either, Exit, Scope } from "effect"
import { createServer } from "node:http"
import { afterAll } from "vitest"
import { readJson, writeJson } from "../../src/domain/LosslessJson.js"
import { Database } from "../../src/layers/postgres/Database.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { catalogFolder } from "../support/folders.js"
import { type RunningGateway, startGateway } from "../support/gateway.js"

const price = 700

const manifest = (port: number): string => {
  const operation = {
    id: "pythia-ask",
    name: "Ask",
    summary: "Answers what the test says.",
    job: "company.enrich",
    method: "POST",
    path: "/ask",
    input: {
      type: "object",
      properties: {
        id: { type: "integer", minimum: 10 },
        share: { type: "number" },
        filled: { type: "string", default: "in" }
      }
    },
    price: { basis: "per_call", micros: price },
    contentTypes: ["application/json", "text/plain", "application/octet-stream"],
    response: {
      errors: [{ when: "body.failed", message: "body.words" }],
      missStatuses: [404],
      miss: "body.cost > `1e308`",
      weak: "body.weak",
      costMicros: "body.cost",
      requestId: "body.request"
    },
    output: { fields: { id: "body.id", name: "body.name || 'nobody'", ids: "body.list[?id > `5`].id" } }
  }
  const { job: _, output: __, ...plain } = operation
  const operations = [
    operation,
    { ...operation, id: "pythia-also" },
    { ...plain, id: "pythia-act", effect: "effectful", repeatable: false },
    { ...plain, id: "pythia-look", method: "GET", path: "/look" }
  ]
  return JSON.stringify({ id: "pythia", name: "Pythia", baseUrl: `http://127.0.0.1:${port}`, operations })
}

interface Said {
  readonly body: string | Buffer
  readonly type?: string
  readonly status?: number
}

/** A gateway whose provider answers what was last put into `says`, and keeps what it was sent. */
const start = (options: { readonly inlineResultBytes?: number } = {}) =>
  Effect.gen(function* () {
    const provider = {
      says: { body: "{}" } as Said,
      heard: [] as Array<{ readonly url: string; readonly body: string }>
    }
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        provider.heard.push({ url: request.url ?? "", body: Buffer.concat(chunks).toString("utf8") })
        response
          .writeHead(provider.says.status ?? 200, { "content-type": provider.says.type ?? "application/json" })
          .end(provider.says.body)
      })
    })
    const port = yield* listenLocally(server)
    const folder = yield* catalogFolder({ providers: { pythia: manifest(port) } })
    const gateway = yield* startGateway({ catalogFolders: [folder], egressAllow: [`127.0.0.1:${port}`], ...options })
    const { token, workspaceId } = yield* gateway.funded(1_000_000_000, { inflightLimit: 100 })
    return {
      gateway,
      provider,
      run: runs(gateway, token),
      get: (path: string) => gateway.call("GET", path, { token }),
      token,
      workspaceId
    }
  })

/** One for the tests of this file, which take turns. */
const life = Effect.runSync(Scope.make())
const shared = Effect.runSync(Effect.cached(Scope.extend(start(), life)))
afterAll(() => Effect.runPromise(Scope.close(life, Exit.void)))

let keys = 0

/** Sends a body as it is written, so that its numbers are those of the test. */
const runs =
  ({ url }: RunningGateway, token: string) =>
  (body: string, key = `key ${++keys}`) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/v1/runs?wait=20`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
        body
      })
      const text = await response.text()
      return { status: response.status, text, json: JSON.parse(text) }
    })

const ask = (endpointId: string, input = "{}"): string => `{"endpointId":"${endpointId}","input":${input}}`

/** The text of one member, with its numbers as they came over the wire. */
const memberText = (text: string, ...path: ReadonlyArray<string>): string => {
  let value = Either.getOrThrow(readJson(text))
  for (const name of path) value = (value as { readonly [name: string]: typeof value })[name] ?? null
  return writeJson(value)
}

it.scopedLive(
  "numbers keep their digits on the whole way, from a client's body to every view of the result",
  () =>
    Effect.gen(function* () {
      const { get, provider, run } = yield* shared
      const answer = `{"id":9007199254740993,"name":"Ada","share":0.12345678901234567890,"far":1e400,"list":[{"id":12345678901234567890},{"id":4},{"id":9007199254740995}]}`
      provider.says = { body: answer }
      const input = `{"id":9007199254740993,"share":0.1000000000000000055511151231257827,"nested":[{"deep":[-1e400,100000000000000000000000]}]}`
      const made = yield* run(ask("pythia-ask", input))
      assert.deepStrictEqual([made.status, made.json.status, made.json.outcome], [201, "completed", "hit"])
      assert.strictEqual(provider.heard.at(-1)?.body, input.replace(/\}$/, ',"filled":"in"}'))
      const [shown, listed, trimmed] = [
        yield* get(`/v1/runs/${made.json.runId}`),
        yield* get("/v1/runs?includeResult=true"),
        yield* get(`/v1/runs/${made.json.runId}?fields=id,list.id&max_items=1`)
      ]
      for (const { text } of [made, shown]) {
        assert.strictEqual(memberText(text, "result"), answer)
        assert.strictEqual(memberText(text, "normalized", "fields", "id"), "9007199254740993")
        assert.strictEqual(memberText(text, "normalized", "fields", "ids"), "[12345678901234567890,9007199254740995]")
      }
      assert.strictEqual(memberText(listed.text, "runs", "0", "result"), answer)
      assert.strictEqual(
        memberText(trimmed.text, "result"),
        '{"id":9007199254740993,"list":[{"id":12345678901234567890}]}'
      )
      yield* run(ask("pythia-look", `{"id":9007199254740993,"filled":"${"x".repeat(3)}","share":1e400}`))
      assert.strictEqual(provider.heard.at(-1)?.url, "/look?id=9007199254740993&filled=xxx&share=1e400")
      // What a schema asks of a number is asked of these too.
      assert.strictEqual(
        (yield* run(ask("pythia-ask", '{"id":-12345678901234567890}'))).json.error.code,
        "validation_error"
      )
      assert.strictEqual(
        (yield* run(ask("pythia-ask", '{"id":0.12345678901234567890}'))).json.error.code,
        "validation_error"
      )
    }),
  120_000
)

it.scopedLive(
  "two requests are the same when their numbers have the same value, whatever their spelling",
  () =>
    Effect.gen(function* () {
      const { run } = yield* shared
      const of = (number: string) => ask("pythia-ask", `{"share":${number}}`)
      const cases: ReadonlyArray<readonly [one: string, other: string, same: boolean]> = [
        ["1", "1.0", true],
        ["1", "1e0", true],
        ["0.1", "0.10", true],
        ["1e400", "10e399", true],
        ["100000000000000000000000", "1e23", true],
        ["9007199254740993", "9007199254740992", false],
        ["1e400", "1e401", false],
        ["0.1", "0.1000000000000000055511151231257827", false]
      ]
      for (const [one, other, same] of cases) {
        const key = `numbers ${++keys}`
        yield* run(of(one), key)
        const again = yield* run(of(other), key)
        assert.deepStrictEqual(
          [again.status, again.json.replayed],
          same ? [201, true] : [409, undefined],
          `${one} ${other}`
        )
      }
    }),
  120_000
)

it.scopedLive(
  "a cost is judged as a number, however many digits it has",
  () =>
    Effect.gen(function* () {
      const { get, provider, run } = yield* shared
      provider.says = { body: '{"cost":123.00000000000000000001,"request":12345678901234567890}' }
      const paid = yield* run(ask("pythia-ask"))
      assert.strictEqual(paid.json.pricing.finalChargeMicros, 123)
      assert.strictEqual(
        (yield* get(`/v1/runs/${paid.json.runId}/attempts`)).json.attempts[0].receipt.providerRequestId,
        "12345678901234567890"
      )
      provider.says = { body: '{"cost":1e400}' }
      const odd = yield* run(ask("pythia-look"))
      assert.deepStrictEqual([odd.json.outcome, odd.json.pricing.finalChargeMicros], ["miss", 0])
      assert.strictEqual(
        (yield* get(`/v1/runs/${odd.json.runId}/attempts`)).json.attempts[0].receipt.costAnomaly,
        "1e400"
      )
    }),
  120_000
)

const deep = `{"found":${"[".repeat(4_000)}1${"]".repeat(4_000)}}`
const halved = `${"x".repeat(299)}\u{1f600}`

it.scopedLive(
  "texts that Postgres refuses are kept to the letter: one call each, none uncertain, none late",
  () =>
    Effect.gen(function* () {
      const { get, provider, run, gateway, token } = yield* shared
      const inline: ReadonlyArray<readonly [name: string, said: Said, result: unknown]> = [
        ["a NUL", { body: '{"a":"x\\u0000y","\\u0000":1}' }, { a: "x\u0000y", "\u0000": 1 }],
        ["lone surrogates", { body: '{"a":"\\ud83d","b":["\\ude00\\ud83d"]}' }, { a: "\ud83d", b: ["\ude00\ud83d"] }],
        ["a name that looks like an escape", { body: '{"a\\\\u0000":"\\\\ud83d"}' }, { "a\\u0000": "\\ud83d" }],
        ["UTF-16 without charset", { body: Buffer.from('\ufeff{"a":"ü\u{1f600}"}', "utf16le") }, { a: "ü\u{1f600}" }],
        ["UTF-16 without charset and mark", { body: Buffer.from('{"a":"ü"}', "utf16le").swap16() }, { a: "ü" }],
        ["a NUL in text", { body: "a\u0000b", type: "text/plain" }, { text: "a\u0000b", format: "text" }],
        [
          "UTF-16 text",
          { body: Buffer.from("\ufeffWien ü", "utf16le"), type: "text/plain" },
          { text: "Wien ü", format: "text" }
        ],
        [
          "members named as those of objects",
          { body: '{"__proto__":{"a":1},"constructor":2}' },
          JSON.parse('{"__proto__":{"a":1},"constructor":2}')
        ],
        ["a list", { body: '[1,"\\u0000"]' }, [1, "\u0000"]],
        ["a text", { body: '"\\u0000"' }, "\u0000"],
        ["a number", { body: "7" }, 7],
        ["null", { body: "null" }, null]
      ]
      for (const endpointId of ["pythia-ask", "pythia-act"]) {
        for (const [name, said, result] of inline) {
          provider.says = said
          provider.heard.length = 0
          const { json } = yield* run(ask(endpointId))
          assert.deepStrictEqual(
            [json.status, json.outcome, json.pricing.finalChargeMicros],
            ["completed", "hit", price],
            `${endpointId}: ${name}`
          )
          assert.deepStrictEqual(json.result, result, name)
          assert.deepStrictEqual((yield* get(`/v1/runs/${json.runId}`)).json.result, result, name)
          assert.strictEqual(provider.heard.length, 1)
        }
      }
      provider.says = { body: deep }
      const nested = yield* run(ask("pythia-act"))
      assert.deepStrictEqual([nested.json.status, nested.json.outcome], ["completed", "hit"])
      assert.match(nested.json.outcomeReason, /nested deeper than 512 levels and is kept as a file/)
      const file = yield* gateway.call("GET", nested.json.result.media.downloadPath, { token })
      assert.deepStrictEqual([file.text, file.headers.get("content-type")], [deep, "application/json"])

      provider.says = { body: JSON.stringify({ failed: true, words: halved }) }
      const failed = yield* run(ask("pythia-act"))
      assert.deepStrictEqual(
        [failed.json.status, failed.json.error.code, failed.json.error.message],
        ["failed", "provider_reported_error", "x".repeat(299)]
      )
      provider.says = { body: `{"failed":true,"words":"\\ud83d and \\u0000"}` }
      assert.strictEqual((yield* run(ask("pythia-act"))).json.error.message, "\ufffd and")
      provider.says = { body: Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]) }
      const broken = yield* run(ask("pythia-ask"))
      assert.deepStrictEqual(broken.json.result, { a: "\ufffd" })
      assert.match(broken.json.outcomeReason, /bytes that are no utf-8/)
    }),
  180_000
)

it.scopedLive(
  "an id with a character across the place where messages are cut is an id like any other",
  () =>
    Effect.gen(function* () {
      const { run } = yield* shared
      for (const prefix of ["", "job:"]) {
        const { json, status } = yield* run(ask(`${prefix}${"a".repeat(199)}\u{1f600}`))
        assert.deepStrictEqual([status, json.status], [201, "failed"])
      }
    }),
  120_000
)

it.scopedLive(
  "JSON of a mebibyte stands inline, more is a file, and the run says so; the bound can be set",
  () =>
    Effect.gen(function* () {
      const small = yield* shared
      const body = (bytes: number) => JSON.stringify({ id: 1, filler: "x".repeat(bytes - 20) })
      small.provider.says = { body: body(1_048_000) }
      const inline = yield* small.run(ask("pythia-ask"))
      assert.strictEqual(inline.json.result.filler.length, 1_047_980)
      small.provider.says = { body: body(1_050_000) }
      const large = yield* small.run(ask("pythia-ask"))
      assert.strictEqual(large.json.result.media.contentType, "application/json")
      assert.match(large.json.outcomeReason, /larger than 1048576 bytes and is kept as a file/)
      assert.strictEqual(large.json.normalized.fields.id, 1)
      const set = yield* start({ inlineResultBytes: 100 })
      set.provider.says = { body: body(101) }
      assert.property((yield* set.run(ask("pythia-ask"))).json.result, "media")
    }),
  180_000
)

it.scopedLive(
  "a settlement whose data the storage refuses keeps outcome, cost and receipt, and says that the result is gone",
  () =>
    Effect.gen(function* () {
      const { gateway, get, provider, run } = yield* shared
      const { sql } = Context.get(gateway.services, Database)
      yield* Effect.orDie(
        sql.unsafe(`
      create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.result::text like '%poison%' or new.error::text like '%poison%' then raise exception 'refused' using errcode = 'untranslatable_character'; end if;
        return new;
      end $$;
      create trigger refuse_poison before update on runs for each row execute function refuse_poison()`)
      )
      for (const endpointId of ["pythia-ask", "pythia-act"]) {
        provider.says = { body: '{"name":"poison","request":"req_1","cost":55}' }
        provider.heard.length = 0
        const { json } = yield* run(ask(endpointId))
        assert.deepStrictEqual([json.status, json.outcome, json.pricing.finalChargeMicros], ["completed", "hit", 55])
        assert.strictEqual(json.result.code, "result_not_stored")
        assert.match(json.outcomeReason, /^The provider answered\. .*storage refused/)
        assert.strictEqual(provider.heard.length, 1)
        const [attempt] = (yield* get(`/v1/runs/${json.runId}/attempts`)).json.attempts
        assert.deepStrictEqual(
          [attempt.status, attempt.costMicros, attempt.receipt.providerRequestId],
          ["completed", 55, "req_1"]
        )
        assert.isString(attempt.receipt.responseDigest)
      }
      // On the way to the next provider the answer so far is stored as well.
      provider.says = { body: '{"weak":true,"name":"poison"}' }
      provider.heard.length = 0
      const route = yield* run('{"endpointId":"job:company.enrich","input":{},"fallback":true}')
      assert.deepStrictEqual(
        [route.json.status, route.json.outcome, route.json.result.code],
        ["completed", "weak", "result_not_stored"]
      )
      assert.deepStrictEqual(
        route.json.route.attempts.map((attempt: { status: string; outcome: string }) => [
          attempt.status,
          attempt.outcome
        ]),
        [
          ["completed", "weak"],
          ["completed", "weak"]
        ]
      )
      assert.deepStrictEqual([provider.heard.length, route.json.pricing.finalChargeMicros], [2, 2 * price])
      provider.says = { body: '{"failed":true,"words":"poison"}' }
      const failed = yield* run(ask("pythia-act"))
      assert.deepStrictEqual(
        [failed.json.status, failed.json.error.code, failed.json.pricing.finalChargeMicros],
        ["failed", "provider_reported_error", 0]
      )
      assert.notInclude(failed.text, "poison")
    }),
  120_000
)
