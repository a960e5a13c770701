/** All cases, and how one becomes a call of the real code. */
import { Effect, Redacted, Schema } from "effect"
import { endpointsOf } from "../../src/layers/catalog/ManifestEndpoints.js"
import { ProvidersHttp } from "../../src/layers/providers/ProvidersHttp.js"
import { ProviderManifest } from "../../src/domain/Manifest.js"
import { Providers } from "../../src/services/Providers.js"
import { answers } from "./Answers.js"
import { archives } from "./Archives.js"
import type { Case } from "./Case.js"
import { inputs } from "./Inputs.js"
import { manifests } from "./Manifests.js"
import { rules } from "./Rules.js"
import { shownResults } from "./Shown.js"

export const cases: ReadonlyArray<Case> = [...answers, ...rules, ...inputs, ...manifests, ...shownResults, ...archives]

const origin = "https://api.provider.test"

const endpointOf = ({ operation, provider }: Case) =>
  endpointsOf(
    Schema.decodeUnknownSync(ProviderManifest)({
      id: "bounds",
      name: "Bounds",
      baseUrl: origin,
      ...provider,
      operations: [
        {
          id: "bounds-operation",
          name: "Bounds",
          summary: "What the case needs",
          method: "POST",
          input: { type: "object" },
          price: { basis: "per_call", micros: 1000 },
          ...operation,
          path: "/0"
        }
      ]
    })
  )

/** What is measured: the case's own work, or a call whose answer is the case. */
export const runnerOf = async (
  one: Case,
  { at, port }: { readonly at: number; readonly port: number }
): Promise<() => Promise<string>> => {
  if (one.prepare !== undefined) {
    const run = await one.prepare()
    return async () => run()
  }
  const [endpoint] = endpointOf(one)
  if (endpoint === undefined) throw new Error("there is no operation")
  const toCase = { ...endpoint, operation: { ...endpoint.operation, path: `/${at}` } }
  const layer = ProvidersHttp({ origins: { [origin]: `http://127.0.0.1:${port}` } })
  const call = Effect.flatMap(Providers, (providers) =>
    providers.call({
      endpoint: toCase,
      input: {},
      credential: one.secret === undefined ? { _tag: "None" } : { _tag: "Platform", secret: Redacted.make(one.secret) },
      attemptReference: "att_bounds"
    })
  ).pipe(
    Effect.match({
      onFailure: (failure) => `${failure._tag} ${failure.failure._tag}`,
      onSuccess: ({ body, outcome }) => `${outcome} ${body._tag}`
    })
  )
  // The sockets of one round do not hold the process: it is ended.
  return () => Effect.runPromise(Effect.provide(call, layer))
}
