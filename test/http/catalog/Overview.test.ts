/** Overview, discovery, contracts and what everybody may read of the catalog, over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runFailures } from "../../../src/domain/RunFailures.js"
import { apiRoutes } from "../../../src/http/ApiRoutes.js"
import { wireErrors } from "../../../src/http/Envelope.js"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"
import { startGateway } from "../../support/httpGateway.js"
import { unlistedPaths } from "../../support/openApi.js"
import { content, withGateway, ids } from "./CatalogStage.js"

describe("overview, discover, contracts and the public catalog", () => {
  it.live("counts by category, platform and job at every depth", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const summary = (yield* get("/v1/catalog/overview", { authorization: null })).json
        assert.deepStrictEqual(summary.totals, {
          categories: 3,
          platforms: 3,
          jobs: 3,
          providers: 7,
          endpoints: 8,
          runnableEndpoints: 5
        })
        assert.deepInclude(
          summary.categories.find(({ id }: { id: string }) => id === "people"),
          {
            providerCount: 4,
            endpointCount: 5,
            runnableCount: 3,
            cheapestPerCall: 0.005,
            cheapestPerResult: 0.0004,
            platformCount: 1,
            jobCount: 2
          }
        )
        assert.notProperty(summary.categories[0], "platforms")
        const full = (yield* get("/v1/catalog/overview?depth=full&category=people")).json
        assert.notProperty(full, "totals")
        assert.deepStrictEqual(full.filter, { category: "people" })
        const [platform] = full.categories[0].platforms
        assert.deepStrictEqual(
          platform.jobs.map(({ id }: { id: string }) => id),
          ["people.email.find", "people.email.verify"]
        )
        assert.deepStrictEqual(Object.keys(platform.jobs[0].endpoints[0]), [
          "endpointId",
          "provider",
          "name",
          "capability",
          "category",
          "estimatedPrice",
          "priceBasis",
          "access",
          "executionMode",
          "costPerSuccessUsd",
          "async",
          "works",
          "sourceCapability",
          "credential"
        ])
        assert.notProperty((yield* get("/v1/catalog/overview?depth=jobs")).json.categories[0].platforms[0], "endpoints")
        const topic = (yield* get("/v1/catalog/overview?topic=email")).json
        assert.include(
          topic.jobs.map(({ id }: { id: string }) => id),
          "people.email.verify"
        )
        assert.deepInclude(topic, { topic: "email", truncated: false, matchCount: topic.jobs.length })
      })
    )
  )

  it.live("discovers only what this workspace can run, with scores and the input that is needed", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const path of ["/v1/discover?q=work+email", "/v1/discover?query=work+email"]) {
          const { json } = yield* get(path)
          assert.deepStrictEqual(json.job, { id: "people.email.find", title: "Find a work email" })
          assert.notInclude(ids(json.operations), "dear-email")
          assert.strictEqual(ids(json.operations).at(-1), "mock-email")
          for (const { missingInput, reason, score, scores } of json.operations) {
            assert.deepStrictEqual(missingInput, ["name"])
            assert.isString(reason)
            for (const value of [score, ...Object.values(scores)])
              assert.isTrue(Number(value) >= 0 && Number(value) <= 1)
          }
        }
        assert.strictEqual((yield* get("/v1/discover?q=work+email&limit=1")).json.operations.length, 1)
        assert.deepStrictEqual(
          ids((yield* get("/v1/discover?q=work+email&maxPriceMicros=10000&prefer=cheapest")).json.operations),
          ["cheap-email", "mock-email"]
        )
      })
    )
  )

  it.live("discovers who does the job that is asked for before whoever merely shares words with the question", () => {
    const sparse = {
      jobs: [job("people.email.find", { title: "Find a work email", phrases: ["find a work email"] })],
      endpoints: [
        endpoint({ id: "works", name: "Find works", summary: "Finds a work of literature." }),
        endpoint({ id: "mock-email", job: "people.email.find", provider: { mock: true } })
      ]
    }
    return Effect.scoped(
      Effect.flatMap(startGateway({ catalogLayer: servedCatalog(sparse) }), ({ get }) =>
        Effect.gen(function* () {
          const { json } = yield* get("/v1/discover?q=find+a+work+email")
          assert.deepStrictEqual(json.job, { id: "people.email.find", title: "Find a work email" })
          assert.deepStrictEqual(ids(json.operations), ["mock-email", "works"])
        })
      )
    )
  })

  it.live("says which filter asks for what the catalog does not have, and which job was meant", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const path of ["/v1/catalog/search?q=work+email&category=peopl", "/v1/public-catalog?category=peopl"]) {
          const [warning] = (yield* get(path)).json.warnings
          assert.deepStrictEqual(warning, {
            code: "no_match",
            message:
              "Nothing here matches these words and filters; category=peopl is no category of the catalog; did you mean people?"
          })
        }
        assert.notProperty((yield* get("/v1/public-catalog?category=people")).json, "warnings")
        const typed = (yield* get("/v1/operations/job%3Apeople.email.fnd")).json.error
        assert.include(typed.message, "did you mean job:people.email.find?")
      })
    )
  )

  it.live("names what fits best where that cannot run, and takes nothing else for the job that was meant", () => {
    const keyed = { auth: { type: "bearer" } }
    const catalog = {
      jobs: [
        job("sms.send", { title: "Send a text message", phrases: ["send sms"] }),
        job("jobs.search", { title: "Search job postings", phrases: ["find jobs"] }),
        job("planet.look", { title: "Look up a planet", phrases: ["look up a planet"] })
      ],
      endpoints: [
        endpoint({
          id: "planet-look",
          name: "Look up a planet",
          job: "planet.look",
          price: { basis: "per_call", micros: 20 }
        }),
        endpoint({ id: "pigeon-send", name: "Send SMS", summary: "Sends an SMS.", job: "sms.send", provider: keyed }),
        endpoint({
          id: "board-jobs",
          name: "Search jobs",
          summary: "Searches jobs. They send alerts.",
          job: "jobs.search"
        })
      ]
    }
    const switchedOff = newWorld()
    switchedOff.health.set("p-planet-look", { state: "disabled", openForSeconds: 0 })
    return Effect.scoped(
      Effect.flatMap(startGateway({ catalogLayer: servedCatalog(catalog, switchedOff) }), ({ get }) =>
        Effect.gen(function* () {
          const off = (yield* get("/v1/discover?q=look+up+a+planet")).json
          assert.notProperty(off, "job")
          assert.match(off.warnings[0]?.message, /^planet-look .* cannot run .*: the operator does not offer it\. /)
        })
      ).pipe(
        Effect.zipRight(startGateway({ catalogLayer: servedCatalog(catalog) })),
        Effect.flatMap(({ get }) =>
          Effect.gen(function* () {
            const { json } = yield* get("/v1/discover?q=send+sms")
            assert.notProperty(json, "job")
            assert.deepStrictEqual(json.warnings, [
              {
                code: "best_left_out",
                endpointId: "pigeon-send",
                provider: "p-pigeon-send",
                job: { id: "sms.send", title: "Send a text message" },
                access: "needs_your_account",
                message:
                  "pigeon-send (job:sms.send) fits best, and cannot run for this workspace now: it needs an account of your own at p-pigeon-send, or a key that the operator sets. What is listed does something else"
              }
            ])
            const dear = (yield* get("/v1/discover?q=look+up+a+planet&maxPriceMicros=10")).json
            assert.deepStrictEqual(
              [dear.job, dear.warnings[0]?.endpointId, dear.warnings[0]?.message],
              [
                undefined,
                "planet-look",
                "planet-look (job:planet.look) fits best, and is left out: it costs more than $0.00001. What is listed does something else"
              ]
            )
            const found = (yield* get("/v1/discover?q=find+jobs")).json
            assert.deepStrictEqual([found.job?.id, found.warnings], ["jobs.search", undefined])
          })
        )
      )
    )
  })

  it.live("shows contracts, pinned by version, of tools and of jobs with their providers in order", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const tool = (yield* get("/v1/operations/verify")).json
        assert.deepStrictEqual(tool.endpoint.price, {
          basis: "per_result",
          amountUsd: 0.0004,
          amountMicros: 400,
          unit: "result",
          estimateFormula: "$0.0004 * results (at most limit, default 10, max 100)",
          maxMicros: 40_000
        })
        assert.deepInclude(tool, { effectClassification: "read_only", estimatedMaxCost: 0.004 })
        assert.deepInclude(tool.usageHints, {
          requiredInputFields: ["name"],
          optionalInputFields: [],
          volumeField: "limit",
          maxVolume: 100
        })
        assert.deepStrictEqual(tool.requestBinding, { name: { in: "query", name: "name" } })
        assert.deepStrictEqual((yield* get(`/v1/operations/verify?contractVersion=${tool.contractVersion}`)).json, tool)
        assert.strictEqual((yield* get("/v1/operations/send-it")).json.effectClassification, "effectful")
        const byJob = (yield* get("/v1/operations/job%3Apeople.email.find")).json
        assert.strictEqual(byJob.endpoint.id, "job:people.email.find")
        // By the balanced order: 99 % in 9 s at two cents is worth more than 60 % in 0.3 s at one.
        assert.deepStrictEqual(ids(byJob.providers), ["slow-email", "cheap-email", "dear-email", "mock-email"])
        // What a run holds now, at the first of them; the dearest would hold three cents.
        assert.deepStrictEqual([byJob.estimatedMaxCost, byJob.endpoint.price.maxMicros], [0.02, 30_000])
        assert.deepStrictEqual((yield* get("/v1/operations/job:people.email.find")).json, byJob)
      })
    )
  )

  it.live(
    "show a provider that cools down or is being emptied as coming_soon, and in jobs after those that run",
    () => {
      const troubled = newWorld()
      troubled.platformKeys.add("cheap").add("slow").add("dear")
      troubled.health
        .set("cheap", { state: "enabled", openForSeconds: 30 })
        .set("slow", { state: "draining", openForSeconds: 0 })
      return Effect.scoped(
        Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, troubled) }), ({ get }) =>
          Effect.gen(function* () {
            const { providers } = (yield* get("/v1/operations/job:people.email.find")).json
            assert.strictEqual(providers[0].endpointId, "dear-email")
            const { endpoints } = (yield* get("/v1/catalog/search?q=email+finder&capability=people.email.find")).json
            const found = Object.fromEntries(
              endpoints.map((row: { endpointId: string; access: string; runnableNow: boolean }) => [
                row.endpointId,
                [row.access, row.runnableNow]
              ])
            )
            assert.deepStrictEqual(found, {
              "dear-email": ["runs_now", true],
              "cheap-email": ["coming_soon", false],
              "slow-email": ["coming_soon", false],
              "mock-email": ["runs_now", true]
            })
          })
        )
      )
    }
  )

  it.live("of a job speak for whoever would run it now, and for the first in the order where nobody would", () =>
    Effect.scoped(
      Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, newWorld()) }), ({ get }) =>
        Effect.gen(function* () {
          const find = (yield* get("/v1/operations/job:people.email.find")).json
          assert.deepStrictEqual(
            [find.endpoint.provider, find.endpoint.access, find.endpoint.price.amountMicros],
            ["fixture", "runs_now", 5000]
          )
          const verify = (yield* get("/v1/operations/job:people.email.verify")).json
          assert.deepStrictEqual([verify.endpoint.provider, verify.endpoint.access], ["dear", "needs_your_account"])
        })
      )
    )
  )

  it.live("lets anybody search, read and compare items", () =>
    withGateway(({ get, post }) =>
      Effect.gen(function* () {
        for (const capability of ["people_email_find", "people.email.find"]) {
          const { json } = yield* get(`/v1/public-catalog?capability=${capability}`, { authorization: null })
          assert.sameMembers(
            json.items.map(({ catalogItemId }: { catalogItemId: string }) => catalogItemId),
            ["cheap-email", "dear-email", "mock-email", "slow-email"]
          )
        }
        const first = (yield* get("/v1/public-catalog?q=email&limit=2")).json
        const second = (yield* get(`/v1/public-catalog?q=email&limit=2&cursor=${first.nextCursor}`)).json
        assert.strictEqual(new Set([...first.items, ...second.items].map(({ catalogItemId }) => catalogItemId)).size, 4)
        const item = (yield* get("/v1/public-catalog/verify")).json
        assert.deepStrictEqual(item.price, { state: "priced", amountMicros: 400, currency: "USD", unit: "result" })
        assert.deepStrictEqual(item.parameters, [
          { name: "name", location: "query", required: true, type: "string", description: "Whose." }
        ])
        assert.strictEqual((yield* get("/v1/public-catalog/off-web")).status, 404)

        const compared = (yield* post(
          "/v1/public-catalog/compare",
          { catalogItemIds: ["slow-email", "cheap-email", "gone"] },
          { authorization: null }
        )).json
        assert.deepInclude(compared, {
          cheapest: "cheap-email",
          fastest: "cheap-email",
          mostReliable: "slow-email",
          unknown: ["gone"]
        })
        assert.deepStrictEqual(compared.differences.find(({ field }: { field: string }) => field === "p50Ms").values, {
          "slow-email": 9000,
          "cheap-email": 300
        })
        assert.notProperty(compared.items[0], "acceptsInput")
        const fitted = (yield* post("/v1/public-catalog/compare", {
          catalogItemIds: ["verify", "cheap-email"],
          input: { name: "Ada", limit: 50 }
        })).json
        assert.deepStrictEqual(
          fitted.items.map((each: { acceptsInput: boolean; maxCostUsd: number }) => [
            each.acceptsInput,
            each.maxCostUsd
          ]),
          [
            [true, 0.02],
            [true, 0.01]
          ]
        )
        const refused = (yield* post("/v1/public-catalog/compare", {
          catalogItemIds: ["verify", "cheap-email"],
          input: {}
        })).json
        assert.deepInclude(refused.items[0], {
          acceptsInput: false,
          maxCostUsd: null,
          inputProblems: [{ field: "name", message: "is needed" }]
        })
      })
    )
  )

  it.live("says in /llms.txt what there is", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const { headers, text } = yield* get("/llms.txt", { authorization: null })
        assert.include(headers.get("content-type") ?? "", "text/plain")
        for (const part of ["job:people.email.find", "Search the web", "/openapi.json", "[reference](/docs/reference)"])
          assert.include(text, part)
        assert.notMatch(text, /\b1 (?:operations|providers|jobs)\b/)
      })
    )
  )

  it.live("says in /llms-full.txt all of it: every route, every job with its input and operations, every code", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        assert.include((yield* get("/llms.txt")).text, "/llms-full.txt")
        const { headers, text } = yield* get("/llms-full.txt", { authorization: null })
        assert.include(headers.get("content-type") ?? "", "text/plain")
        for (const { method, path, summary } of apiRoutes.filter(({ path }) => !unlistedPaths.has(path)))
          assert.include(text, `\`${method} ${path.replace(/:(\w+)/g, "{$1}")}\`: ${summary}`)
        for (const { id } of content.jobs)
          assert.strictEqual(text.includes(`### job:${id}`), id !== "geo.geocode", `${id}: nobody does geo.geocode`)
        for (const code of [...wireErrors.keys(), ...runFailures.map((failure) => failure.code)])
          assert.include(text, `\`${code}\``)
        assert.include(text, "Input: one of `name` + `domain`")
        assert.include(text, "`cheap-email` ($0.01 a call), `dear-email` ($0.03 a call)")
        assert.include(text, "`verify` ($0.0004 a result)")
        assert.notMatch(text, /undefined|null|\[object/)
        assert.strictEqual((yield* get("/llms-full.txt")).text, text)
      })
    )
  )
})
