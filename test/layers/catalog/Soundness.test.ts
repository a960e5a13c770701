/** One function says what is wrong with a catalog: files, publications and imports name the same problem. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { stringify } from "yaml"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { importLines } from "../../../src/layers/catalog/import/ImportJsonl.js"
import { decodeCatalog } from "../../../src/layers/catalog/ManifestReading.js"
import { operationProblems } from "../../../src/layers/catalog/Soundness.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { CatalogRevisionsPg } from "../../../src/layers/postgres/CatalogRevisionsPg.js"
import { ContractStorePg } from "../../../src/layers/postgres/ContractStorePg.js"
import type { CatalogContent } from "../../../src/services/CatalogPublisher.js"
import { CatalogRevisions } from "../../../src/services/CatalogRevisions.js"
import { endpoint, job } from "../../support/catalog.js"
import { testDatabase } from "../../support/postgres.js"

const known = job("web.search")

/** Members that make an operation bad, with the path and the message that every door answers. */
const bad: ReadonlyArray<readonly [member: object, path: string, message: string]> = [
  [{ price: { basis: "free", micros: 5 } }, "price.micros", "must be 0 when the price is free"],
  [
    { price: { basis: "per_result", micros: 5 }, response: { resultCount: "length(body.items)" } },
    "volume",
    "is needed for a price per result: it bounds what a call can cost"
  ],
  [
    { price: { basis: "per_call", micros: 5, byInput: "length(input.name)" } },
    "price.maxMicros",
    "is needed for a price by input: it bounds what a call can cost"
  ],
  [
    { price: { basis: "per_call", micros: 5, maxMicros: 4, byInput: "`4`" } },
    "price.maxMicros",
    "must not be below the price of a usual call"
  ],
  [
    { price: { basis: "free", micros: 0, maxMicros: 4, byInput: "`4`" } },
    "price.basis",
    "must be per_call or per_result when the price is by input"
  ],
  [
    { price: { basis: "per_call", micros: 5, maxMicros: 9, byInput: "input.[" } },
    "price.byInput",
    'is not a JMESPath expression: Syntax error: invalid token (EOF): ""'
  ],
  [
    { price: { basis: "per_call", micros: 5, maxMicros: 9, byInput: "input.pages * `3`" } },
    "price.byInput",
    "does not fit the operation's own example, whose pages gives the call no price, which is worked out as input.pages * `3`"
  ],
  [
    { method: "POST", effect: "effectful" },
    "repeatable",
    "must be false for an effectful operation without idempotencyHeader: a repeated call would act twice"
  ],
  [
    { price: { basis: "per_call", micros: 5, maxMicros: 4 } },
    "price.maxMicros",
    "must not be below the price of a usual call"
  ],
  [{ job: "no.such.job" }, "job", "there is no job no.such.job"],
  [{ job: "web.serach" }, "job", "there is no job web.serach; did you mean web.search?"],
  [
    { response: { missStatuses: [404], successStatuses: [302, 404] } },
    "response.successStatuses",
    "404 stands in missStatuses too; name it once"
  ],
  [
    { price: { basis: "per_result", micros: 5 }, volume: { field: "name", default: 1, max: 2 } },
    "response.resultCount",
    "is needed for a price per result: it says how many results came, such as length(body.items)"
  ],
  [
    { bindings: { name: { in: "query", name: "q" } }, fixed: [{ in: "query", name: "q", value: 1 }] },
    "bindings.name",
    "goes to q of the query, which a fixed value sets already"
  ],
  [
    { input: { type: "object", properties: { name: {} } }, fixed: [{ in: "query", name: "name", value: 1 }] },
    "input.properties.name",
    "goes to name of the query, which a fixed value sets already"
  ],
  [
    {
      input: { type: "object", properties: {}, anyOf: [{ properties: { LIMIT: {} } }] },
      fixed: [{ in: "query", name: "limit", value: 1 }]
    },
    "input.properties.LIMIT",
    "goes to LIMIT of the query, which a fixed value sets already"
  ],
  [
    { path: "/x?format=json", fixed: [{ in: "query", name: "format", value: "xml" }] },
    "fixed.format",
    "goes to format of the query, which the path sets already"
  ],
  [
    { bindings: { a: { in: "header", name: "X-A" }, b: { in: "header", name: "x-a" } } },
    "bindings.b",
    "goes to x-a of the headers, where bindings.a goes too"
  ],
  [
    { bindings: { name: { in: "header", name: "Host" } } },
    "bindings.name",
    "goes to the header Host, which the gateway itself writes for each request"
  ],
  [
    { fixed: [{ in: "header", name: "Content-Length", value: 5 }] },
    "fixed.Content-Length",
    "goes to the header Content-Length, which the gateway itself writes for each request"
  ],
  [{ bindings: { name: { in: "path", name: "who" } } }, "bindings.name", "the path has no {who}"],
  [{ path: "/b c/{name}" }, "path", 'has the character " ", which no address may have; write %20'],
  [{ path: "/a?city=zürich" }, "path", 'has the character "ü", which no address may have; write %C3%BC'],
  [
    { path: "/a/{name" },
    "path",
    "has a { that belongs to no placeholder such as {name}; write %7B for the sign itself"
  ],
  [
    { path: "/a/{{name}}" },
    "path",
    "has a { that belongs to no placeholder such as {name}; write %7B for the sign itself"
  ],
  [
    { path: "/a/{name}}" },
    "path",
    "has a } that belongs to no placeholder such as {name}; write %7D for the sign itself"
  ],
  [{ path: "/a/{}" }, "path", "has a { that belongs to no placeholder such as {name}; write %7B for the sign itself"],
  [
    { path: "/a?by=name&is={name}" },
    "path",
    "has {name} in its query, where it would be sent as it stands: take it out, and let a field go to the query"
  ],
  [{ path: "/a#b" }, "path", 'has the character "#", which no address may have; write %23'],
  [
    { async: { ticket: "body.id", poll: { path: "/jobs/{id}/💤" }, done: "body.done" } },
    "async.poll.path",
    'has the character "💤", which no address may have; write %F0%9F%92%A4'
  ],
  [
    {
      method: "POST",
      bindings: { name: { in: "json", name: "a" }, other: { in: "form", name: "b" } },
      repeatable: false
    },
    "bindings",
    "one request has one kind of body, not json and form"
  ],
  [
    { response: { miss: "body.[" } },
    "response.miss",
    'is not a JMESPath expression: Syntax error: invalid token (EOF): ""'
  ],
  [
    { response: { miss: "body.total == 0" } },
    "response.miss",
    'is not a JMESPath expression: Syntax error: invalid token (Number): "0"; write a number in backticks: `0`'
  ],
  [
    { response: { success: "headers.x-rate-limit" } },
    "response.success",
    'is not a JMESPath expression: a hyphen takes away; a name that has one is in quotes: "x-rate-limit"'
  ],
  [
    { response: { success: "body.first-name" } },
    "response.success",
    'is not a JMESPath expression: a hyphen takes away; a name that has one is in quotes: "first-name"'
  ],
  [{ input: { type: "array" } }, "input.type", "must be object: an input is an object of fields"],
  [
    { input: { type: "object", properties: { name: { $ref: "#/x" } } } },
    "input.properties.name.$ref",
    "cannot be used: schemas are written out where they apply"
  ]
]

