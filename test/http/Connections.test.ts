/** Connections over HTTP: the secret goes in and never comes out, and no workspace sees, uses or deletes another's. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { startAccounts } from "../support/accountsGateway.js"
import { endpoint, newWorld, servedCatalog } from "../support/catalog.js"

const catalogLayer = servedCatalog({ jobs: [], endpoints: [endpoint({ id: "find" })] }, newWorld())
const started = startAccounts({ catalogLayer })
const shop = { pattern: "[a-z]+", description: "The shop.", examples: ["acme"] as const }
const atShops = endpoint({ id: "shop" })
const startedWithShops = startAccounts({
  catalogLayer: servedCatalog(
    {
      jobs: [],
      endpoints: [
        endpoint({ id: "find" }),
        { ...atShops, provider: { ...atShops.provider, baseUrl: "https://{shop}.test", variables: { shop } } }
      ]
    },
    newWorld()
  )
})
const secret = "sk-canary-5f0c"
const wanted = { providerId: "p-find", label: "mine", secret }

describe("connections", () => {
  it.scopedLive("are made, shown and listed without their secret, which only a call gets", () =>
    Effect.gen(function* () {
      const { connections, get, person, post } = yield* started
      const { authorization, workspaceId } = yield* person()
      const made = yield* post("/v1/connections", { ...wanted, expiresAt: "2999-01-01T00:00:00Z" }, { authorization })
      assert.strictEqual(made.status, 201)
      const { connectionId, createdAt } = made.json
      assert.match(connectionId, /^con_[0-9a-z]{26}$/)
      assert.deepStrictEqual(made.json, {
        connectionId,
        createdAt,
        providerId: "p-find",
        label: "mine",
        expiresAt: "2999-01-01T00:00:00.000Z"
      })
      const one = yield* get(`/v1/connections/${connectionId}`, { authorization })
      assert.deepStrictEqual([one.status, one.json], [200, made.json])
      const all = yield* get("/v1/connections", { authorization })
      assert.deepStrictEqual(all.json, { connections: [made.json], nextCursor: null })
      for (const { text } of [made, one, all]) assert.notInclude(text, secret)
      assert.strictEqual(Redacted.value((yield* connections.use(workspaceId, connectionId)).secret), secret)
    })
  )

  it.scopedLive("are listed newest first, page by page, with cursors of this list and workspace only", () =>
    Effect.gen(function* () {
      const { get, person, post } = yield* started
      const { authorization } = yield* person()
      for (const label of ["a", "b", "c"]) yield* post("/v1/connections", { ...wanted, label }, { authorization })
      const first = yield* get("/v1/connections?limit=2", { authorization })
      const second = yield* get(`/v1/connections?limit=2&cursor=${first.json.nextCursor}`, { authorization })
      const labels = [first, second].map(({ json }) => json.connections.map(({ label }: { label: string }) => label))
      assert.deepStrictEqual(labels, [["c", "b"], ["a"]])
      assert.isNull(second.json.nextCursor)
      const other = yield* person()
      for (const [path, as] of [
        [`/v1/connections?cursor=${first.json.nextCursor}`, other.authorization],
        ["/v1/connections?cursor=x", authorization],
        ["/v1/connections?limit=0", authorization]
      ] as const) {
        const refused = yield* get(path, { authorization: as })
        assert.deepStrictEqual([refused.status, refused.json.error.code], [400, "validation_error"], path)
      }
    })
  )

  it.scopedLive("end with DELETE, and are then not found", () =>
    Effect.gen(function* () {
      const { connections, get, person, post, send } = yield* started
      const { authorization, workspaceId } = yield* person()
      const path = `/v1/connections/${(yield* post("/v1/connections", wanted, { authorization })).json.connectionId}`
      const deleted = yield* send("DELETE", path, { authorization })
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      for (const gone of [yield* get(path, { authorization }), yield* send("DELETE", path, { authorization })]) {
        assert.deepStrictEqual([gone.status, gone.json.error.code], [404, "not_found"])
      }
      assert.deepStrictEqual((yield* get("/v1/connections", { authorization })).json.connections, [])
      assert.strictEqual(
        (yield* Effect.flip(connections.use(workspaceId, path.split("/").at(-1)!)))._tag,
        "connection_unusable"
      )
    })
  )

  it.scopedLive("of another workspace are not found, cannot be deleted, and stay", () =>
    Effect.gen(function* () {
      const { get, person, post, send } = yield* started
      const [owner, other] = [yield* person(), yield* person()]
      const path = `/v1/connections/${(yield* post("/v1/connections", wanted, owner)).json.connectionId}`
      for (const method of ["GET", "DELETE"]) {
        const answer = yield* send(method, path, other)
        assert.deepStrictEqual([answer.status, answer.json.error.code], [404, "not_found"], method)
      }
      assert.deepStrictEqual((yield* get("/v1/connections", other)).json.connections, [])
      assert.strictEqual((yield* get(path, owner)).status, 200)
    })
  )

  it.scopedLive("need account:manage", () =>
    Effect.gen(function* () {
      const { person, send } = yield* started
      const { authorization } = yield* person(["catalog:read", "runs:execute", "billing:write"])
      for (const [method, path] of [
        ["GET", ""],
        ["POST", ""],
        ["GET", "/con_x"],
        ["DELETE", "/con_x"]
      ] as const) {
        const answer = yield* send(method, `/v1/connections${path}`, { authorization })
        assert.deepStrictEqual([answer.status, answer.json.scope], [403, "account:manage"], `${method} ${path}`)
      }
    })
  )

  it.scopedLive("with ids that name nothing are 404, however odd", () =>
    Effect.gen(function* () {
      const { get, person } = yield* started
      const { authorization } = yield* person()
      for (const odd of [
        "con_1",
        "%00",
        "a".repeat(4_000),
        `con_${"0".repeat(26)}`,
        `con_${"0".repeat(26)}%20`,
        "..%2f"
      ]) {
        const answer = yield* get(`/v1/connections/${odd}`, { authorization })
        assert.deepStrictEqual([answer.status, answer.json.error.code], [404, "not_found"], odd)
      }
    })
  )

  it.scopedLive(
    "give the variables of their provider's address, checked by its manifest, shown to their owner only",
    () =>
      Effect.gen(function* () {
        const { get, person, post } = yield* startedWithShops
        const [owner, other] = [yield* person(), yield* person()]
        const ask = (variables: unknown) =>
          post("/v1/connections", { ...wanted, providerId: "p-shop", variables }, owner)
        const made = yield* ask({ shop: "acme" })
        assert.deepStrictEqual([made.status, made.json.variables], [201, { shop: "acme" }])
        const path = `/v1/connections/${made.json.connectionId}`
        assert.deepStrictEqual((yield* get(path, owner)).json, made.json)
        assert.strictEqual((yield* get(path, other)).status, 404)
        const contract = yield* get("/v1/operations/shop", owner)
        assert.deepStrictEqual(contract.json.usageHints.connectionVariables, [{ name: "shop", ...shop }])
        for (const [variables, field, message] of [
          [undefined, "variables.shop", /is missing: The shop/],
          [{}, "variables.shop", /is missing/],
          [{ shop: "ACME" }, "variables.shop", /must match the pattern/],
          [{ shop: "acme.evil.test/" }, "variables.shop", /letters, digits/],
          [{ shop: "acme", region: "eu" }, "variables.region", /is no variable of this provider; it has shop/],
          [{ shop: 7 }, "variables.shop", /./],
          ["shop=acme", "variables", /./]
        ] as const) {
          const answer = yield* ask(variables)
          assert.deepStrictEqual([answer.status, answer.json.error.details[0].field], [400, field], answer.text)
          assert.match(answer.json.error.details[0].message, message)
        }
        const plain = yield* post("/v1/connections", { ...wanted, variables: { shop: "acme" } }, owner)
        assert.match(plain.json.error.details[0].message, /which has none/)
      })
  )

  it.scopedLive("that cannot be are refused with the field that is wrong, and without the secret", () =>
    Effect.gen(function* () {
      const { get, person, post } = yield* started
      const { authorization } = yield* person()
      const { label: _label, ...unlabelled } = wanted
      const cases: ReadonlyArray<readonly [body: object, field: string]> = [
        [unlabelled, "label"],
        [{ ...wanted, label: " " }, "label"],
        [{ ...wanted, label: "x".repeat(101) }, "label"],
        [{ ...wanted, label: "a\u0007" }, "label"],
        [{ ...wanted, providerId: "nobody" }, "providerId"],
        [{ ...wanted, providerId: 7 }, "providerId"],
        [{ ...wanted, secret: "" }, "secret"],
        [{ ...wanted, secret: `${secret}\r\nx-evil: 1` }, "secret"],
        [{ ...wanted, secret: [secret] }, "secret"],
        [{ ...wanted, secret: secret.repeat(1_000) }, "secret"],
        [{ ...wanted, expiresAt: "soon" }, "expiresAt"],
        [{ ...wanted, expiresAt: "2001-01-01" }, "expiresAt"],
        [{ ...wanted, expiresAt: 1 }, "expiresAt"],
        [{ ...wanted, token: secret }, "token"]
      ]
      for (const [body, field] of cases) {
        const answer = yield* post("/v1/connections", body, { authorization })
        assert.deepStrictEqual(
          [answer.status, answer.json.error.code, answer.json.error.details[0].field],
          [400, "validation_error", field],
          answer.text
        )
        assert.notInclude(answer.text, secret)
      }
      const close = yield* post("/v1/connections", { ...wanted, providerId: "p-fnid" }, { authorization })
      assert.match(close.json.error.details[0].message, /is no provider of the catalog; did you mean p-find/)
      assert.deepStrictEqual((yield* get("/v1/connections", { authorization })).json.connections, [])
    })
  )
})
