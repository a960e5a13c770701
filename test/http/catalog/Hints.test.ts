/** What search, discover and the public catalog read from the words of a question, over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"
import { type Gateway, type Loose, startGateway } from "../../support/httpGateway.js"

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
      id: "plain-find",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(50_000),
      provider: { id: "plain", name: "plain" }
    }),
    endpoint({
      id: "clearbit-find",
      job: "people.email.find",
      name: "Email finder",
      input: person,
      price: perCall(80_000),
      provider: { id: "clearbit", name: "clearbit", auth }
    }),
    endpoint({
      id: "hunter-verify",
      job: "people.email.verify",
      name: "Email verifier",
      input: email,
      price: perCall(8_000),
      provider: { id: "hunter", name: "hunter", auth }
    }),
    endpoint({
      id: "bouncer-verify",
      job: "people.email.verify",
      name: "Email verifier",
      input: email,
      price: perCall(9_000),
      provider: { id: "bouncer", name: "bouncer", auth }
    })
  ]
}
const world = newWorld()
world.platformKeys.add("hunter").add("apollo").add("bouncer").add("clearbit")

const withGateway = <A>(use: (gateway: Gateway) => Effect.Effect<A, unknown, Scope.Scope>) =>
  Effect.scoped(Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, world) }), use))
const ask = (path: string, q: string, more = "") => `/v1/${path}?q=${encodeURIComponent(q)}${more}`

const unhinted = ({ usageHints: _, ...row }: Loose): Loose => row

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
        const off = (path: string) => get(ask(path, "find a work email", "&hints=off"))
        const search = yield* get(ask("catalog/search", "find a work email"))
        assert.deepStrictEqual(search.json, (yield* off("catalog/search")).json)
        // Discover shows the documented example all the same.
        const { operations } = (yield* get(ask("discover", "find a work email"))).json
        for (const { usageHints } of operations) assert.deepStrictEqual(usageHints.givenInputFields, [])
        assert.deepStrictEqual(operations.map(unhinted), (yield* off("discover")).json.operations)
      })
    )
  )
})

describe("hints in the question", () => {
  const ids = (rows: ReadonlyArray<{ readonly endpointId: string }>) => rows.map(({ endpointId }) => endpointId)

  it.live("act like the parameters that they equal, and say so", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const equals: ReadonlyArray<readonly [question: string, subject: string, parameters: string]> = [
          ["the cheapest email finder", "email finder", "&prefer=cheapest"],
          ["find a work email with hunter", "find a work email", "&provider=hunter"],
          ["find a work email at most 1 cent", "find a work email", "&maxPriceMicros=10000"],
          ["find a work email under 3 cents a call", "find a work email", "&maxPriceMicros=29999"],
          ["find a work email, no api key", "find a work email", "&keyless=true"]
        ]
        for (const [question, subject, parameters] of equals) {
          const { appliedHints, ...hinted } = (yield* get(ask("catalog/search", question))).json
          const same = (yield* get(ask("catalog/search", subject, parameters))).json
          assert.deepStrictEqual(hinted, { ...same, query: question }, question)
          assert.isAbove(hinted.total, 0, question)
          assert.deepStrictEqual(
            appliedHints.map((hint: { parameter: string; value: string }) => `&${hint.parameter}=${hint.value}`),
            [parameters]
          )
        }
      })
    )
  )

  it.live("name their words and how to undo them: quoted, or all with hints=off", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const question = "cheapest email finder with apollo"
        const { json } = yield* get(ask("catalog/search", question))
        assert.deepStrictEqual(json.appliedHints, [
          {
            words: "cheapest",
            parameter: "prefer",
            value: "cheapest",
            message:
              'Read "cheapest" as prefer=cheapest. Put the words in quotation marks to search for them, or send hints=off',
            undoQuery: '"cheapest" email finder with apollo'
          },
          {
            words: "with apollo",
            parameter: "provider",
            value: "apollo",
            message:
              'Read "with apollo" as provider=apollo. Put the words in quotation marks to search for them, or send hints=off',
            undoQuery: 'cheapest email finder "with apollo"'
          }
        ])
        assert.deepStrictEqual([json.prefer, ids(json.endpoints)], ["cheapest", ["apollo-find"]])
        const quoted = (yield* get(ask("catalog/search", json.appliedHints[1].undoQuery))).json
        assert.deepStrictEqual(
          quoted.appliedHints.map(({ parameter }: { parameter: string }) => parameter),
          ["prefer"]
        )
        assert.includeMembers(ids(quoted.endpoints), ["apollo-find", "hunter-find"])
        const off = (yield* get(ask("catalog/search", question, "&hints=off"))).json
        assert.deepStrictEqual([off.prefer, off.appliedHints], ["balanced", undefined])
      })
    )
  )

  it.live("give way to a parameter of the request", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const [question, parameters] of [
          ["cheapest email finder", "&prefer=balanced"],
          ["find a work email with hunter", "&provider=apollo"],
          ["find a work email at most 1 cent", "&maxPriceMicros=50000"],
          ["find a work email, no api key", "&keyless=false"]
        ] as const)
          assert.deepStrictEqual(
            (yield* get(ask("catalog/search", question, parameters))).json,
            (yield* get(ask("catalog/search", question, `${parameters}&hints=off`))).json,
            question
          )
      })
    )
  )

  it.live("that leave nothing are dropped, with a warning, on every page", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const question = "verify an email with hunter under 0.5 cents a call"
        const { json } = yield* get(ask("catalog/search", question))
        assert.deepStrictEqual(
          json.appliedHints.map(({ words }: { words: string }) => words),
          ["with hunter"]
        )
        assert.deepStrictEqual(json.warnings, [
          {
            code: "hint_dropped",
            words: "under 0.5 cents a call",
            parameter: "maxPriceMicros",
            message:
              'Nothing is left with maxPriceMicros=4999 and provider=hunter together, so "under 0.5 cents a call" was only searched for'
          }
        ])
        assert.strictEqual(json.endpoints[0].endpointId, "hunter-verify")
        const next = (yield* get(ask("catalog/search", question, "&limit=1&offset=1"))).json
        assert.deepStrictEqual([next.warnings, next.total], [json.warnings, json.total])
      })
    )
  )

  it.live("are dropped as few as possible, and the warning says beside which of them nothing was left", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<
          readonly [question: string, kept: string, left: string, said: ReadonlyArray<string>]
        > = [
          [
            "find a work email without an api key with hunter",
            "keyless=true",
            "plain-find",
            ["provider=hunter and keyless=true together"]
          ],
          [
            "find a work email with hunter, no api key, under 4 cents a call",
            "provider=hunter maxPriceMicros=39999",
            "hunter-find",
            ["keyless=true and provider=hunter and maxPriceMicros=39999 together"]
          ],
          [
            "cheapest work email finder with apollo for free",
            "prefer=cheapest provider=apollo",
            "apollo-find",
            ["maxPriceMicros=0 and provider=apollo together"]
          ],
          [
            "find a work email with clearbit, no api key, under 6 cents a call",
            "keyless=true maxPriceMicros=59999",
            "plain-find",
            ["provider=clearbit and keyless=true and maxPriceMicros=59999 together"]
          ],
          ["find a work email for free", "", "apollo-find", ["maxPriceMicros=0"]]
        ]
        for (const [question, kept, left, said] of cases) {
          const { appliedHints = [], endpoints, warnings } = (yield* get(ask("catalog/search", question))).json
          assert.strictEqual(
            appliedHints
              .map((hint: { parameter: string; value: string }) => `${hint.parameter}=${hint.value}`)
              .join(" "),
            kept,
            question
          )
          assert.include(ids(endpoints), left, question)
          assert.deepStrictEqual(
            warnings.map(({ message }: { message: string }) => /^Nothing is left with (.*), so "/.exec(message)?.[1]),
            said,
            question
          )
        }
      })
    )
  )

  it.live("are kept where they leave any of the jobs that the words mean", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const question = "find or verify a work email with bouncer"
        const { appliedHints, endpoints, expandedCapabilities, warnings } = (yield* get(
          ask("catalog/search", question)
        )).json
        assert.deepStrictEqual(expandedCapabilities, ["people.email.find", "people.email.verify"])
        assert.deepStrictEqual(
          appliedHints?.map(({ words }: { words: string }) => words),
          ["with bouncer"]
        )
        assert.deepStrictEqual([ids(endpoints), warnings], [["bouncer-verify"], undefined])
      })
    )
  )

  it.live("are read alike by discover and the public catalog, where they are parameters there", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const limited = (yield* get(ask("discover", "find a work email at most 1 cent with hunter"))).json
        assert.deepStrictEqual(ids(limited.operations.slice(0, 1)), ["apollo-find"])
        assert.deepStrictEqual(
          limited.appliedHints.map(({ words }: { words: string }) => words),
          ["at most 1 cent"]
        )
        const items = (yield* get(ask("public-catalog", "find a work email at most 1 cent, with hunter"))).json
        assert.deepStrictEqual(
          [items.items[0].catalogItemId, items.appliedHints.map(({ words }: { words: string }) => words)],
          ["hunter-find", ["with hunter"]]
        )
        const off = (yield* get(ask("public-catalog", "find a work email with hunter", "&hints=off"))).json
        assert.notProperty(off, "appliedHints")
      })
    )
  )

  it.live("are none where nothing was said, so that the answer stays as it is", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const q of ["find a work email", "free text search", "email finder hunter", "no such words at all"])
          for (const path of ["catalog/search", "discover", "public-catalog"]) {
            const { json } = yield* get(ask(path, q))
            const plain = path === "discover" ? { ...json, operations: json.operations.map(unhinted) } : json
            assert.deepStrictEqual(plain, (yield* get(ask(path, q, "&hints=off"))).json)
          }
      })
    )
  )
})
