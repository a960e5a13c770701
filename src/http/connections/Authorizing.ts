/** What the routes and the pages that connect a user's account share: the address of a link, and its provider. */
import { Effect, Redacted } from "effect"
import { type CatalogLoading, ValidationError } from "../../domain/ApiErrors.js"
import type { Endpoint } from "../../domain/Manifest.js"
import type { Catalog } from "../../services/Catalog.js"

/** The path of the page that a person opens. */
export const connectPath = (link: Redacted.Redacted<string>): string =>
  `/console/connect/${encodeURIComponent(Redacted.value(link))}`

/** Where every provider sends the browser back to. */
export const callbackOf = (publicUrl: string): string => `${publicUrl}/console/connect/callback`

export const providerOf = (
  catalog: Catalog["Type"],
  providerId: string
): Effect.Effect<Endpoint["provider"] | null, CatalogLoading> =>
  Effect.map(catalog.providers, (all) => all.find(({ provider }) => provider.id === providerId)?.provider ?? null)

/** A name that is no provider's is told with names like it. */
export const providerNamed = (
  catalog: Catalog["Type"],
  providerId: string
): Effect.Effect<Endpoint["provider"], CatalogLoading | ValidationError> =>
  Effect.gen(function* () {
    const problem = yield* catalog.providerProblem(providerId)
    const provider = yield* providerOf(catalog, providerId)
    return provider === null
      ? yield* ValidationError.of("providerId", problem ?? "is no provider of the catalog")
      : provider
  })
