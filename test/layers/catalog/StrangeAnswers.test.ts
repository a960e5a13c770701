/**
 * Every operation of the built-in catalog against answers that are none: a page where data belongs, an error inside a
 * 200, a deprecation note. The operations come from the catalog itself, so that a new manifest is held to this too.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { canonical, type Json } from "../../../src/domain/Json.js"
import { callMillisMin } from "../../../src/domain/limits/Calls.js"
import type { Endpoint, Sample } from "../../../src/domain/Manifest.js"
import { builtInCatalog } from "../../../src/layers/catalog/BuiltInCatalog.js"
import { readCatalog } from "../../../src/layers/catalog/CatalogFiles.js"
import { lintCatalog } from "../../../src/layers/catalog/CatalogLint.js"
import { makeEndpoint } from "../../../src/layers/catalog/ManifestEndpoints.js"

interface Strange {
  readonly contentType: string
  readonly body: Json
}
const page = "<!doctype html><html><head><title>Sign in</title></head><body>Sign in to go on</body></html>"
const json = "application/json"

/** Answers of status 200 that are no result. */
const strange: Readonly<Record<string, Strange>> = {
  "a page": { contentType: "text/html; charset=utf-8", body: page },
  "a text in JSON": { contentType: json, body: "Sign in to go on" },
  null: { contentType: json, body: null },
  "an empty object": { contentType: json, body: {} },
  "an empty list": { contentType: json, body: [] },
  "an error as text": { contentType: json, body: { error: "This account is closed." } },
  "an error as an object": { contentType: json, body: { error: { code: "gone", message: "This API is gone." } } },
  "a list of errors": { contentType: json, body: { errors: [{ code: 410, message: "This API is gone." }] } },
  "an error beside success: false": { contentType: json, body: { success: false, message: "This API is gone." } },
  "a message": { contentType: json, body: { message: "This version is deprecated, move to the next one." } },
  "a status and a message": { contentType: json, body: { status: "error", message: "This version is deprecated." } },
  "a message beside success: true": {
    contentType: json,
    body: { success: true, message: "Move to the next version." }
  },
  "a message beside a number": { contentType: json, body: { code: 200, status: 200, message: "Move to version 5." } },
  "no data": { contentType: json, body: { data: null, result: null, results: null, items: null } },
  "empty data and a message": { contentType: json, body: { data: {}, message: "Move to the next version." } },
  "a detail": { contentType: json, body: { detail: "Not authenticated", title: "Gone", type: "about:blank" } }
}

const sampleOf = (hit: Sample, { body, contentType }: Strange): Sample => ({
  ...hit,
  status: 200,
  headers: { ...hit.headers, "content-type": contentType },
  body,
  outcome: "hit"
})

/** The operation with these answers as samples, each said to be a hit: the lint then tells what it comes out as. */
const withStrangeAnswers = ({ operation, provider }: Endpoint): Endpoint => {
  const { normalized: _, ...hit } = Object.values(operation.samples).find(({ outcome }) => outcome === "hit")!
  return makeEndpoint(provider, {
    ...operation,
    // An answer that never says that the work is done is asked for again until this is over.
    ...(operation.async === undefined ? {} : { async: { ...operation.async, totalMs: callMillisMin } }),
    samples: Object.fromEntries(Object.entries(strange).map(([name, answer]) => [name, sampleOf(hit, answer)]))
  })
}

/**
 * What an operation's own manifest says of such an answer: a documented miss with just this body, or a page where pages
 * are what it fetches.
 */
const isDocumented = ({ operation }: Endpoint, { body, contentType }: Strange): boolean =>
  Object.values(operation.samples).some(
    (sample) => sample.outcome === "miss" && sample.status === 200 && canonical(sample.body) === canonical(body)
  ) ||
  (contentType.startsWith("text/html") && operation.contentTypes.includes("text/html"))

describe("a built-in operation", () => {
  it.live(
    "takes no page, no error and no note for a result, nor for a miss",
    () =>
      Effect.gen(function* () {
        const { endpoints, jobs } = yield* readCatalog([builtInCatalog])
        const real = endpoints.filter(({ provider }) => !provider.mock)
        const problems = yield* lintCatalog({ endpoints: real.map(withStrangeAnswers), jobs })
        const verdicts = new Map(problems.map(({ endpointId, message, path }) => [`${endpointId} ${path}`, message]))
        const taken = real.flatMap((endpoint) =>
          Object.entries(strange).flatMap(([name, answer]) => {
            const { id } = endpoint.operation
            const verdict = verdicts.get(`${id} samples.${name}`) ?? "came out as hit"
            return verdict.startsWith("failed") || isDocumented(endpoint, answer) ? [] : [`${id}: ${name} ${verdict}`]
          })
        )
        assert.isAbove(real.length, 100)
        assert.deepStrictEqual(taken, [])
      }).pipe(Effect.provide(NodeContext.layer)),
    180_000
  )
})
