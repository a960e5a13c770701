// The package's export for tests: a whole gateway, over HTTP or as services, with scripted providers.
import { commandLine } from "../src/domain/AuditEntry.js"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Option, TestClock } from "effect"
import {
  Address,
  Caller,
  drop,
  fail,
  failures,
  hit,
  miss,
  Reconciliation,
  run,
  type Scripted,
  silence,
  testGateway,
  TestGatewayInvalid,
  type TestGatewayOptions,
  Wallet
} from "../src/testing.js"
import { createClient, isGatewayFailure } from "../src/client/index.js"
import type { JsonObject } from "../src/domain/Json.js"
import { runFailures } from "../src/domain/RunFailures.js"
import type { Loose } from "./support/httpGateway.js"

const job = "job:people.email.find"
const input = { name: "Ada Example", domain: "example.com" }
const found = (email: string) => hit({ found: true, email, status: "deliverable" })

const post = async (
  gateway: { readonly url: string; readonly token: string },
  body: object,
  headers: Record<string, string> = {}
) => {
  const response = await fetch(`${gateway.url}/v1/runs?wait=true`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${gateway.token}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
      ...headers
    },
    body: JSON.stringify(body)
  })
  return { status: response.status, json: (await response.json()) as Loose }
}

const lookup = {
  id: "acme",
  name: "Acme",
  baseUrl: "https://api.acme.test",
  auth: { type: "basic" as const },
  operations: [
    {
      id: "acme-lookup",
      name: "Lookup",
      summary: "Looks things up.",
      job: "acme.things.find",
      method: "GET" as const,
      path: "/lookup/{name}",
      input: { type: "object", required: ["name"], properties: { name: { type: "string", description: "Whose." } } },
      price: { basis: "per_call" as const, micros: 300 },
      output: { fields: { thing: "body.thing" } }
    }
  ] as const
}
const things = `
id: acme.things.find
title: Find things
category: things
platform: acme
description: Finds things.
exampleInput: { name: x }
fields: { thing: The thing. }
`

