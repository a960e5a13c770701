// The client's types are those of the OpenAPI document, and it has a method for every route that is for programs.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { createClient, type GatewayClient } from "../../src/client/index.js"
import { routes } from "../../src/client/api/Operations.js"
import { filesFor, goldenDocument } from "../../scripts/client-types.mjs"

const written = (name: string) => readFileSync(new URL(`../../src/client/api/${name}`, import.meta.url), "utf8")

describe("src/client/api", () => {
  it("is what the OpenAPI document says; otherwise run `npm run client:types`", async () => {
    for (const [name, text] of Object.entries(await filesFor(goldenDocument())))
      assert.strictEqual(
        written(name),
        text,
        `src/client/api/${name} is older than test/golden/files/openapi.json: run \`npm run client:types\``
      )
  })

  it("stops at a schema that it does not know, instead of guessing", async () => {
    const document = goldenDocument()
    document.components.schemas.Run.properties.runId = { not: { type: "string" } }
    const error = await filesFor(document).then(
      () => assert.fail("it did not stop"),
      (error: unknown) => error
    )
    assert.match(String(error), /No type is known for the schema \{"not":/)
  })
})

/** Every method, called once; a route that is missing here has none. */
const calls: ReadonlyArray<(client: GatewayClient) => unknown> = [
  (client) => client.search("email"),
  (client) => client.discover("email"),
  (client) => client.inspect("job:people.email.find"),
  (client) => client.overview(),
  (client) => client.endpoints().pages()[Symbol.asyncIterator]().next(),
  (client) => client.publicCatalog.list().pages()[Symbol.asyncIterator]().next(),
  (client) => client.publicCatalog.get("a"),
  (client) => client.publicCatalog.compare({ catalogItemIds: ["a", "b"] }),
  (client) => client.quote({ endpointId: "a", input: {} }),
  (client) => client.runs.create({ endpointId: "a", input: {} }),
  (client) => client.runs.get("run_1"),
  (client) => client.runs.list().pages()[Symbol.asyncIterator]().next(),
  (client) => client.runs.cancel("run_1"),
  (client) => client.runs.attempts("run_1"),
  (client) => client.runs.media("/v1/runs/run_1/media/m"),
  (client) => client.balance(),
  (client) => client.limits(),
  (client) => client.ledger().pages()[Symbol.asyncIterator]().next(),
  (client) => client.topUps.list().pages()[Symbol.asyncIterator]().next(),
  (client) => client.topUps.request({ amountUsd: 5 }),
  (client) => client.topUps.automatic.get(),
  (client) => client.topUps.automatic.set({ belowUsd: 1, amountUsd: 5, monthlyMaximumUsd: 10 }),
  (client) => client.topUps.automatic.remove(),
  (client) => client.whoami(),
  (client) => client.sessionContext(),
  (client) => client.logout(),
  (client) => client.tokens.list().pages()[Symbol.asyncIterator]().next(),
  (client) => client.tokens.create({ label: "a", scopes: ["runs:read"] }),
  (client) => client.tokens.change("tok_1", { label: "b" }),
  (client) => client.tokens.revoke("tok_1"),
  (client) => client.tokens.rotate("tok_1"),
  (client) => client.connections.list().pages()[Symbol.asyncIterator]().next(),
  (client) => client.connections.create({ providerId: "a", label: "b", secret: "c" }),
  (client) => client.connections.authorize({ providerId: "a", label: "b" }),
  (client) => client.connections.get("con_1"),
  (client) => client.connections.delete("con_1"),
  (client) => client.audit().pages()[Symbol.asyncIterator]().next(),
  (client) => client.capabilityRequests.list().pages()[Symbol.asyncIterator]().next(),
  (client) => client.capabilityRequests.create({ title: "a", description: "b" }),
  (client) => client.logins.create({ digest: "a", label: "b", scopes: ["runs:read"] }),
  (client) => client.logins.get("apr_1")
]

describe("the client", () => {
  it("has a method for every route that is for programs; a new one belongs into src/client/Client.ts", async () => {
    const asked = new Set<string>()
    const noItems = Object.values(routes).flatMap((route) => ("items" in route ? [[route.items, []]] : []))
    const emptyPage = JSON.stringify({ ...Object.fromEntries(noItems), nextCursor: null })
    const client = createClient({
      baseUrl: "http://gateway.test",
      token: "pgw_test",
      fetch: async (url, init) => {
        asked.add(`${init?.method} ${new URL(String(url)).pathname}`)
        return new Response(emptyPage)
      }
    })
    for (const call of calls) await call(client)
    const missing = Object.values(routes).filter(({ method, path }) => {
      const shape = new RegExp(`^${method} ${path.replace(/\{\w+\}/g, "[^/]+")}$`)
      return ![...asked].some((each) => shape.test(each))
    })
    assert.deepStrictEqual(missing, [])
    assert.strictEqual(asked.size, Object.keys(routes).length)
  })
})