const manifest = (member: object): string =>
  stringify({
    id: "maker",
    name: "Maker",
    baseUrl: "https://api.maker.test",
    operations: [
      {
        id: "bad",
        name: "Bad",
        summary: "Is bad.",
        method: "GET",
        path: "/x",
        input: { type: "object" },
        price: { basis: "free", micros: 0 },
        ...member
      }
    ]
  })

const fileProblems = (providers: ReadonlyArray<string>) =>
  Either.match(
    decodeCatalog(
      { jobs: [], providers: providers.map((text, at) => ({ file: `${at}.yaml`, text })) },
      { otherJobs: [known] }
    ),
    { onRight: () => [], onLeft: ({ problems }) => problems }
  )

const publicationProblems = (content: CatalogContent) =>
  Effect.gen(function* () {
    const revisions = yield* CatalogRevisions
    const published = yield* Effect.either(
      revisions.publish(content, { mode: "add", builtIn: { jobs: [known], endpoints: [] } }, commandLine)
    )
    assert.isTrue(Either.isLeft(published))
    assert.strictEqual(yield* revisions.sequence, 0)
    return Either.isLeft(published) && published.left._tag === "CatalogRefused" ? published.left.problems : []
  })

const publications = CatalogRevisionsPg.pipe(Layer.provide([ContractStorePg, IdsCrypto]), Layer.provide(testDatabase()))

