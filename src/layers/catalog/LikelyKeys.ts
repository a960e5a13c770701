/** What a manifest says of keys and variables that cannot be meant: a prefix without its blank, a key in the file. */
import { Array as Arr } from "effect"
import { type Json, textsIn } from "../../domain/Json.js"
import type { Auth, Endpoint, Operation } from "../../domain/Manifest.js"
import { looksSecret, secretKey, uuid } from "./import/SecretLooks.js"
import { placeholdersOf } from "../providers/Variables.js"
import type { LintProblem } from "./CatalogLint.js"
import type { OperationProblem } from "./Soundness.js"

const schemeAlone = /^(?:bearer|basic|token)$/i

const prefixesOf = (auth: Auth): ReadonlyArray<readonly [path: string, prefix: string | undefined]> =>
  auth.type === "header"
    ? [["auth.prefix", auth.prefix]]
    : auth.type === "pair"
      ? auth.places.map((place, at) => [`auth.places.${at}.prefix`, place.in === "header" ? place.prefix : undefined])
      : []

const ofPrefix = ({ auth }: Endpoint["provider"]): ReadonlyArray<OperationProblem> =>
  prefixesOf(auth).flatMap(([path, prefix]) =>
    prefix !== undefined && schemeAlone.test(prefix)
      ? [
          {
            path,
            message: `stands right before the key, as in ${prefix}0123: write "${prefix} " with a blank at its end`
          }
        ]
      : []
  )

const ofFixed = (fixed: Operation["fixed"], path: string): ReadonlyArray<OperationProblem> =>
  fixed.flatMap(({ value }, at) =>
    textsIn(value).some((text) => looksSecret(text) && !uuid.test(text))
      ? [
          {
            path: `${path}.${at}.value`,
            message: "looks like a key, and no manifest holds one: set it with gateway key set"
          }
        ]
      : []
  )

/** Of samples only what is a key for certain: answers are full of ids that look as random. */
const ofSamples = ({ samples }: Operation): ReadonlyArray<OperationProblem> =>
  Object.entries(samples).flatMap(([name, { body, pages = [], polls = [], start = null }]) => {
    const answers: Json = [body, start, ...polls, ...pages.map((page) => page.body)]
    const [found] = textsIn(answers).flatMap((text) => secretKey.exec(text)?.[1] ?? [])
    return found === undefined
      ? []
      : [
          {
            path: `samples.${name}.body`,
            message: `holds what looks like a key (${found}…): put an invented value in its place`
          }
        ]
  })

/** Told with the first operation of each provider. One of several addresses may have what another one uses. */
const ofProviders = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<LintProblem> =>
  Object.values(Arr.groupBy(endpoints, ({ provider }) => provider.id)).flatMap((all) => {
    const [first] = all
    const { fixed, variables } = first.provider
    const used = new Set(
      all
        .flatMap(({ operation: { async, path }, provider: { auth, baseUrl } }) => [
          JSON.stringify([auth, baseUrl, path]),
          ...(async === undefined ? [] : [JSON.stringify(async)])
        ])
        .flatMap(placeholdersOf)
    )
    const unused = Object.keys(variables ?? {}).filter((name) => !used.has(name))
    return [
      ...ofPrefix(first.provider),
      ...unused.map((name) => ({
        path: `variables.${name}`,
        message: `is used nowhere: write {${name}} where it belongs, or take it out`
      })),
      ...ofFixed(fixed, "provider.fixed")
    ].map((found) => ({ endpointId: first.operation.id, ...found }))
  })

export const likelyKeys = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<LintProblem> => [
  ...ofProviders(endpoints),
  ...endpoints.flatMap(({ operation }) =>
    [...ofFixed(operation.fixed, "fixed"), ...ofSamples(operation)].map((found) => ({
      endpointId: operation.id,
      ...found
    }))
  )
]
