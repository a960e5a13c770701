/**
 * The values of a provider's variables: whether those that a connection or a platform key gives are right, and the
 * address that they make. A value never changes the scheme, the port, the literal parts of the host or the steps of the
 * path: its characters see to that, and the finished address is compared once more with what the manifest says.
 */
import { Either, Schema } from "effect"
import type { FieldProblem } from "../../domain/ApiErrors.js"
import { cutText } from "../../domain/Characters.js"
import { variableCharsMax } from "../../domain/limits/Access.js"
import { type Endpoint, isKeyless, type Variables, VariableValue, type VariableValues } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { readUrl } from "../../domain/Url.js"
import { linearPattern, refillPatternWork } from "./LinearPatterns.js"

/** What is wrong with one variable, as a sentence that its name begins. */
export interface VariableProblem {
  readonly name: string
  readonly message: string
}

const isValue = Schema.is(VariableValue)
const placeholder = /\{([^{}]+)\}/g

/** The names between braces, in order. */
export const placeholdersOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(placeholder), ([, name = ""]) => name)

/** Puts values for the names that have one. Text of a client never has braces here, because addresses escape them. */
export const withValues = (text: string, values: VariableValues): string =>
  text.includes("{") ? text.replace(placeholder, (whole, name: string) => member(values, name) ?? whole) : text

const valueProblem = (pattern: string, value: string): string | null => {
  if (!isValue(value))
    return `must have 1 to ${variableCharsMax} letters, digits, hyphens, underscores, tildes and inner dots`
  const compiled = linearPattern(`^(?:${pattern})$`)
  refillPatternWork()
  return Either.isRight(compiled) && compiled.right.test(value) ? null : `must match the pattern ${pattern}`
}

/** Every variable with its value, given or default. Left: the first that is missing, wrong or unknown. */
export const variableValues = (
  declared: Variables | undefined,
  given: VariableValues | undefined
): Either.Either<VariableValues, VariableProblem> => {
  if (declared === undefined) return Either.right({})
  const values: Array<[string, string]> = []
  for (const [name, variable] of Object.entries(declared)) {
    const value = given === undefined ? variable.default : (member(given, name) ?? variable.default)
    if (value === undefined) return Either.left({ name, message: `is missing: ${variable.description}` })
    const message = valueProblem(variable.pattern, value)
    if (message !== null) return Either.left({ name, message })
    values.push([name, value])
  }
  return Either.right(Object.fromEntries(values))
}

type Provider = Endpoint["provider"]

/**
 * What is wrong with the variables of a new connection or key; null when nothing is. `providers` are all that the
 * catalog has under one id, because an import may list one with several addresses.
 */
export const variablesProblem = (providers: ReadonlyArray<Provider>, given: VariableValues): FieldProblem | null => {
  const names = new Set(providers.flatMap(({ variables = {} }) => Object.keys(variables)))
  const unknown = Object.keys(given).find((name) => !names.has(name))
  if (unknown !== undefined)
    return {
      field: `variables.${cutText(unknown, 60)}`,
      message: `is no variable of this provider${names.size === 0 ? ", which has none" : `; it has ${[...names].join(", ")}`}`
    }
  for (const { baseUrl, variables } of providers) {
    const right = variableValues(variables, given).pipe(
      Either.flatMap((values) => addressWith(baseUrl, variables, values))
    )
    if (Either.isLeft(right)) return { field: `variables.${right.left.name}`, message: right.left.message }
  }
  return null
}

/** What is wrong with the declarations themselves. */
export const declarationProblems = (
  provider: Provider
): ReadonlyArray<{ readonly path: string; readonly message: string }> =>
  Object.entries(provider.variables ?? {}).flatMap(([name, variable]) => {
    const at = (field: string, message: string) => ({ path: `variables.${name}.${field}`, message })
    const compiled = linearPattern(variable.pattern)
    if (Either.isLeft(compiled)) return [at("pattern", compiled.left)]
    if (variable.default === undefined && isKeyless(provider))
      return [at("default", "is needed: a provider without a key is called without a connection")]
    return [
      ...variable.examples.map((value) => ["examples", value] as const),
      ...(variable.default === undefined ? [] : [["default", variable.default] as const])
    ].flatMap(([field, value]) => {
      const message = valueProblem(variable.pattern, value)
      return message === null ? [] : [at(field, message)]
    })
  })