describe("a provider", () => {
  it("that takes neither a key of the gateway nor one of a workspace is refused, unless it needs none", () => {
    const refused = (type: string) =>
      operationProblems(
        endpoint({ id: "a", provider: { auth: { type }, ownKey: false, platformKey: false } }),
        new Set(),
        "requests"
      )
    assert.deepStrictEqual(refused("bearer"), [
      {
        path: "platformKey",
        message: "and ownKey are false, so nobody has a key to call it with: leave one of them out"
      }
    ])
    assert.deepStrictEqual(refused("none"), [])
  })
})

describe("a bad operation", () => {
  it.each(bad)("with %j is refused in a file, with the path of what is wrong", (member, path, message) => {
    assert.deepStrictEqual(fileProblems([manifest(member)]), [
      { file: "0.yaml", path: `operations.0.${path}`, message }
    ])
  })

  it.live(
    "is refused in a publication with the same words, and nothing is published",
    () =>
      Effect.gen(function* () {
        for (const [member, path, message] of bad) {
          const content = { jobs: [], endpoints: [endpoint({ id: "bad", ...member })] }
          assert.deepStrictEqual(yield* publicationProblems(content), [{ subject: "endpoint bad", path, message }])
        }
      }).pipe(Effect.provide(publications)),
    30_000
  )

  it.effect("is left out of an import, whose report has the same words", () =>
    Effect.gen(function* () {
      const line = {
        endpointId: "bad",
        providerId: "maker",
        method: "POST",
        baseUrl: "https://api.maker.test",
        path: "/x",
        parameters: [
          { name: "a", in: "body" },
          { name: "b", in: "formData" }
        ]
      }
      const { endpoints, report } = yield* importLines([JSON.stringify(line)])
      assert.deepStrictEqual(endpoints, [])
      assert.deepStrictEqual(
        report.notes.map(({ effect, examples, message }) => ({ effect, examples, message })),
        [
          {
            effect: "skipped",
            examples: ["bad"],
            message: "bindings: one request has one kind of body, not json and form"
          }
        ]
      )
    })
  )
})

describe("a rule that says the same of every answer", () => {
  const problems = (member: object) =>
    operationProblems(endpoint({ id: "one", ...member }), new Set(), "requests").map(
      ({ message, path }) => `${path} ${message}`
    )
  const nothing = "reads nothing of the answer, so it says the same of every answer"

  it("is refused wherever a rule decides", () => {
    const async = { ticket: "body.id", poll: { path: "/x/{id}" }, done: "`true`" }
    assert.deepStrictEqual(
      problems({
        response: { errors: [{ when: "`false`" }], miss: "`0` == `0`", weak: "'x'", success: "length('body') > `1`" },
        async
      }),
      ["response.errors.0.when", "response.miss", "response.weak", "response.success", "async.done"].map(
        (path) => `${path} ${nothing}`
      )
    )
    for (const success of ["status", "$.status"])
      assert.deepStrictEqual(problems({ response: { success } }), [
        "response.success is a number, which always holds; compare it, such as status == `200`"
      ])
  })

  it("is none where it reads the answer or the input", () => {
    for (const success of ["status == `200`", "body", "headers.etag", "input.name", "@", "keys(@)"])
      assert.deepStrictEqual(problems({ response: { success } }), [])
  })
})

