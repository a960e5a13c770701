/** What search, discover and the public catalog read from the words of a question, over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"
import { type Gateway, startGateway } from "../../support/httpGateway.js"

const auth = { type: "bearer" }
const perCall = (micros: number) => ({ basis: "per_call", micros })
const email = {
  type: "object",
  properties: { email: { type: "string", format: "email", examples: ["ada@example.com"] }, deep: { type: "boolean" } },
  required: ["email"]
}
const person = {
  type: "object",
  properties: { name: { type: "string", examples: ["Ada"] }, domain: { type: "string", examples: ["example.com"] } },
  required: ["name", "domain"]
}
const content = {
  jobs: [
    job("people.email.find", { title: "Find a work email", phrases: ["find someone's work email"] }),
    job("people.email.verify", { title: "Verify an email", phrases: ["verify an email address"] })
  ],
  endpoints: [
    ...["hunter", "apollo"].map((provider, at) =>
      endpoint({
        id: `${provider}-find`,
        job: "people.email.find",
        name: "Email finder",
        input: person,
        price: perCall(30_000 - 20_000 * at),
        provider: { id: provider, name: provider, auth }
      })
    ),
    endpoint({
      id: "hunter-verify",
      job: "people.email.verify",
      name: "Email verifier",
      input: email,
      price: perCall(8_000),
      provider: { id: "hunter", name: "hunter", auth }
    })
  ]
}
const world = newWorld()
world.platformKeys.add("hunter").add("apollo")

const withGateway = <A>(use: (gateway: Gateway) => Effect.Effect<A, unknown, Scope.Scope>) =>
  Effect.scoped(Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, world) }), use))
const ask = (path: string, q: string, more = "") => `/v1/${path}?q=${encodeURIComponent(q)}${more}`

describe("values in the question", () => {
  it.live("fill the example input of a hit, and hints=off takes them out again", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const q = "verify the email bob@x.io"
        const [hit] = (yield* get(ask("catalog/search", q))).json.endpoints
        assert.strictEqual(hit.endpointId, "hunter-verify")
        assert.deepStrictEqual(hit.usageHints, { exampleInput: { email: "bob@x.io" }, givenInputFields: ["email"] })
        const without = (yield* get(ask("catalog/search", q, "&hints=off"))).json
        assert.strictEqual(without.endpoints[0].endpointId, "hunter-verify")
        for (const row of without.endpoints) assert.notProperty(row, "usageHints")
      })
    )
  )

  it.live("are no longer missing in discover", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const q = "find the work email of Jane at acme.com"
        const [found] = (yield* get(ask("discover", q))).json.operations
        assert.deepStrictEqual(
          [found.missingInput, found.usageHints],
          [["name"], { exampleInput: { name: "Ada", domain: "acme.com" }, givenInputFields: ["domain"] }]
        )
        const [without] = (yield* get(ask("discover", q, "&hints=off"))).json.operations
        assert.deepStrictEqual([without.missingInput, without.usageHints], [["name", "domain"], undefined])
      })
    )
  )

  it.live("leave an answer as it is when there are none", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const path of ["catalog/search", "discover"])
          assert.deepStrictEqual(
            (yield* get(ask(path, "find a work email"))).json,
            (yield* get(ask(path, "find a work email", "&hints=off"))).json
          )
      })
    )
  )
})