describe("a test gateway", () => {
  it("answers null where a step says null, and the sample only where it says nothing", async () => {
    const gateway = testGateway({ providers: { "mock-email-find": [hit(null), hit()] } })
    const listening = await gateway.listen()
    try {
      const [none, sample] = [
        await post(listening, { endpointId: "mock-email-find", input }),
        await post(listening, { endpointId: "mock-email-find", input })
      ]
      assert.deepStrictEqual([none.json.result, none.json.normalized.fields], [null, {}])
      assert.isString(sample.json.normalized.fields.email)
    } finally {
      await listening.close()
    }
  })

  it("answers over HTTP what its script says, in order, and keeps the calls", async () => {
    const gateway = testGateway({ providers: { "mock-email-find": [miss(), found("ada@example.com")] } })
    const listening = await gateway.listen()
    try {
      const first = await post(listening, { endpointId: "mock-email-find", input })
      const second = await post(listening, { endpointId: "mock-email-find", input })
      assert.deepStrictEqual(
        [first.status, first.json.outcome, second.json.outcome, second.json.normalized.fields.email],
        [201, "miss", "hit", "ada@example.com"]
      )
      assert.deepStrictEqual(
        gateway.calls("mock-email-find").map((call) => call.input["domain"]),
        ["example.com", "example.com"]
      )
      const balance = await fetch(`${listening.url}/v1/balance`, {
        headers: { authorization: `Bearer ${listening.token}` }
      })
      assert.strictEqual(
        ((await balance.json()) as Loose).availableMicros,
        100_000_000 - second.json.pricing.finalChargeMicros
      )
    } finally {
      await listening.close()
    }
  })

  it("refuses over HTTP as production does: rate, scopes, money and runs in flight", async () => {
    const answers = async (options: TestGatewayOptions, times = 1) => {
      const listening = await testGateway(options).listen()
      try {
        const all = await Promise.all(
          Array.from({ length: times }, () => post(listening, { endpointId: "mock-email-find", input }))
        )
        return all.map(({ json, status }) => [status, json.error?.code ?? json.status]).sort()
      } finally {
        await listening.close()
      }
    }
    assert.deepStrictEqual(await answers({ usd: 0 }), [[402, "insufficient_balance"]])
    assert.deepStrictEqual(await answers({ scopes: ["catalog:read"] }), [[403, "forbidden"]])
    assert.deepStrictEqual(await answers({ requestRate: { burst: 1, refillPerSecond: 0.001 } }, 2), [
      [201, "completed"],
      [429, "rate_limit_exceeded"]
    ])
    assert.deepStrictEqual(
      await answers({ inflightLimit: 1, providers: { "mock-email-find": hit(undefined, { after: 500 }) } }, 2),
      [
        [201, "completed"],
        [429, "too_many_inflight_runs"]
      ]
    )
  })

  it.effect("works as services under the test's clock: a slow provider holds the money until it answers", () => {
    const gateway = testGateway({ providers: { "mock-email-find": hit(undefined, { after: "3 seconds" }) } })
    return Effect.gen(function* () {
      const { principal } = yield* Caller
      const wallet = yield* Wallet
      const running = yield* Effect.fork(run({ endpointId: "mock-email-find", input }))
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(running)))
      assert.strictEqual((yield* wallet.balance(principal.workspaceId)).reservedMicros, 5_000)
      yield* TestClock.adjust("1 second")
      const { run: ended } = yield* Fiber.join(running)
      assert.deepStrictEqual([ended.status, ended.outcome, Number(ended.chargeMicros)], ["completed", "hit", 5_000])
      assert.strictEqual((yield* wallet.verify).ok, true)
    }).pipe(Effect.provide(gateway.services))
  })

  it.effect("rehearses fallback, failures, lost answers and silence", () => {
    const gateway = testGateway({
      providers: {
        "mock-email-find": [fail(new failures.RateLimited({ retryAfterSeconds: 7 })), silence],
        "mock-slow-email-find": found("ada@slow.example"),
        "mock-send-message": drop()
      }
    })
    return Effect.gen(function* () {
      const { attempts } = yield* run({ endpointId: job, input, fallback: true })
      assert.deepStrictEqual(
        attempts.map(({ endpointId, outcome }) => [endpointId, outcome]),
        [
          ["mock-email-find", "error"],
          ["mock-slow-email-find", "hit"]
        ]
      )
      const lost = yield* run({ endpointId: "mock-send-message", input: { to: "ada@example.com", text: "hello" } })
      assert.strictEqual(lost.run.status, "reconciliation_pending")
      const resolved = yield* (yield* Reconciliation).resolve(
        { runId: lost.run.runId, verdict: "released", chargeMicros: null, reason: "it never arrived" },
        commandLine
      )
      assert.strictEqual(resolved._tag === "Settled" ? Number(resolved.detail.run.chargeMicros) : resolved._tag, 0)
      const silent = yield* Effect.fork(run({ endpointId: "mock-email-find", input }, 5))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(silent)).run.status, "running")
    }).pipe(Effect.provide(gateway.services))
  })

  it("has a failure for every code, named after it, and nothing else", () => {
    const name = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    assert.deepStrictEqual(
      Object.entries(failures)
        .map(([exported, Failure]) => [exported, new Failure().code])
        .toSorted(),
      runFailures.map((Failure) => [name(new Failure().code), new Failure().code]).toSorted()
    )
  })

  it("gives files and texts, and keeps what is large as a file, as production does", async () => {
    interface Person {
      readonly name: string
      readonly middle?: string | undefined
    }
    const person: Person = { name: "Ada", middle: undefined }
    const pdf = new Uint8Array([37, 80, 68, 70])
    const gateway = testGateway({
      providers: {
        "mock-document": [
          hit(pdf, { contentType: "application/pdf", filename: "ada.pdf" }),
          hit("a,b\n1,2", { contentType: "text/csv" }),
          hit("x", { contentType: "video/mp4" }),
          hit(person),
          hit({ text: "x".repeat(2_000_000) })
        ]
      }
    })
    const { close, token, url } = await gateway.listen()
    try {
      const client = createClient({ baseUrl: url, token })
      const next = () => client.run({ endpointId: "mock-document", input: {} })
      const { media: file } = (await next()).result as Loose
      assert.deepInclude(file, { contentType: "application/pdf", filename: "ada.pdf", bytes: 4 })
      const read = await client.runs.media(file.downloadPath)
      assert.deepStrictEqual(new Uint8Array(await read.arrayBuffer()), pdf)
      assert.deepStrictEqual((await next()).result, { text: "a,b\n1,2", format: "csv" })
      const failure: unknown = await next().catch((error: unknown) => error)
      assert.isTrue(isGatewayFailure(failure) && failure.kind === "run_failed")
      assert.include(String(failure), "unsupported_response_type")
      const replayed = await next()
      assert.deepStrictEqual(replayed.result, { name: "Ada" })
      const { media: large } = (await next()).result as Loose
      assert.strictEqual(large.contentType, "application/json")
      // What was recorded can be replayed.
      gateway.script("mock-document", hit(replayed.result ?? null))
      assert.deepStrictEqual((await next()).result, { name: "Ada" })
    } finally {
      await close()
    }
  })

  it.effect("ends a call at the time limit of its operation, by the test's clock, as production does", () => {
    const gateway = testGateway({
      providers: {
        "mock-email-find": [silence, hit(undefined, { after: "1 minute" })],
        "mock-send-message": silence
      }
    })
    return Effect.gen(function* () {
      const endOf = (endpointId: string, input: JsonObject) =>
        Effect.gen(function* () {
          const running = yield* Effect.fork(run({ endpointId, input }))
          yield* TestClock.adjust("10 seconds")
          const { run: ended } = yield* Fiber.join(running)
          return [ended.status, ended.error?.code]
        })
      assert.deepStrictEqual(yield* endOf("mock-email-find", input), ["failed", "timeout"])
      assert.deepStrictEqual(yield* endOf("mock-email-find", input), ["failed", "timeout"])
      // It may have been sent.
      assert.deepStrictEqual(yield* endOf("mock-send-message", { to: "ada@example.com", text: "hello" }), [
        "reconciliation_pending",
        undefined
      ])
    }).pipe(Effect.provide(gateway.services))
  })

  it.effect("takes providers and jobs of one's own, with a key where they want one", () => {
    const gateway = testGateway({
      manifests: [lookup, things],
      providers: { "acme-lookup": hit({ thing: "a spoon" }) }
    })
    return Effect.gen(function* () {
      const { attempts, run: ended } = yield* run({ endpointId: "job:acme.things.find", input: { name: "spoon" } })
      assert.deepStrictEqual(
        [ended.status, ended.normalized?.["fields"], Number(ended.chargeMicros)],
        ["completed", { thing: "a spoon" }, 300]
      )
      assert.strictEqual(attempts.length, 1)
      assert.strictEqual(gateway.calls()[0]?.credential._tag, "Platform")
    }).pipe(Effect.provide(gateway.services))
  })

  it.effect("can serve every built-in provider, answering as documented", () => {
    const gateway = testGateway({ catalog: "all" })
    return Effect.gen(function* () {
      const { run: ended } = yield* run({
        endpointId: "hunter-email-finder",
        input: { first_name: "Ada", last_name: "Example", domain: "example.com" }
      })
      assert.deepStrictEqual([ended.status, ended.outcome], ["completed", "hit"])
    }).pipe(Effect.provide(gateway.services))
  })

  it.effect("answers by the call where a script is a function", () => {
    const gateway = testGateway({
      providers: { "mock-email-find": ({ input }) => (input["name"] === "Ada Example" ? hit() : miss()) }
    })
    return Effect.gen(function* () {
      const outcomeOf = (name: string) =>
        Effect.map(
          run({ endpointId: "mock-email-find", input: { name, domain: "example.com" } }),
          ({ run: { outcome } }) => outcome
        )
      assert.deepStrictEqual(
        [yield* outcomeOf("Ada Example"), yield* outcomeOf("Bob Example"), yield* outcomeOf("Ada Example")],
        ["hit", "miss", "hit"]
      )
    }).pipe(Effect.provide(gateway.services))
  })

  it.effect("takes no script for an endpoint that is not there, before a start and after it", () => {
    const early = testGateway()
    early.script("mock-emial-find", hit())
    const late = testGateway()
    return Effect.gen(function* () {
      const failed = yield* Effect.exit(Effect.provide(Effect.void, early.services))
      assert.isTrue(Exit.isFailure(failed) && Cause.pretty(failed.cause).includes("did you mean mock-email-find"))
      yield* Effect.gen(function* () {
        assert.throws(() => late.script("mock-emial-find", hit()), "did you mean mock-email-find")
        late.script("mock-email-find", miss())
      }).pipe(Effect.provide(late.services))
    })
  })

  it.effect("names what is wrong with its options", () =>
    Effect.gen(function* () {
      const words = (options: TestGatewayOptions) =>
        Effect.map(Effect.exit(Effect.provide(Effect.void, testGateway(options).services)), (exit) =>
          Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "nothing is wrong"
        )
      assert.include(
        yield* words({ providers: { "mock-emial-find": hit() } }),
        'the script of "mock-emial-find" is no endpoint of the catalog; did you mean mock-email-find'
      )
      assert.include(
        yield* words({ manifests: [things, "operations: []"] }),
        "manifests[1] at operations: needs at least one item"
      )
      // What the compiler says in TypeScript is said here to tests in JavaScript.
      const untyped = (json: string): TestGatewayOptions => JSON.parse(json)
      assert.include(
        yield* words(untyped('{ "provider": {} }')),
        "testGateway has no option provider; there are providers, manifests"
      )
      for (const step of ['{ "found": true }', '[{ "found": true }]', "null"])
        assert.include(
          yield* words(untyped(`{ "providers": { "mock-email-find": ${step} } }`)),
          'providers["mock-email-find"] must be a step, such as hit({ found: true }), a function that gives one, or a list of these'
        )
      const misspelt: object = { afer: "3 seconds" }
      for (const step of [hit(undefined, misspelt), fail(new failures.Timeout(), misspelt), drop(misspelt)])
        assert.include(
          yield* words({ providers: { "mock-email-find": [hit(), step] } }),
          'step 2 of providers["mock-email-find"] has no option "afer"; there are after, costMicros'
        )
      assert.include(yield* words({ manifests: ["id: ["] }), "manifests[0]")
      for (const path of ["my-catalog/x.yaml", "crm.json", "C:\\catalog\\x.yml"])
        assert.include(
          yield* words({ manifests: [things, path] }),
          `manifests[1] must be the text of a manifest, and looks like a path: write readFileSync(${JSON.stringify(path)}, "utf8")`
        )
      for (const usd of [-1, Number.NaN, 1e300])
        assert.include(yield* words({ usd }), "usd must be an amount of dollars, 0 or more")
      for (const [json, message] of [
        ['{ "usd": "5" }', "usd must be an amount of dollars, 0 or more"],
        ['{ "manifests": "id: x" }', "manifests must be a list"],
        ['{ "catalog": "some" }', 'catalog must be "fixtures" or "all"'],
        ['{ "scopes": ["everything"] }', "scopes must be a list of one or more of catalog:read, "],
        ['{ "scopes": [] }', "scopes must be a list of one or more of catalog:read, "],
        ['{ "inflightLimit": 1.5 }', "inflightLimit must be a whole number, 1 or more"],
        ['{ "requestRate": { "burst": 1 } }', "requestRate must be { burst, refillPerSecond }, each a number above 0"],
        ['{ "providers": [] }', "providers must be an object with a script by the id of an endpoint"]
      ] as const)
        assert.include(yield* words(untyped(json)), message)
    })
  )

  it("rejects with the error itself when it cannot listen", async () => {
    const failed = async (options: TestGatewayOptions): Promise<unknown> =>
      testGateway(options)
        .listen()
        .then(
          ({ close }) => close(),
          (error: unknown) => error
        )
    for (const options of [
      { usd: -1 },
      { manifests: ["operations: []"] },
      { providers: { "mock-emial-find": hit() } },
      { providers: { "mock-email-find": [] } }
    ]) {
      const error = await failed(options)
      assert.instanceOf(error, TestGatewayInvalid)
      assert.strictEqual(error instanceof TestGatewayInvalid && error.name, "TestGatewayInvalid")
    }
  })

  it.effect("says which step of a script is wrong when it is given", () => {
    const untyped = (value: unknown): Scripted => value as Scripted
    const wrong: ReadonlyArray<readonly [Scripted, string]> = [
      [untyped(miss), "is a function that makes a step: write miss()"],
      [untyped(fail), "is a function that makes a step: write fail(new failures.Timeout())"],
      [fail("timeout" as never), "must have a failure with a code: write fail(new failures.Timeout())"],
      [fail(failures.Timeout as never), "must have a failure with a code"],
      [hit(undefined, { after: "3 sec" as never }), 'has an "after" that is no time: write after: "3 seconds"'],
      [drop({ after: "soon" as never }), 'has an "after" that is no time'],
      [drop({ after: -1 }), 'has an "after" that is no time'],
      [hit({ confidence: Number.NaN }), "has a body that JSON cannot hold"],
      [hit({ id: 1n }), "has a body that JSON cannot hold"],
      [hit({ name: () => "Ada" }), "has a body that JSON cannot hold"],
      [hit(new Map([["a", 1]])), "has a body that JSON cannot hold"],
      [drop({ after: "-3 seconds" }), 'has an "after" that is no time'],
      [drop({ after: null as never }), 'has an "after" that is no time'],
      [hit("x", { contentType: 5 as never }), 'has a "contentType" that is none, such as "application/pdf"'],
      [hit("x", { contentType: "pdf" }), 'has a "contentType" that is none, such as "application/pdf"'],
      [hit("x", { contentType: "text/csv", filename: 'a"; x="y' }), 'has a "filename" that is no name'],
      [hit({ a: 1 }, { contentType: "text/csv" }), "has a contentType beside a body that is neither a text nor bytes"],
      [hit(new Uint8Array(1)), 'has bytes as its body: give their contentType, such as "application/pdf"']
    ]
    const gateway = testGateway()
    return Effect.gen(function* () {
      for (const [step, message] of wrong) {
        assert.throws(() => gateway.script("mock-email-find", step), `the script of "mock-email-find" ${message}`)
        assert.throws(
          () => gateway.script("mock-email-find", hit(), step),
          `step 2 of the script of "mock-email-find" ${message}`
        )
        const given = { providers: { "mock-email-find": [hit(), step] } }
        const exit = yield* Effect.exit(Effect.provide(Effect.void, testGateway(given).services))
        assert.include(
          Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
          `step 2 of providers["mock-email-find"] ${message}`
        )
      }
      assert.throws(() => gateway.script("mock-email-find"), 'the script of "mock-email-find" is empty')
    })
  })

  it.effect("fails the run of a script's function that throws, or gives no step", () => {
    const untyped = (decide: () => unknown): Scripted => decide as Scripted
    const thrower = () => {
      throw new Error("no such person")
    }
    const gateway = testGateway({
      providers: {
        "mock-email-find": [untyped(thrower), untyped(() => undefined), untyped(() => miss), untyped(() => () => hit())]
      }
    })
    return Effect.gen(function* () {
      const told = Effect.map(run({ endpointId: "mock-email-find", input }), ({ run: { error, status } }) => [
        status,
        error?.code,
        error?.message
      ])
      for (const message of [
        "The function that scripts mock-email-find threw: Error: no such person",
        "The function that scripts mock-email-find gave a step that is wrong: it must be a step",
        "The function that scripts mock-email-find gave a step that is wrong: it is a function that makes a step",
        "The function that scripts mock-email-find gave a step that is wrong: it must be a step"
      ]) {
        const [status, code, said] = yield* told
        assert.deepStrictEqual([status, code], ["failed", "contract_invalid"])
        assert.include(said, message)
      }
    }).pipe(Effect.provide(gateway.services))
  })

  it.live("is a layer with an address as well", () =>
    Effect.gen(function* () {
      const { url } = yield* Address
      const ready = yield* Effect.promise(() => fetch(`${url}/readyz`))
      assert.strictEqual(ready.status, 200)
    }).pipe(Effect.provide(testGateway().http))
  )
})