/** The first example of each variable, for samples and for looking at a manifest without a connection. */
export const exampleValues = (declared: Variables | undefined): VariableValues =>
  Object.fromEntries(Object.entries(declared ?? {}).map(([name, { examples }]) => [name, examples[0]]))

/** An address of a manifest. Its path is still with placeholders. */
export interface AddressPlan {
  readonly pathname: string
  readonly origin: (values: VariableValues) => Either.Either<string, VariableProblem>
}

const parts = /^(https?:\/\/)([^/?#]*)(.*)$/
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** Left: why it is no address, as a sentence about it. `declared` are the variables that it may use. */
export const planAddress = (template: string, declared: Variables | undefined): Either.Either<AddressPlan, string> => {
  const [, scheme = "", authority = "", rest = ""] = parts.exec(template) ?? []
  const names = placeholdersOf(authority)
  const unknown = [...names, ...placeholdersOf(rest)].find(
    (name) => declared !== undefined && !Object.hasOwn(declared, name)
  )
  if (unknown !== undefined) return Either.left(`uses {${unknown}}, which is none of its variables`)
  if (declared === undefined || names.length === 0) {
    const url = readUrl(template)
    if (url === null) return Either.left("is not an absolute address")
    return Either.right({
      // The parser would escape the braces of a path that still has its placeholders.
      pathname: declared === undefined ? url.pathname : rest.replace(/[?#].*$/, "") || "/",
      origin: () => Either.right(url.origin)
    })
  }
  const [, host = "", port = ""] = /^([^@:]*)(:\d+)?$/.exec(authority) ?? []
  if (host === "") return Either.left("may have variables in its host and its path only, not in its port")
  const [name = ""] = names
  return Either.right({
    pathname: rest.replace(/[?#].*$/, "") || "/",
    origin: (values) => {
      const filled = withValues(host, values).toLowerCase()
      const address = `${scheme}${filled}${port}`
      const refused = Either.left({ name, message: "makes no host name together with the rest of the address" })
      if (filled.length > 253 || !filled.split(".").every((each) => label.test(each))) return refused
      const url = readUrl(address)
      // A host of digits alone would be read as a number, and so as another host.
      return url !== null && url.hostname === filled ? Either.right(url.origin) : refused
    }
  })
}

/** A whole address with its values, such as that of access tokens. */
export const addressWith = (
  template: string,
  declared: Variables | undefined,
  values: VariableValues
): Either.Either<string, VariableProblem> => {
  if (declared === undefined || !template.includes("{")) return Either.right(template)
  return planAddress(template, declared).pipe(
    Either.mapLeft((message): VariableProblem => ({ name: placeholdersOf(template)[0] ?? "", message })),
    Either.flatMap(({ origin }) => origin(values)),
    Either.map((origin) => origin + withValues(parts.exec(template)?.[3] ?? "", values))
  )
}

const hostWith = (template: string, declared: Variables, values: VariableValues): string | null =>
  Either.getOrNull(Either.flatMap(planAddress(template, declared), ({ origin }) => origin(values)))

/** Whether these values lead to another host than the manifest names, with its defaults. */
export const choosesHost = ({ auth, baseUrl, variables }: Provider, given: VariableValues): boolean => {
  if (variables === undefined) return false
  const defaults = Object.fromEntries(
    Object.entries(variables).flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]))
  )
  const addresses = auth.type === "oauth2_client_credentials" ? [baseUrl, auth.tokenUrl] : [baseUrl]
  return addresses.some(
    (address) => hostWith(address, variables, { ...defaults, ...given }) !== hostWith(address, variables, defaults)
  )
}
