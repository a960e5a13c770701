/** `catalog new`: what becomes of a curl command and of an operation of a document, and that no key is written. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert } from "vitest"
import { parse } from "yaml"
import { cli, CommandLineTest, json } from "./commandLine.js"

const place = mkdtempSync(join(tmpdir(), "gateway-new-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))
const folderOf = (name: string) => join(place, name)
const written = (name: string) => {
  const folder = join(folderOf(name), "providers")
  const [file = ""] = readdirSync(folder)
  const text = readFileSync(join(folder, file), "utf8")
  return { file, text, manifest: parse(text) }
}
const made = (name: string, input: string) => json(["catalog", "new", "--to", folderOf(name)], { input })

layer(CommandLineTest, { excludeTestServices: true })("catalog new", (it) => {
  it.effect("makes a checked manifest of a curl command, with its key as auth and nowhere in the file", () =>
    Effect.gen(function* () {
      const told = yield* made(
        "json",
        `curl -X POST 'https://api.shop.example/v1/orders/4711/notes?expand=items' \\\n  -H "Authorization: Bearer sk_live_abc123" -H 'X-Version: 2' \\\n  --json '{"text":"it'\\''s","count":2,"session":"eyJhbGciOiJIUzI1NiJ9.e30.c2ln"}'`
      )
      const { file, manifest, text } = written("json")
      assert.strictEqual(file, "shop.example.yaml")
      assert.match(
        text,
        /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:8080\/docs\/files\/provider\.schema\.json\n/
      )
      for (const secret of ["sk_live", "eyJ"]) assert.notInclude(text, secret)
      assert.deepStrictEqual(manifest.auth, { type: "bearer" })
      const [operation] = manifest.operations
      assert.deepInclude(operation, { method: "POST", path: "/v1/orders/{order_id}/notes", effect: "effectful" })
      assert.deepStrictEqual(operation.fixed, [{ in: "header", name: "X-Version", value: "2" }])
      assert.deepStrictEqual(operation.input.properties, {
        order_id: { type: "string", examples: ["4711"] },
        expand: { type: "string", examples: ["items"] },
        text: { type: "string", examples: ["it's"] },
        count: { type: "integer", examples: [2] },
        session: { type: "string" }
      })
      assert.deepStrictEqual(told["problems"], [])
      assert.includeMembers(told["leftOut"], [
        "the key (header Authorization)",
        "the value of session, which looks like a secret"
      ])
    })
  )

  it.effect("takes keys out of headers, the query, the body and the user of a command", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [name: string, command: string, auth: object]> = [
        ["header", "curl https://a.example/x -H 'X-Api-Key: topsecret1'", { type: "header", name: "X-Api-Key" }],
        [
          "scheme",
          "curl https://a.example/x -H 'Authorization: Token topsecret1'",
          { type: "header", name: "Authorization", prefix: "Token " }
        ],
        ["query", "curl 'https://a.example/x?q=1&api_key=topsecret1'", { type: "query", name: "api_key" }],
        ["form", "curl https://a.example/x -d q=1 -d token=topsecret1", { type: "body", name: "token" }],
        ["user", "curl -utopsecret1: https://a.example/x", { type: "basic", passwordless: true }],
        ["pair", "curl https://ada:topsecret1@a.example/x", { type: "basic" }]
      ]
      for (const [name, command, auth] of cases) {
        yield* made(name, command)
        const { manifest, text } = written(name)
        assert.notInclude(text, "topsecret1", name)
        assert.deepInclude(manifest.auth, auth, name)
      }
    })
  )

  it.effect(
    "takes the word that documentation writes for a key for no key, and refuses a real one that stands twice",
    () =>
      Effect.gen(function* () {
        for (const [name, key] of [
          ["named", "xi-api-key: xi-api-key"],
          ["worded", "X-Api-Key: your-api-key"],
          ["bearer", "Authorization: Bearer access_token"]
        ] as const) {
          const told = yield* made(name, `curl https://a.example/${key.split(" ").at(-1) ?? ""} -H '${key}'`)
          assert.deepStrictEqual(told["problems"], [], name)
        }
        const basic = Buffer.from("me:topsecret1").toString("base64")
        for (const command of [
          "https://a.example/topsecret1 -H 'X-Api-Key: topsecret1'",
          "https://a.example/top%73ecret%31 -H 'X-Api-Key: topsecret1'",
          `https://a.example/x?q=${Buffer.from("topsecret1").toString("base64")} -H 'X-Api-Key: topsecret1'`,
          "https://a.example/x?q=topsecret1 -u me:topsecret1",
          "https://a.example/x -u topsecret1: -H 'X-Team: topsecret1'",
          "https://me:topsecret1@a.example/x?q=topsecret1",
          `https://a.example/x?q=topsecret1 -H 'Authorization: Basic ${basic}'`,
          "https://a.example/x?q=topsecret1 -b 'theme=dark; sid=topsecret1'",
          "https://a.example/x?q=topsecret1 -H 'Cookie: sid=topsecret1'"
        ]) {
          const twice = yield* cli(["catalog", "new", "--to", folderOf("two")], { input: `curl ${command}` })
          assert.include(twice.err.join("\n"), "the key stands in another part of the command too", command)
        }
        assert.deepStrictEqual(
          (yield* made("themed", "curl https://a.example/x?q=darkness -b 'theme=darkness'"))["problems"],
          []
        )
      })
  )

  it.effect("keeps names of models and moments as examples, and no keys", () =>
    Effect.gen(function* () {
      const ordinary = [
        "stability-ai/sdxl:39ed52f2",
        "stability-ai/sdxl:39ed52f2a78e934b3ba6e2a89f5b1c712de7dfea535525255b1aa35c5565e08b",
        "meta-llama/Llama-3.3-70B-Instruct-Turbo",
        "mistralai/Mixtral-8x7B-Instruct-v0.1",
        "anthropic/claude-3.5-sonnet-20241022",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.000+02:00"
      ]
      const secret = [
        "a8F3kq/92JsLw0Xz71Qp4d",
        "AKIA1234/wJalrXUtnFEMI7MDENG",
        "0a1b2c3d4e5f60718293/x1",
        "AB12C-34DEF-5GH67-I89JK",
        "AbCdEfGhIjKl/MnOpQrSt12"
      ]
      const told = yield* made(
        "ordinary",
        `curl https://a.example/x -d '${JSON.stringify({ ordinary, a: secret[0] })}'`
      )
      const { properties } = written("ordinary").manifest.operations[0].input
      assert.deepStrictEqual(properties.ordinary.examples, [ordinary])
      assert.deepStrictEqual(told["leftOut"], ["the value of a, which looks like a secret"])
      for (const [at, text] of secret.entries()) {
        yield* made(`secret-${at}`, `curl https://a.example/x -d '${JSON.stringify({ a: text })}'`)
        assert.notInclude(written(`secret-${at}`).text, text)
      }
    })
  )

  it.effect("says which values are fixed, and which look signed or made anew for each call", () =>
    Effect.gen(function* () {
      const hmac = yield* made(
        "hmac",
        "curl 'https://a.example/x?timestamp=1700000000' -H 'X-Signature: topsecret1' -H 'X-Version: 2'"
      )
      assert.includeMembers(hmac["leftOut"], [
        "timestamp looks signed or made anew for each call: write auth hmac by hand (docs/providers.md)",
        "X-Signature looks signed or made anew for each call: write auth hmac by hand (docs/providers.md)",
        "the header X-Version is sent with every call as it stands in the command"
      ])
      const aws = yield* made(
        "aws",
        "curl https://b.example/x -H 'X-Amz-Date: 20260101T000000Z' -H 'Authorization: AWS4-HMAC-SHA256 Credential=topsecret1'"
      )
      assert.includeMembers(aws["leftOut"], [
        "Authorization looks signed or made anew for each call: write auth aws_sigv4 by hand (docs/providers.md)"
      ])
    })
  )

  it.effect("writes no session, credential or address with a password into the file", () =>
    Effect.gen(function* () {
      yield* made(
        "sessions",
        `curl https://c.example/x -H 'X-Forwarded-Authorization: Bearer topsecret1' -H 'X-Session-Id: topsecret2' -d '{"passwd":"topsecret3","pwd":"topsecret4","credential":"topsecret5","sid":"topsecret6","url":"https://u:topsecret7@h.example/x?sig=topsecret8","page":"first"}'`
      )
      const { text } = written("sessions")
      assert.notMatch(text, /topsecret\d/)
      assert.include(text, "first")
    })
  )

  it.effect("overwrites an edited file only when asked to, and says what is wrong with a command or a name", () =>
    Effect.gen(function* () {
      const again = () => cli(["catalog", "new", "--to", folderOf("twice")], { input: "curl https://a.example/x" })
      assert.strictEqual((yield* again()).code, 0)
      assert.strictEqual((yield* again()).code, 0)
      const { file, text } = written("twice")
      writeFileSync(join(folderOf("twice"), "providers", file), `${text}# edited\n`)
      const second = yield* again()
      assert.notStrictEqual(second.code, 0)
      assert.match(
        second.err.join("\n"),
        /exists already with another content; .* or replace with --overwrite; to add an operation to a manifest, /
      )
      assert.strictEqual(written("twice").text, `${text}# edited\n`)
      const asked = ["catalog", "new", "--to", folderOf("twice"), "--overwrite"]
      assert.strictEqual((yield* cli(asked, { input: "curl https://a.example/x" })).code, 0)
      assert.strictEqual(written("twice").text, text)
      for (const [command, words] of [
        ["wget https://a.example", /begins with the word curl/],
        ["curl -H 'a: b'", /has no address/],
        ["curl 'https://a.example", /never closed/],
        ["curl -I https://a.example", /the method HEAD is not supported; use GET, POST, PUT, PATCH, DELETE/],
        ["curl -X FOO https://a.example", /the method FOO is not supported; use GET/]
      ] as const) {
        const wrong = yield* cli(["catalog", "new", "--to", folderOf("wrong")], { input: command })
        assert.notStrictEqual(wrong.code, 0, command)
        assert.match(wrong.err.join("\n"), words)
        assert.isFalse(existsSync(folderOf("wrong")))
      }
    })
  )

  it.effect("names the schema of the gateway that the settings or --gateway say", () =>
    Effect.gen(function* () {
      const input = "curl https://a.example/x"
      for (const [name, options, settings, url] of [
        ["port", [], { PORT: "9123" }, "http://127.0.0.1:9123"],
        ["public", [], { PORT: "9123", GATEWAY_PUBLIC_URL: "https://gateway.acme.test/" }, "https://gateway.acme.test"],
        ["asked", ["--gateway", "https://other.test/"], { PORT: "9123" }, "https://other.test"]
      ] as const) {
        yield* json(["catalog", "new", "--to", folderOf(`schema-${name}`), ...options], { input, settings })
        const [line = ""] = written(`schema-${name}`).text.split("\n")
        assert.strictEqual(line, `# yaml-language-server: $schema=${url}/docs/files/provider.schema.json`)
      }
      const wrong = yield* cli(["catalog", "new", "--to", folderOf("schema-wrong")], {
        input,
        settings: { PORT: "door" }
      })
      assert.match(wrong.err.join("\n"), /PORT must be a whole number/)
    })
  )

  it.effect("makes one of an operation of a document, by its operationId or by method and path", () =>
    Effect.gen(function* () {
      const document = join(place, "openapi.yaml")
      writeFileSync(
        document,
        `openapi: 3.0.3
info: { title: Pets, version: "1" }
servers: [{ url: "https://api.pets.example" }]
security: []
paths: { /pets: { get: { operationId: list, responses: {} }, post: { operationId: add, responses: {} } } }
`
      )
      for (const [name, operation, method] of [
        ["byId", "add", "POST"],
        ["byPath", "GET /pets", "GET"]
      ] as const) {
        const line = ["catalog", "new", "--to", folderOf(name), "--openapi", document, "--operation", operation]
        assert.deepStrictEqual((yield* json([...line, "--id", "my-pets"]))["problems"], [])
        const { file, manifest } = written(name)
        assert.strictEqual(file, "my-pets.yaml")
        assert.deepStrictEqual(
          manifest.operations.map((each: { readonly method: string }) => each.method),
          [method]
        )
      }
      for (const operation of ["ADD", "Post /PETS", "pets-example.add", "my-pets.add"]) {
        const told = yield* json([
          ...["catalog", "new", "--to", folderOf(operation), "--openapi", document],
          ...["--operation", operation, "--id", "my-pets"]
        ])
        assert.strictEqual(told["operation"], "my-pets.add", operation)
      }
      const twins = join(place, "twins.yaml")
      writeFileSync(
        twins,
        `openapi: 3.0.3
info: { title: Twins, version: "1" }
servers: [{ url: "https://twins.example" }]
security: []
paths: { /a: { get: { operationId: getOne, responses: {} } }, /b: { get: { operationId: getone, responses: {} } } }
`
      )
      const ofTwins = ["catalog", "new", "--openapi", twins, "--to", folderOf("twins"), "--operation"]
      const either = yield* cli([...ofTwins, "GETONE"])
      assert.match(either.err.join("\n"), /has no operation GETONE; it has (?=.*getOne)(?=.*getone)/)
      assert.strictEqual((yield* json([...ofTwins, "getone"]))["operation"], "twins-example.getone")
      assert.strictEqual(written("twins").manifest.operations[0].path, "/b")
      const none = yield* cli(["catalog", "new", "--openapi", document, "--operation", "ghost", "--to", folderOf("no")])
      assert.match(none.err.join("\n"), /has no operation ghost; it has (?=.*list)(?=.*add)/)
    })
  )

  it.effect(
    "lists the operations of a document where none was named, or one that it has not, whatever else it holds",
    () =>
      Effect.gen(function* () {
        const document = join(place, "webhooks.yaml")
        writeFileSync(
          document,
          `openapi: 3.1.0
info: { title: Hooks, version: "1" }
servers: [{ url: "https://hooks.example" }]
security: []
paths: { /a: { get: { operationId: list, responses: {} }, put: { operationId: list, responses: {} }, head: { responses: {} } } }
webhooks: { x: { post: { responses: {} } } }
`
        )
        const asked = ["catalog", "new", "--to", folderOf("hooks"), "--openapi", document]
        for (const [options, words] of [
          [
            ["--operation", "nosuch"],
            "Nothing was written: webhooks.yaml has no operation nosuch; it has list, HEAD /a"
          ],
          [[], "Nothing was written: --operation must name one operation of webhooks.yaml; it has list, HEAD /a"],
          [
            ["--operation", "HEAD /a"],
            "Nothing was written: the method HEAD is not supported; use GET, POST, PUT, PATCH, DELETE"
          ]
        ] as const) {
          const { code, err } = yield* cli([...asked, ...options])
          assert.strictEqual(code, 1)
          assert.include(err.join("\n"), words)
          assert.notInclude(err.join("\n"), "left out webhooks")
        }
        assert.include(
          (yield* json([...asked, "--operation", "list"]))["leftOut"],
          "an id that was there already: give each operation an id of its own (PUT /a as hooks-example.list)"
        )
      })
  )

  it.effect("says that --operation needs a document", () =>
    Effect.gen(function* () {
      const { code, err } = yield* cli(["catalog", "new", "--to", folderOf("none"), "--operation", "list"])
      assert.strictEqual(code, 2)
      assert.match(err.join("\n"), /--operation: needs --openapi FILE/)
    })
  )
})
