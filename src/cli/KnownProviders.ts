/**
 * Which providers the command line accepts: those of the built-in catalog, of what is published and of
 * `GATEWAY_CATALOG`, and those that have a key or a state although no catalog has them any more. It looks where reading
 * is quick first. A command for a built-in provider therefore waits for no large publication, and does not fail because
 * of a folder that cannot be read.
 */
import { Effect, type Redacted } from "effect"
import { type FieldProblem, ValidationError } from "../domain/ApiErrors.js"
import { unknownProvider } from "../domain/KnownProviders.js"
import { type Endpoint, platformKeyProblem, type VariableValues } from "../domain/Manifest.js"
import { readConfig } from "../layers/node/Config.js"
import type { KeyOwner } from "../layers/providers/KeyPlacement.js"
import { variablesProblem } from "../layers/providers/Variables.js"
import { keyFormProblem } from "../layers/secrets/KeyForms.js"
import type { CatalogContent } from "../services/CatalogPublisher.js"
import { CatalogRevisions } from "../services/CatalogRevisions.js"
import { PlatformKeys } from "../services/PlatformKeys.js"
import { ProviderStates } from "../services/ProviderStates.js"

const idsOf = ({ endpoints }: CatalogContent): ReadonlyArray<string> => endpoints.map(({ provider }) => provider.id)

/** The catalog that ships with the program, read once in a process. */
export const shippedCatalog = Effect.flatMap(
  Effect.promise(() => import("../layers/compose/BuiltInContent.js")),
  ({ builtInContent }) => builtInContent("all")
)
/** What operators have published over the folders. */
export const publishedCatalog = Effect.flatMap(CatalogRevisions, ({ latest }) =>
  Effect.map(latest, ({ content }) => content)
)
/** The folders of `GATEWAY_CATALOG`. Their operations may name jobs of the built-in catalog. */
export const configuredCatalog = Effect.gen(function* () {
  const { catalogFolders } = yield* readConfig
  const { readCatalog } = yield* Effect.promise(() => import("../layers/catalog/CatalogFiles.js"))
  return yield* readCatalog(
    catalogFolders,
    catalogFolders.length === 0 ? {} : { otherJobs: (yield* shippedCatalog).jobs }
  )
})

/** Fails where no source knows the provider; `typedAs` is the option or argument that named it. */
export const checkProvider = Effect.fn("cli.checkProvider")(function* (
  providerId: string,
  typedAs: "--provider" | "PROVIDER"
) {
  const sources = [
    Effect.map((yield* PlatformKeys).list, (keys) => keys.map((key) => key.providerId)),
    Effect.map((yield* ProviderStates).all, (states) =>
      (states.get(providerId) ?? "enabled") === "enabled" ? [] : [providerId]
    ),
    Effect.map(shippedCatalog, idsOf),
    Effect.map(publishedCatalog, idsOf),
    Effect.map(configuredCatalog, idsOf)
  ]
  const known = new Set<string>()
  for (const source of sources) {
    for (const id of yield* source) known.add(id)
    if (known.has(providerId)) return
  }
  return yield* ValidationError.of(typedAs, `${providerId} ${unknownProvider(providerId, known)}`)
})

/** What stands against a key of the gateway's own, whatever it is. Null when one of these providers takes one. */
const unusableAt = (providers: ReadonlyArray<Endpoint["provider"]>): FieldProblem | null => {
  const problems = providers.map(platformKeyProblem)
  const [first = null] = problems
  return first === null || problems.includes(null) ? null : { field: "PROVIDER", message: first }
}

/**
 * Fails when the provider takes no such key, or one of another form. Where several sources have the provider, it is
 * enough that the key fits one of them.
 */
export const checkKeyForm = Effect.fn("cli.checkKeyForm")(function* (
  providerId: string,
  secret: Redacted.Redacted<string>,
  owner: KeyOwner
) {
  const sources = [shippedCatalog, publishedCatalog, configuredCatalog]
  let problem: FieldProblem | null = null
  for (const source of sources) {
    const { endpoints } = yield* source
    const providers = endpoints.map(({ provider }) => provider).filter(({ id }) => id === providerId)
    const found = (owner === "platform" ? unusableAt(providers) : null) ?? keyFormProblem(providers, secret, owner)
    if (found === null && providers.length > 0) return
    problem = found ?? problem
  }
  if (problem !== null) return yield* new ValidationError({ details: [problem] })
})

/**
 * Fails when these are not the variables of the provider. What is published goes before the folders, and they before
 * what is built in.
 */
export const checkVariables = Effect.fn("cli.checkVariables")(function* (
  providerId: string,
  variables: VariableValues
) {
  const of = ({ endpoints }: CatalogContent) =>
    endpoints.map(({ provider }) => provider).filter(({ id }) => id === providerId)
  const builtIn = of(yield* shippedCatalog)
  const plain = Object.keys(variables).length === 0 && builtIn.length > 0
  if (plain && builtIn.every((provider) => provider.variables === undefined)) return
  const [found = []] = [of(yield* publishedCatalog), of(yield* configuredCatalog), builtIn].filter(
    (providers) => providers.length > 0
  )
  const problem = variablesProblem(found, variables)
  if (problem !== null) return yield* new ValidationError({ details: [problem] })
})
