// Reading manifests: everything is sound, or every problem is told with its file and path. The built-in catalog is held
// to it.
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readCatalog } from "../../../src/layers/catalog/CatalogFiles.js"
import { decodeCatalog, inItsFile } from "../../../src/layers/catalog/ManifestReading.js"
import { lintCatalog } from "../../../src/layers/catalog/CatalogLint.js"

const job = `
id: things.find
title: Find things
category: things
platform: all
description: Finds things.
exampleInput: { name: x }
`
const provider = (operation: string, more = "") => `
id: maker
name: Maker
baseUrl: https://api.maker.test
${more}
operations:
  - id: maker-find
    name: Find
    summary: Finds.
    job: things.find
    method: GET
    path: /find
    input: { type: object }
    price: { basis: free, micros: 0 }
${operation
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}
`
const decode = (providers: ReadonlyArray<string>, jobs: ReadonlyArray<string> = [job]) =>
  decodeCatalog(
    {
      jobs: jobs.map((text, index) => ({ file: `jobs/${index}.yaml`, text })),
      providers: providers.map((text, index) => ({ file: `providers/${index}.yaml`, text }))
    },
    { thorough: true }
  )

const problems = (providers: ReadonlyArray<string>, jobs?: ReadonlyArray<string>) =>
  Either.match(decode(providers, jobs), {
    onRight: () => [],
    onLeft: ({ problems: found }) => found.map(({ file, path }) => `${file} ${path}`)
  })

describe("a catalog", () => {
  it("that is sound gives its jobs and endpoints", () => {
    const content = Either.getOrThrow(decode([provider("")]))
    assert.deepStrictEqual(
      content.jobs.map(({ id }) => id),
      ["things.find"]
    )
    assert.deepStrictEqual(
      content.endpoints.map(({ operation, provider: { id } }) => [id, operation.id]),
      [["maker", "maker-find"]]
    )
  })

  const bad: ReadonlyArray<[what: string, text: string, path: string]> = [
    ["is not YAML", "id: [", ""],
    ["has a key twice", "id: a\nid: b", ""],
    ["has an unknown key", provider("", "colour: red"), "colour"],
    ["has a wrong value", provider("timeoutMs: 5"), "operations.0.timeoutMs"],
    [
      "has an expression that does not parse",
      provider("response: { errors: [{ when: 'body.[' }] }"),
      "operations.0.response.errors.0.when"
    ],
    [
      "has an output field that does not parse",
      provider("output: { fields: { a: 'x ||' } }"),
      "operations.0.output.fields.a"
    ],
    ["negates only the start of a path", provider("response: { miss: '!body.data' }"), "operations.0.response.miss"],
    [
      "has a schema that is none",
      provider("").replace("{ type: object }", "{ type: thing }"),
      "operations.0.input.type"
    ],
    [
      "binds to a path part that does not exist",
      provider("bindings: { a: { in: path, name: a } }"),
      "operations.0.bindings.a"
    ],
    ["names an unknown job", provider("").replace("things.find", "things.lose"), "operations.0.job"],
    ["is free and costs something", provider("").replace("micros: 0", "micros: 1"), "operations.0.price.micros"],
    [
      "is priced per result without a volume",
      provider("").replace("basis: free, micros: 0", "basis: per_result, micros: 1"),
      "operations.0.volume"
    ],
    ["is effectful, repeatable and without idempotency", provider("effect: effectful"), "operations.0.repeatable"]
  ]
  for (const [what, text, path] of bad)
    it(`that ${what} is refused with file and path`, () => assert.include(problems([text]), `providers/0.yaml ${path}`))

  it("that is nested deeper than its reader can go is refused, however it is written", () => {
    for (const text of [
      `id: ${"[".repeat(20_000)}`,
      `id: ${"{a: [".repeat(10_000)}`,
      `${"- ".repeat(20_000)}x`,
      `${"? ".repeat(20_000)}x`,
      Array.from({ length: 1_000 }, (_, at) => `${" ".repeat(at)}a:`).join("\n")
    ])
      assert.deepStrictEqual(
        Either.match(decode([text]), { onLeft: (invalid) => invalid.problems, onRight: () => [] }),
        [{ file: "providers/0.yaml", path: "", message: "is nested deeper than 300 levels" }]
      )
  })
  it("whose texts only look nested is read", () => {
    const text = provider("").replace("Finds.", `"${"[{".repeat(1_000)}"`)
    assert.isTrue(Either.isRight(decode([text])))
  })

  it("with several faults tells all of them", () =>
    assert.strictEqual(problems(["id: [", provider("timeoutMs: 5\nmaxBytes: 0")]).length, 3))
  it("with an id twice names the second place", () =>
    assert.deepStrictEqual(problems([provider(""), provider("")]), [
      "providers/1.yaml id",
      "providers/1.yaml operations.0.id"
    ]))

  it("gives a contract version that follows the contract and not its words", () => {
    const version = (text: string) => Either.getOrThrow(decode([text])).endpoints[0]!.contractVersion
    const base = version(provider(""))
    assert.match(base, /^[0-9a-f]{64}$/)
    assert.strictEqual(version(provider("").replace("Finds.", "Finds things.")), base)
    assert.strictEqual(version(provider("", "name: Other").replace("name: Maker\n", "")), base)
    assert.notStrictEqual(version(provider("maxBytes: 5")), base)
    assert.notStrictEqual(version(provider("").replace("api.maker", "api2.maker")), base)
  })
})

