/**
 * The documented refusals of the built-in catalog under statuses that mean something else: a refused key, a rate limit,
 * an outage. A rule that names a code of its own for whatever holds an error would call these the customer's fault.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Endpoint, Sample } from "../../../src/domain/Manifest.js"
import { builtInCatalog } from "../../../src/layers/catalog/BuiltInCatalog.js"
import { readCatalog } from "../../../src/layers/catalog/CatalogFiles.js"
import { lintCatalog } from "../../../src/layers/catalog/CatalogLint.js"
import { makeEndpoint } from "../../../src/layers/catalog/ManifestEndpoints.js"

const others = [401, 429, 503]

const isRefusal = ({ code, status }: Sample): boolean =>
  code === "provider_http_error" && status >= 400 && status !== 401 && status !== 403

/** A provider that documents such a status for a refusal, such as what a plan does not have, uses them so. */
const usesThemSo = ({ code, status }: Sample): boolean =>
  code === "provider_http_error" && (status === 429 || status >= 500)

/** The refusals of the operation with these statuses, each said to be refused as before. */
const refusalsOf = ({ operation: { samples } }: Endpoint): ReadonlyArray<readonly [string, Sample]> =>
  Object.values(samples).some(usesThemSo)
    ? []
    : Object.entries(samples)
        .filter(([, sample]) => isRefusal(sample))
        .flatMap(([name, sample]) => others.map((status) => [`${name} ${status}`, { ...sample, status }] as const))

describe("a built-in operation", () => {
  it.live(
    "takes a refused key, a rate limit and an outage for what their statuses say, whatever the body tells",
    () =>
      Effect.gen(function* () {
        const { endpoints, jobs } = yield* readCatalog([builtInCatalog])
        const refused = endpoints.flatMap((endpoint) => {
          const samples = refusalsOf(endpoint)
          return samples.length === 0 ? [] : [{ endpoint, samples }]
        })
        const problems = yield* lintCatalog({
          endpoints: refused.map(({ endpoint: { operation, provider }, samples }) =>
            makeEndpoint(provider, { ...operation, samples: Object.fromEntries(samples) })
          ),
          jobs
        })
        const told = new Set(problems.map(({ endpointId, path }) => `${endpointId} ${path}`))
        const hidden = refused.flatMap(({ endpoint, samples }) =>
          samples
            .map(([name]) => `${endpoint.operation.id} samples.${name}`)
            .filter((place) => ![...told].some((each) => each.startsWith(place)))
        )
        assert.isAbove(refused.length, 30)
        assert.deepStrictEqual(hidden, [])
      }).pipe(Effect.provide(NodeContext.layer)),
    60_000
  )
})