describe("the address of access tokens", () => {
  const problems = (tokenUrl: string, provider: object = {}) => {
    const auth = { type: "oauth2_client_credentials", tokenUrl }
    return operationProblems(endpoint({ id: "one", provider: { auth, ...provider } }), new Set(), "requests")
  }

  it("is absolute, and has no variable that nobody declares", () => {
    const refused = [{ path: "auth.tokenUrl", message: "is not an absolute address" }]
    for (const address of ["/oauth/token", "oauth/token", "ftp://a.example/token"])
      assert.deepStrictEqual(problems(address), refused)
    const variables = { shop: { pattern: "[a-z]+", description: "Which.", examples: ["tea"] } }
    assert.deepStrictEqual(problems("https://{shop}.example/token", { variables }), [])
    assert.deepStrictEqual(problems("https://{shp}.example/token", { variables }), [
      { path: "auth.tokenUrl", message: "uses {shp}, which is none of its variables" }
    ])
  })
})

describe("values under one name", () => {
  const problems = (provider: object, member: object) =>
    operationProblems(endpoint({ id: "one", provider, ...member }), new Set(), "requests").map(
      ({ message, path }) => `${path} ${message}`
    )

  it("are refused where the key goes", () => {
    const query = { auth: { type: "query", name: "name" } }
    assert.deepStrictEqual(problems(query, {}), ["input.properties.name goes to name of the query, where the key goes"])
    const form = { auth: { type: "body", name: "key" } }
    const more = { method: "POST", bindings: { name: { in: "form", name: "key" } } }
    assert.deepStrictEqual(problems(form, more), ["bindings.name goes to key of the form, where the key goes"])
    const header = { auth: { type: "header_pair", names: ["X-Id", "X-Key"] } }
    assert.deepStrictEqual(problems(header, { fixed: [{ in: "header", name: "x-key", value: "1" }] }), [
      "fixed.x-key goes to x-key of the headers, where the key goes"
    ])
    assert.deepStrictEqual(problems(query, { method: "POST" }), [])
  })

  it("are right as a list, as alternatives, in another place and in JSON", () => {
    const bindings = { a: { in: "query", name: "n" }, b: { in: "query", name: "n" } }
    for (const right of [
      { bindings: { a: { in: "query", name: "n[]" }, b: { in: "query", name: "n[]" } } },
      { bindings, input: { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] } },
      { bindings: { a: { in: "query", name: "n" }, b: { in: "header", name: "n" } } },
      { fixed: [1, 2].map((value) => ({ in: "query", name: "expand", value })) },
      { method: "POST", fixed: [{ in: "json", name: "name", value: 1 }] },
      { fixed: [{ in: "header", name: "Content-Type", value: "text/xml" }] }
    ])
      assert.deepStrictEqual(problems({}, right), [])
  })
})

describe("an id that is there twice", () => {
  it("is named in files with the file of the first, and the whole catalog is checked", () => {
    assert.deepStrictEqual(fileProblems([manifest({}), manifest({ job: "no.such.job" })]), [
      { file: "1.yaml", path: "id", message: "provider maker exists already in 0.yaml" },
      { file: "1.yaml", path: "operations.0.id", message: "operation bad exists already in 0.yaml" },
      { file: "1.yaml", path: "operations.0.job", message: "there is no job no.such.job" }
    ])
  })

  it.live(
    "is named in a publication, for operations and for jobs",
    () =>
      Effect.gen(function* () {
        const content = {
          jobs: [job("a.b"), job("a.b")],
          endpoints: [endpoint({ id: "twice" }), endpoint({ id: "twice", job: "a.b" })]
        }
        assert.deepStrictEqual(yield* publicationProblems(content), [
          { subject: "job a.b", path: "id", message: "job a.b exists already" },
          { subject: "endpoint twice", path: "id", message: "operation twice exists already" }
        ])
      }).pipe(Effect.provide(publications)),
    30_000
  )
})
