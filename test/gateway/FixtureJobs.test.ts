/**
 * A newcomer has no key: every job that has a fixture runs with its own example, and its answer has the job's fields.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { readCatalog } from "../../src/layers/catalog/CatalogFiles.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { ProviderHealth } from "../../src/services/ProviderHealth.js"
import { startGateway } from "../support/gateway.js"

const later = [
  "company.funding",
  "google.keywords.volume",
  "linkedin.person.profile",
  "search.chatgpt",
  "search.perplexity",
  "tiktok.user.profile"
]

it.scopedLive(
  "every job that has a fixture runs with its example input and gives its fields",
  () =>
    Effect.gen(function* () {
      const { endpoints, jobs } = yield* readCatalog(["catalog"]).pipe(Effect.provide(NodeContext.layer))
      const supplied = (mock: boolean) =>
        new Set(endpoints.filter(({ provider }) => provider.mock === mock).map(({ operation }) => operation.job))
      const [fixtures, real] = [supplied(true), supplied(false)]
      for (const id of later)
        assert.isTrue([...fixtures].some((job) => job === id) && [...real].some((job) => job === id), id)
      const { call, funded } = yield* startGateway({ inflightLimit: 100 })
      const { token } = yield* funded(10_000_000)
      for (const { exampleInput, fields, id } of jobs.filter((job) => fixtures.has(job.id))) {
        // Keyless providers of a job would be called for real: the fixture is named.
        const pinned = endpoints.find(({ operation, provider }) => operation.job === id && provider.mock)!.operation.id
        const exclude = endpoints
          .filter(({ operation, provider }) => operation.job === id && !provider.mock)
          .map(({ operation }) => operation.id)
        const body = { endpointId: `job:${id}`, input: exampleInput, idempotencyKey: id, fallback: { exclude } }
        const { json } = yield* call("POST", "/v1/runs?wait=true", { token, body })
        assert.deepStrictEqual([json.status, json.outcome], ["completed", "hit"], `${id}: ${JSON.stringify(json)}`)
        if (later.includes(id)) assert.strictEqual(json.servedEndpointId, pinned)
        assert.sameMembers(
          Object.keys(json.normalized.fields),
          Object.keys(fields).filter((field) => !json.normalized.missing.includes(field)),
          id
        )
      }
    }),
  60_000
)

it.effect("jobs and people are searched for a price per call too, below a few cents", () =>
  Effect.gen(function* () {
    const { endpoints } = yield* readCatalog(["catalog"])
    for (const job of ["jobs.search", "people.search"]) {
      const cheap = endpoints.filter(
        ({ operation: { job: does, price } }) =>
          does === job &&
          price.basis === "per_call" &&
          price.micros <= 30_000 &&
          (price.maxMicros ?? price.micros) <= 30_000
      )
      assert.isNotEmpty(cheap, job)
    }
  }).pipe(Effect.provide(NodeContext.layer))
)

const ownFinder = `
id: own-finder
name: Own finder
baseUrl: https://finder.invalid
auth: { type: bearer }
operations:
  - id: own-find
    job: people.email.find
    name: Find
    summary: Finds an address by the number of an employee.
    method: GET
    path: /find
    input: { type: object, properties: { employee_number: { type: string } }, required: [employee_number] }
    price: { basis: per_call, micros: 10 }
`

it.scopedLive(
  "once a real provider of a job has a key, no made-up answer is served for an input that only the fixture takes",
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "fixture-jobs-"))),
        (dir) => Effect.sync(() => rmSync(dir, { recursive: true }))
      )
      mkdirSync(join(folder, "providers"))
      writeFileSync(join(folder, "providers", "own-finder.yaml"), ownFinder)
      const { call, funded, services } = yield* startGateway({ catalogFolders: ["catalog", folder] })
      const { token } = yield* funded(1_000_000)
      const run = (key: string, more: object = {}) =>
        Effect.map(
          call("POST", "/v1/runs?wait=10", {
            token,
            headers: { "idempotency-key": key },
            body: {
              endpointId: "job:people.email.find",
              input: { name: "Ada Example", domain: "example.com" },
              ...more
            }
          }),
          ({ json }) => json
        )
      const before = yield* run("without a key")
      assert.deepStrictEqual([before.status, before.servedProviderId], ["completed", "mock"])
      yield* Context.get(services, PlatformKeys).set("own-finder", Redacted.make("platform-key-1"), commandLine, {})
      const after = yield* run("with a key")
      assert.deepStrictEqual([after.status, after.result.code, after.actualCost], ["failed", "needs_input", 0])
      assert.notProperty(after, "servedProviderId")
      assert.deepStrictEqual(
        after.result.needs.map((each: { readonly endpointId: string }) => each.endpointId),
        ["own-find"]
      )
      const excluded = yield* run("left out", { fallback: { exclude: ["own-finder"] } })
      assert.strictEqual(excluded.status, "failed")
      yield* Context.get(services, ProviderHealth).setState("own-finder", "draining", commandLine)
      assert.strictEqual((yield* run("draining")).status, "failed")
    }),
  60_000
)