describe("several folders", () => {
  const folders = (...contents: ReadonlyArray<{ readonly jobs?: string; readonly providers: string }>) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        contents.map(({ jobs, providers }) => {
          const folder = mkdtempSync(join(tmpdir(), "gateway-catalog-"))
          for (const [kind, text] of Object.entries({ jobs, providers })) {
            if (text === undefined) continue
            mkdirSync(join(folder, kind))
            writeFileSync(join(folder, kind, "one.yaml"), text)
          }
          return folder
        })
      ),
      (made) => Effect.sync(() => made.forEach((folder) => rmSync(folder, { recursive: true })))
    )

  it.scopedLive("lie one over the other: what has the same id is overridden and told, all else stays", () =>
    Effect.gen(function* () {
      const second = provider("").replaceAll("https://api.maker.test", "https://other.maker.test")
      const more = `${second.trimEnd()}\n${second.slice(second.indexOf("  - id: maker-find")).replace("maker-find", "maker-more")}`
      const made = yield* folders(
        { jobs: job, providers: provider("") },
        { providers: more },
        { jobs: job.replace("Find things", "Find more"), providers: provider("").replaceAll("maker", "another") }
      )
      const { endpoints, jobs, overridden } = yield* readCatalog(made)
      assert.deepStrictEqual(
        endpoints.map(({ operation, provider: { baseUrl } }) => [operation.id, baseUrl]),
        [
          ["maker-find", "https://other.maker.test"],
          ["maker-more", "https://other.maker.test"],
          ["another-find", "https://api.another.test"]
        ]
      )
      assert.deepStrictEqual(
        jobs.map(({ id, title }) => [id, title]),
        [["things.find", "Find more"]]
      )
      assert.deepStrictEqual(overridden, [
        { folder: made[1]!, jobs: [], operations: ["maker-find"] },
        { folder: made[2]!, jobs: ["things.find"], operations: [] }
      ])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("are refused with every problem of each, and an id twice in one of them is a problem", () =>
    Effect.gen(function* () {
      const made = yield* folders(
        { jobs: job, providers: provider("timeoutMs: 5") },
        { providers: `${provider("")}${provider("").slice(provider("").indexOf("  - id"))}` }
      )
      const { problems: found } = yield* Effect.flip(readCatalog(made))
      assert.deepStrictEqual(
        found.map(({ path }) => path),
        ["operations.0.timeoutMs", "operations.1.id"]
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )
})

describe("folders that are published together", () => {
  it.scopedLive("hold a provider once: its second file is refused, and both are named", () =>
    Effect.gen(function* () {
      const made = ["a", "b"].map((name) => mkdtempSync(join(tmpdir(), `gateway-twice-${name}-`)))
      yield* Effect.addFinalizer(() => Effect.sync(() => made.forEach((folder) => rmSync(folder, { recursive: true }))))
      for (const [at, folder] of made.entries()) {
        mkdirSync(join(folder, "providers"))
        writeFileSync(
          join(folder, "providers", "maker.yaml"),
          provider("").replace("id: maker-find", `id: maker-find-${at}`)
        )
      }
      const options = { otherJobs: [{ id: "things.find" }] }
      assert.lengthOf((yield* readCatalog(made, options)).endpoints, 2)
      const { problems: found } = yield* Effect.flip(readCatalog(made, { ...options, providersOnce: true }))
      const [first = "", second = ""] = made.map((folder) => join(folder, "providers", "maker.yaml"))
      assert.deepStrictEqual(found, [
        {
          file: second,
          path: "id",
          message: `provider maker exists already in ${first}; publish them one after the other, or put them into one file`
        }
      ])
    }).pipe(Effect.provide(NodeContext.layer))
  )
})

describe("the built-in catalog", () => {
  it.live(
    "is sound, and every documented sample comes out of the real engine as documented",
    () =>
      Effect.gen(function* () {
        const catalog = yield* readCatalog(["catalog"], { thorough: true })
        const problems = yield* lintCatalog(catalog)
        assert.deepStrictEqual(
          problems.map(({ endpointId, message, path }) => `${endpointId} ${path}: ${message}`),
          []
        )
      }).pipe(Effect.provide(NodeContext.layer)),
    60_000
  )

  it.scopedLive("says which folders hold neither providers nor jobs", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(readCatalog(["catalog", "catalog/providers", "src"]))
      assert.deepStrictEqual(
        failure.problems.map(({ file }) => file),
        ["catalog/providers", "src"]
      )
      assert.match(failure.message, /neither providers\/ nor jobs\//)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.live("says which folder cannot be read", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(readCatalog(["no-such-folder"]))
      assert.deepStrictEqual(failure.problems, [{ file: "no-such-folder", path: "", message: "cannot be read" }])
    }).pipe(Effect.provide(NodeContext.layer))
  )
})

describe("the lint", () => {
  it.live("tells a sample that does not come out as documented", () =>
    Effect.gen(function* () {
      const sampled = provider(
        "response: { miss: '!(body.found)' }\nsamples: { hit: { input: {}, body: { found: null }, outcome: hit } }",
        "mock: true"
      )
      const found = yield* lintCatalog(Either.getOrThrow(decode([sampled])))
      assert.deepStrictEqual(found, [
        { endpointId: "maker-find", path: "samples.hit", message: "came out as miss and not as hit" }
      ])
    })
  )

  it.live("tells what a field and the cost came out as, and what the sample says of them", () =>
    Effect.gen(function* () {
      const lint = Effect.fnUntraced(function* (sample: string, costMicros = "body.credits") {
        const rules = `response: { success: body.name, costMicros: '${costMicros}' }\noutput: { fields: { name: body.name } }`
        const jobs = [`${job}\nfields: { name: What it is called. }`]
        const sampled = provider(`${rules}\nsamples: { hit: { input: {}, ${sample} } }`, "mock: true")
        return (yield* lintCatalog(Either.getOrThrow(decode([sampled], jobs)))).map(({ message }) => message)
      })
      const hit = "body: { name: Hedera helix, credits: 3000 }, outcome: hit"
      const error = "status: 500, body: { credits: 20 }, outcome: error"
      assert.deepStrictEqual(yield* lint(hit), [], "a sample need not say the cost")
      assert.deepStrictEqual(yield* lint(`${hit}, costMicros: 3000`), [])
      assert.deepStrictEqual(yield* lint(`${hit}, costMicros: null`, "body.gone"), [])
      assert.deepStrictEqual(yield* lint(`${error}, costMicros: 20`), [])
      assert.deepStrictEqual(yield* lint(`${hit}, normalized: { name: Hedera hlix }, costMicros: 4000`), [
        'normalized.fields.name came out as "Hedera helix" and not as the sample\'s "Hedera hlix"',
        "costMicros came out as 3000 and not as the sample's 4000"
      ])
      assert.deepStrictEqual(yield* lint(`${error}, code: auth_error, costMicros: null`), [
        "failed with provider_error and not with auth_error",
        "costMicros came out as 20 and not as the sample's null"
      ])
      assert.deepStrictEqual(yield* lint(`${hit}, costMicros: 3000`, "body.gone"), [
        "costMicros came out as null and not as the sample's 3000"
      ])
      assert.deepStrictEqual(yield* lint(`${hit}, costMicros: null`, "body.name"), [
        'costMicros came out as no amount ("Hedera helix") and not as the sample\'s null'
      ])
    })
  )

  it.live("takes no request that is sent again with a new access token for a further page", () =>
    Effect.gen(function* () {
      const sampled = (pages: string) =>
        provider(
          `
volume: { field: limit, default: 2, max: 20 }
pages: { items: body.items, size: 5, next: { by: page, field: page } }
samples:
  hit: { input: { limit: 12 }, body: { items: [1, 2, 3, 4, 5] }, pages: [${pages}], outcome: hit }
  error: { input: {}, status: 401, body: {}, outcome: error, code: auth_error }
  paged-error: { input: { limit: 7 }, status: 401, body: {}, outcome: error, code: auth_error }`,
          "auth: { type: oauth2_client_credentials, tokenUrl: 'https://api.maker.test/token' }\nmock: true"
        ).replace(
          "input: { type: object }",
          "input: { type: object, properties: { limit: { type: integer }, page: { type: integer } } }"
        )
      const lint = Effect.fnUntraced(function* (pages: string) {
        const found = yield* lintCatalog(Either.getOrThrow(decode([sampled(pages)])))
        return found.map(({ message, path }) => `${path}: ${message}`)
      })
      assert.deepStrictEqual(yield* lint("{ body: { items: [6, 7] } }"), [])
      assert.deepStrictEqual(yield* lint("{ status: 401, body: {} }"), [], "a further page is refused twice as well")
      const full = yield* lint("{ body: { items: [6, 7, 8, 9, 10] } }")
      assert.match(full.join(), /^samples.hit: a page 3 was asked for, and the sample has none/)
      assert.match(
        (yield* lint("{ status: 401, body: {} }, { body: { items: [8] } }")).join(),
        /^samples.hit: its page 3 was not asked for/
      )
    })
  )
})

describe("a documented schema of the answer", () => {
  const outputSchema = "outputSchema: { type: object, properties: { name: { type: string } } }"

  it.live("is what the samples are held against", () =>
    Effect.gen(function* () {
      const sampled = (name: string) =>
        provider(
          `${outputSchema}\nsamples: { hit: { input: {}, body: { name: ${name} }, outcome: hit } }`,
          "mock: true"
        )
      assert.deepStrictEqual(yield* lintCatalog(Either.getOrThrow(decode([sampled("Ada")]))), [])
      assert.deepStrictEqual(yield* lintCatalog(Either.getOrThrow(decode([sampled("7")]))), [
        {
          endpointId: "maker-find",
          path: "samples.hit",
          message: "breaks outputSchema: body.name must be text"
        }
      ])
    })
  )

  it("must be there, and be one that can be checked, where answers that break it are refused", () => {
    const refuse = "response: { undocumented: refuse }"
    assert.deepStrictEqual(problems([provider(`${outputSchema}\n${refuse}`)]), [])
    assert.deepStrictEqual(problems([provider(refuse)]), ["providers/0.yaml operations.0.response.undocumented"])
    const referring = "outputSchema: { properties: { name: { $ref: '#' } } }"
    assert.deepStrictEqual(problems([provider(`${referring}\n${refuse}`)]), [
      "providers/0.yaml operations.0.outputSchema.properties.name.$ref"
    ])
    assert.deepStrictEqual(problems([provider(referring)]), [])
  })
})

describe("a check of manifests", () => {
  it("tells one mistake of YAML once, with its line", () => {
    const open = provider(`response:\n  success: [body.name\n${"facts: { a: b }\n".repeat(40)}`)
    const found = decode([open])
    assert.isTrue(Either.isLeft(found))
    if (Either.isRight(found)) return
    assert.strictEqual(found.left.problems.length, 1)
    assert.include(found.left.problems[0]?.message, "at line ")
  })

  it("shows the line that is not YAML, and says where an indent is wrong", () => {
    const said = (text: string) =>
      Either.match(decode([text]), {
        onRight: () => [],
        onLeft: ({ problems: found }) => found.map((each) => each.message)
      })
    assert.deepStrictEqual(said("operations:\n  - id: a\n    name: b\n   job: x\n"), [
      'Sequence item without - indicator at line 4, column 1: "job: x"; its indent, or that of a line above it, does not fit the others'
    ])
    assert.deepStrictEqual(said("id: a\nname: b: c\n"), [
      'Nested mappings are not allowed in compact mappings at line 2, column 7: "name: b: c"; put a text that has a colon and a blank in it in quotes'
    ])
    assert.deepStrictEqual(said("id: a\nmiss: !(body.email)\n"), [
      'Unresolved tag: !(body.email) at line 2, column 7: "miss: !(body.email)"; put a text that begins with ! in quotes'
    ])
    assert.deepStrictEqual(said(provider("", "auth: { type: apiKey, name: X-Key }")), [
      'Expected "none" | "bearer" | "header" | "header_pair" | "query" | "basic" | "body" | "oauth2_client_credentials" | "path" | "cookie" | "pair" | "aws_sigv4" | "hmac" | "jwt" | "oauth2_authorization_code" | "unsupported", actual "apiKey"; a key has the type of its place, such as header or query'
    ])
  })

  it("says what a price is counted in, where it is a fraction", () => {
    const found = decode([provider("").replace("micros: 0", "micros: 0.004")])
    assert.deepStrictEqual(
      Either.isLeft(found) ? found.left.problems.map(({ message, path }) => [path, message]) : [],
      [
        [
          "operations.0.price.micros",
          "must be a whole number from 0 to 9007199254740991, and is 0.004: micros are millionths of a dollar, so $0.004 is 4000"
        ]
      ]
    )
  })

  it("tells a word that is none of several once, and what a provider has wrong once and not for each operation", () => {
    const found = decode([provider("effect: harmless")])
    assert.deepStrictEqual(Either.isLeft(found) ? found.left.problems : [], [
      {
        file: "providers/0.yaml",
        path: "operations.0.effect",
        message: 'Expected "read_only" | "effectful", actual "harmless"'
      }
    ])
    const unsigned = provider("", "auth: { type: hmac, text: '{nothing}', headers: { X-S: '{signature}' } }")
    const [head = "", first = ""] = unsigned.split("operations:\n")
    const two = `${head}operations:\n${first}${first.replace("maker-find", "maker-seek")}`
    assert.deepStrictEqual(problems([two]), ["providers/0.yaml auth.text"])
  })

  it("tells a member that there is not with the one that was meant, and a wrong type without the names of the code", () => {
    const said = (more: string) => {
      const found = decode([provider(more)])
      return Either.isLeft(found) ? found.left.problems.map(({ message, path }) => `${path}: ${message}`) : []
    }
    assert.deepStrictEqual(said("repeatble: false"), [
      "operations.0.repeatble: is no member here; did you mean repeatable?"
    ])
    assert.match(
      said("colour: red")[0] ?? "",
      /^operations\.0\.colour: is no member here; there are id, name, summary, /
    )
    assert.deepStrictEqual(said("extras: shelf"), ['operations.0.extras: Expected a list, actual "shelf"'])
  })

  it("says what would be right of a choice, a number, a header, a type of answers, a key and a second document", () => {
    const said = (text: string) =>
      Either.match(decode([text]), {
        onRight: () => [],
        onLeft: ({ problems: found }) => found.map(({ message, path }) => `${path}: ${message}`)
      })
    const all = (more: string, head = "") => said(provider(more, head)).join("\n")
    assert.include(all("", "auth: { type: headr, name: X-Key }"), 'actual "headr"; did you mean header?')
    assert.include(said(provider("").replace("GET", "get")).join(), 'actual "get"; did you mean GET?')
    assert.include(
      said(provider("").replace("micros: 0", "micros: -1")).join(),
      "must be a whole number from 0 to 9007199254740991, and is -1"
    )
    assert.strictEqual(
      all("", "auth: { type: header, name: 'X Api Key' }"),
      "auth.name: must be the name of a header, such as X-Api-Key"
    )
    assert.strictEqual(
      all("", "auth: { type: bearer, secret: abc }"),
      "auth.secret: is no member here: no manifest holds a key; set it with gateway key set"
    )
    assert.strictEqual(
      all("idempotencyHeader: 'Idem Key'"),
      "operations.0.idempotencyHeader: must be the name of a header, such as X-Api-Key"
    )
    assert.strictEqual(
      all("bindings: { q: { in: header, name: 'X Q' } }"),
      'operations.0.bindings.q: goes to "X Q", which must be the name of a header, such as X-Api-Key'
    )
    assert.strictEqual(
      all("contentTypes: [json]"),
      "operations.0.contentTypes.0: must be a media type without parameters such as application/json, or a kind such as image/*"
    )
    for (const right of ["[image/*]", "['*/*']", "[application/vnd.api+json]"])
      assert.strictEqual(all(`contentTypes: ${right}`), "")
    assert.strictEqual(
      all("volume: { field: n, default: 5, max: 4 }"),
      "operations.0.volume.default: must not be above volume.max, which is 4"
    )
    assert.deepStrictEqual(
      all("fixed: [{ in: header, name: X-A, value: '日本' }]"),
      "operations.0.fixed.X-A: must be without line breaks and characters outside of Latin-1"
    )
    const sample = (more: string) => all(`samples: { hit: { input: {}, body: {}, outcome: hit, ${more} } }`)
    assert.match(sample("status: 99"), /^operations\.0\.samples\.hit\.status: Expected a number between 200 and 599/)
    assert.match(
      sample("headers: { 'X Bad': '1' }"),
      /samples\.hit\.headers: has "X Bad", which is no name of a header/
    )
    assert.match(sample("headers: { X-Bad: '日本' }"), /samples\.hit\.headers\.X-Bad: must be without line breaks/)
    assert.match(
      said(
        provider("").replace("basis: free, micros: 0", "basis: per_call, micros: 5, maxMicros: 9, byInput: 'body.x'")
      ).join(),
      /price\.byInput: .*an expression sees input, and there is no body/
    )
    assert.deepStrictEqual(said(`${provider("")}---\n${provider("")}`), [
      ": holds several documents: write each manifest into a file of its own"
    ])
  })

  it("refuses a default that does not fit its schema, at any depth", () => {
    const input = (schema: string) => {
      const text = provider("").replace("{ type: object }", schema)
      const found = decodeCatalog(
        { jobs: [{ file: "job", text: job }], providers: [{ file: "f", text }] },
        { thorough: true }
      )
      return Either.isLeft(found) ? found.left.problems.map(({ message, path }) => `${path}: ${message}`) : []
    }
    assert.deepStrictEqual(
      input(
        "{ type: object, properties: { a: { type: string, default: 5 }, b: { type: object, properties: { c: { enum: [x], default: y } } }, d: { type: array, items: { type: integer }, default: [1, z] } } }"
      ),
      [
        "operations.0.input.properties.a.default: does not fit its schema: must be text",
        'operations.0.input.properties.b.properties.c.default: does not fit its schema: must be one of: "x"',
        "operations.0.input.properties.d.default: does not fit its schema: 1 must be a whole number"
      ]
    )
    assert.deepStrictEqual(
      input(
        "{ type: object, properties: { u: { type: string, format: uuid, default: abc }, l: { type: array, items: { type: object, properties: { n: { type: integer, default: x } } } } }, allOf: [{ properties: { f: { type: string, default: 5 } } }] }"
      ).map((problem) => problem.split(":")[0]),
      [
        "operations.0.input.properties.u.default",
        "operations.0.input.properties.l.items.properties.n.default",
        "operations.0.input.allOf.0.properties.f.default"
      ]
    )
    for (const right of [
      "{ type: object, properties: { a: { type: string, default: tea }, n: { type: integer, default: 3 } } }",
      // What is inside of a default may have defaults of its own.
      "{ type: object, properties: { f: { type: object, required: [mode], properties: { mode: { type: string, default: a } }, default: {} } } }"
    ])
      assert.deepStrictEqual(input(right), [])
  })

  it("tells a mistake of a job at its own file, and not at the operations that name the job", () => {
    const file = "jobs/things.find.yaml"
    const found = decodeCatalog({
      jobs: [{ file, text: job.replace("title", "titel") }],
      providers: [{ file: "providers/maker.yaml", text: provider("") }]
    })
    const files = Either.isLeft(found) ? found.left.problems.map((each) => each.file) : []
    assert.deepStrictEqual([...new Set(files)], [file])
  })

  it.live("names file and path of what a replayed sample shows", () =>
    Effect.gen(function* () {
      const content = Either.getOrThrow(
        decode([provider("samples: { hit: { input: {}, body: {}, outcome: miss } }", "mock: true")])
      )
      const found = yield* lintCatalog(content)
      assert.deepStrictEqual(
        found.map((each) => inItsFile(content.sources, each)),
        [
          {
            file: "providers/0.yaml",
            path: "operations.0.samples.hit",
            message: "came out as hit and not as miss"
          }
        ]
      )
    })
  )

  it("goes on with what the other files hold", () => {
    const other = provider("").replaceAll("maker", "other")
    const found = decode([provider("response: { miss: 'body.[' }"), other])
    assert.isTrue(Either.isLeft(found))
    if (Either.isRight(found)) return
    assert.deepStrictEqual(
      found.left.rest.endpoints.map(({ operation }) => operation.id),
      ["other-find"]
    )
    assert.deepStrictEqual(
      found.left.rest.jobs.map(({ id }) => id),
      ["things.find"]
    )
  })

  it.live("tells of a slow operation whose rules take the answer of its start for the result", () =>
    Effect.gen(function* () {
      const slow = (done: string) =>
        provider(
          `provenance: { docs: x, verified: false }\nasync: { ticket: body.id, poll: { path: '/jobs/{id}' }, done: '${done}' }\nsamples: { hit: { input: {}, start: { id: a }, body: { name: x }, outcome: hit } }`
        )
      const lint = (text: string) =>
        Effect.map(lintCatalog(Either.getOrThrow(decode([text]))), (found) =>
          found.map(({ message, path }) => `${path}: ${message}`)
        )
      assert.deepStrictEqual(yield* lint(slow("body.name")), [])
      assert.deepStrictEqual(yield* lint(slow("body")), [
        "samples.hit: asked 1 times, and start, polls and body are 2 answers: async.done holds for another of them"
      ])
    })
  )

  it.live(
    "ends where a sample is polled without end, and sends an empty body as one",
    () =>
      Effect.gen(function* () {
        const documented = "provenance: { docs: x, verified: false }\n"
        const endless = provider(
          `${documented}async: { ticket: body.id, poll: { path: '/jobs/{id}' }, done: 'body.never' }\nsamples: { hit: { input: {}, start: { id: a }, body: { name: x }, outcome: hit } }`
        )
        const silent = provider(
          `${documented}effect: effectful\nrepeatable: false\nresponse: { success: body.name }\nsamples: { hit: { input: {}, body: '', outcome: hit } }`
        )
          .replaceAll("maker", "other")
          .replace("method: GET", "method: DELETE")
        const found = yield* lintCatalog(Either.getOrThrow(decode([endless, silent])))
        assert.deepStrictEqual(
          found.map(({ endpointId, path }) => `${endpointId} ${path}`),
          ["maker-find samples.hit"]
        )
      }),
    60_000
  )
})
