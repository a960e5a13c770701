/**
 * From an operation's input to the parts of its HTTP request: each field goes where its binding says, fixed values are
 * added to every call. Only the names of the manifest are paths (`person.first_name`); the name of a field without a
 * binding is sent letter for letter, dots and digits included. A plan is made once per operation; a problem in the
 * manifest is found then and not during a call. Keys are not here: they are placed afterwards, so that what is digested
 * never held one.
 */
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import type { Binding, Endpoint, FixedValue, Place } from "../../domain/Manifest.js"
import { pathAndQuery, signProblem } from "../../domain/manifest/Address.js"
import { headerName, headerText, noHeaderName, noHeaderText } from "../../domain/manifest/Auth.js"
import { setMember } from "../../domain/Members.js"
import { type BodyPath, bodyPath, type Members, pathProblem, setPath } from "./BodyPaths.js"
import type { InputFile } from "../../domain/ProviderCall.js"
import { bodiesOf, comparable, placeOfUnbound } from "../../domain/TakenNames.js"
import { fileProblems, type NamedFiles, namedFiles } from "./FileReferences.js"
import { decodeBase64, isFile, type Part, StoredFile } from "./Multipart.js"
import { fieldsOfBody, noFile, rawBody, type RawBody } from "./RawBodies.js"
import { keyPlaces } from "./KeyPlacement.js"
import { bodyProblems, keyProblems, spreadProblem, takenProblem } from "./RequestChecks.js"
import { pairsOf } from "./Styles.js"
import { applyTransforms, asHeaderText, asText } from "./Transforms.js"
import { type AddressPlan, declarationProblems, placeholdersOf, planAddress, withValues } from "./Variables.js"

/** A request without its key. `body` is still open for a key that goes into it. */
export interface RequestParts {
  readonly method: Endpoint["operation"]["method"]
  /** With `{name}` for each variable of the provider: input is escaped and has no braces. */
  readonly path: string
  readonly query: Array<readonly [name: string, value: string]>
  readonly headers: Record<string, string>
  readonly body:
    | { readonly _tag: "None" }
    | { readonly _tag: "Json"; readonly value: { [key: string]: Json } }
    | { readonly _tag: "Form"; readonly fields: Array<readonly [name: string, value: string]> }
    | { readonly _tag: "Multipart"; readonly parts: Array<Part> }
    | ({ readonly _tag: "Raw" } & RawBody)
}

/** The input cannot be written as a request: the field, and a value that would be right. */
interface Unplaceable {
  readonly field: string
  readonly message: string
}

export interface PlanProblem {
  readonly path: string
  readonly message: string
}

export interface FollowUp {
  readonly method: "GET" | "POST" | "DELETE"
  /** Under the provider's base path, filled in. */
  readonly path: string
  readonly body?: JsonObject
}

export interface RequestPlan {
  /** Scheme, host and port of the manifest. */
  readonly origin: AddressPlan["origin"]
  /** `files` are those that the input names. */
  readonly build: (
    input: JsonObject,
    files?: ReadonlyMap<string, InputFile>
  ) => Either.Either<RequestParts, Unplaceable>
  /** A follow-up request of an asynchronous operation, with the fixed headers. */
  readonly follow: (request: FollowUp) => RequestParts
}

/** A binding with the steps of its name: one step where the name is no path. */
interface Placing extends Binding {
  readonly path: BodyPath
}

const declared = (binding: Binding): Placing => ({
  ...binding,
  path: binding.in === "json" ? bodyPath(binding.name) : [binding.name]
})
const unbound = (place: Place, name: string): Placing => ({
  in: place,
  name,
  transform: [],
  style: "single",
  path: [name]
})
const always = ({ in: place, name }: typeof FixedValue.Type): Placing =>
  declared({ in: place, name, transform: [], style: "single" })

/** Left: every way in which the bindings contradict each other. */
export const planRequest = ({
  operation,
  provider
}: Endpoint): Either.Either<RequestPlan, ReadonlyArray<PlanProblem>> => {
  const base = planAddress(provider.baseUrl, provider.variables)
  if (Either.isLeft(base)) return Either.left([{ path: "baseUrl", message: base.left }])
  const basePath = base.right.pathname.replace(/\/$/, "")
  const [template, fixedQuery] = pathAndQuery(operation.path)
  const isVariable = (name: string): boolean => Object.hasOwn(provider.variables ?? {}, name)
  const keyNames = keyPlaces(provider.auth).flatMap((place) => (place.in === "path" ? [place.name] : []))
  const inPath = new Set(placeholdersOf(template).filter((name) => !isVariable(name) && !keyNames.includes(name)))

  const fixed = [...provider.fixed, ...operation.fixed]
  const bodies = bodiesOf({ operation, provider })
  const { body: said } = operation
  const ofBody = fieldsOfBody(said)
  const raw = said?.as === "fields" ? undefined : said
  const mayBeNone = said?.as === "fields"
  const elsewhere = placeOfUnbound({ operation, provider })

  const problems: Array<PlanProblem> = [...declarationProblems(provider)]
  for (const [at, path] of [
    ["baseUrl", basePath],
    ["path", operation.path]
  ] as const) {
    const problem = signProblem(path)
    if (problem !== null) problems.push({ path: at, message: problem })
  }
  if (bodies.length > 1)
    problems.push({ path: "bindings", message: `one request has one kind of body, not ${bodies.join(" and ")}` })
  problems.push(...keyProblems({ operation, provider }))
  if (said !== undefined) problems.push(...bodyProblems({ operation, provider }, bodies))
  problems.push(...fileProblems({ operation }))
  for (const [field, { contentType, in: place, name, style }] of Object.entries(operation.bindings)) {
    const problem = style === "spread" ? spreadProblem(place, name) : null
    if (problem !== null) problems.push({ path: `bindings.${field}`, message: problem })
    if (contentType !== undefined && place !== "multipart")
      problems.push({
        path: `bindings.${field}.contentType`,
        message: "is the type of a part, and only a multipart body has parts"
      })
  }
  const named = new Map<string, string>()
  for (const [field, binding] of Object.entries(operation.bindings))
    if (binding.in === "path") named.set(binding.name, field)
  for (const [name, field] of named) {
    if (!inPath.has(name)) problems.push({ path: `bindings.${field}`, message: `the path has no {${name}}` })
  }
  const bindings = new Map(Object.entries(operation.bindings).map(([field, binding]) => [field, declared(binding)]))
  const constants = fixed.map((each) => ({ placing: always(each), value: each.value }))
  const placings = [
    ...Array.from(bindings, ([field, placing]) => ({ at: `bindings.${field}`, placing })),
    ...constants.map(({ placing }) => ({ at: `fixed.${placing.name}`, placing }))
  ]
  for (const { placing, value } of constants)
    if (placing.in === "header" && !headerText.test(asHeaderText(value, [])))
      problems.push({
        path: `fixed.${placing.name}`,
        message: noHeaderText
      })
  for (const { at, placing } of placings) {
    const problem =
      placing.in === "header" && placing.style !== "spread" && !headerName.test(placing.name)
        ? `goes to ${JSON.stringify(placing.name)}, which ${noHeaderName}`
        : pathProblem(placing.path)
    if (problem !== null) problems.push({ path: at, message: problem })
  }
  if (problems.length > 0) return Either.left(problems)

  const placingOf = (field: string): Placing =>
    bindings.get(field) ?? unbound(inPath.has(field) && !named.has(field) ? "path" : elsewhere, field)
  /** What a client's key of a spread object must not name: everything that the manifest sets in this place. */
  const takenIn = (place: Place): ReadonlySet<string> =>
    new Set(
      [
        ...[...bindings.values(), ...constants.map(({ placing }) => placing)]
          .filter((each) => each.in === place)
          .map(({ name }) => name),
        ...("name" in provider.auth ? [provider.auth.name] : []),
        ...keyPlaces(provider.auth).map(({ name }) => name),
        ...Object.keys(isObject(operation.input["properties"]) ? operation.input["properties"] : {})
      ].map(comparable)
    )
  const taken = new Map(
    [...bindings.values()].filter(({ style }) => style === "spread").map((each) => [each.in, takenIn(each.in)])
  )

  const hasBody = operation.method !== "GET" && operation.method !== "DELETE" && !mayBeNone

  const build: RequestPlan["build"] = (input, files) => {
    const namedIn = namedFiles(operation, files)
    const query: Array<readonly [string, string]> = []
    const headers: Record<string, string> = {}
    const json: Members = {}
    const pairs: Array<readonly [string, Json]> = []
    const parts: Array<Part> = []
    const segments: { [name: string]: string } = {}
    let wrong: Unplaceable | undefined

    const placeFile = (field: string, name: string, value: Json, named: NamedFiles): void => {
      const file = named.fileOf(value)
      if (file === null) wrong = { field, message: noFile }
      else parts.push([name, new StoredFile(file.contentType, file.filename, file.bytes)])
    }
    /** In a body of JSON or a form, a file is base64. */
    const asBase64 = (field: string, value: Json, named: NamedFiles): Json => {
      if (Array.isArray(value)) return value.map((item: Json) => asBase64(field, item, named))
      if (!named.isNamed(value)) return value
      const file = named.fileOf(value)
      if (file === null) wrong = { field, message: noFile }
      return file === null ? null : Buffer.from(file.bytes).toString("base64")
    }

    const place = (field: string, binding: Placing, value: Json): void => {
      switch (binding.in) {
        case "json":
          return setPath(json, binding.path, value)
        case "query":
        case "form":
          for (const [name, each] of pairsOf(binding, value))
            (binding.in === "query" ? query : pairs).push([name, asText(each)])
          return
        case "multipart": {
          const named = namedIn(field)
          const isNamed = (each: Json) => named?.isNamed(each) === true
          for (const [name, each] of pairsOf(binding, value, (whole) => isFile(whole) || isNamed(whole))) {
            if (named !== null && isNamed(each)) {
              placeFile(field, name, each, named)
              continue
            }
            if (isFile(each) && decodeBase64(each["base64"] ?? null) === null)
              wrong = { field, message: "must be a file with base64" }
            parts.push(binding.contentType === undefined ? [name, each] : [name, each, binding.contentType])
          }
          return
        }
        case "header":
          for (const [name, each] of binding.style === "spread"
            ? pairsOf(binding, value)
            : [[binding.name, value] as const]) {
            const text = asHeaderText(each, binding.transform)
            if (headerText.test(text) && headerName.test(name)) setMember(headers, name.toLowerCase(), text)
            else
              wrong = {
                field,
                message: headerName.test(name)
                  ? "must not contain line breaks or characters outside Latin-1, because it is sent as a header"
                  : "must have keys of letters, digits and hyphens, because they are sent as headers"
              }
          }
          return
        case "path": {
          const text = asText(value)
          // A dot segment would climb out of the operation's path at the provider.
          if (text === "" || text.split("/").some((step) => step === "." || step === ".."))
            wrong = { field, message: "must be usable as a part of an address: not empty, no `.` or `..`" }
          setMember(
            segments,
            binding.name,
            binding.style === "segments" ? text.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(text)
          )
          return
        }
      }
    }

    for (const [field, value] of Object.entries(input)) {
      if (ofBody.has(field)) continue
      const binding = placingOf(field)
      if (value === null && binding.in !== "json") continue
      if (binding.style === "spread") {
        const problem = isObject(value) ? takenProblem(binding, value, taken.get(binding.in)) : "must be an object"
        if (problem !== null) wrong = { field, message: problem }
      }
      const named = binding.in === "json" || binding.in === "form" ? namedIn(field) : null
      const given = named === null ? value : asBase64(field, value, named)
      place(field, binding, binding.transform.length === 0 ? given : applyTransforms(given, binding.transform))
    }
    for (const { placing, value } of constants) place(placing.name, placing, value)
    for (const name of inPath)
      if (!Object.hasOwn(segments, name)) wrong = { field: named.get(name) ?? name, message: "is required" }
    const given = raw === undefined ? null : rawBody(raw, input, json, namedIn)
    if (given !== null && Either.isLeft(given)) wrong = given.left
    if (wrong !== undefined) return Either.left(wrong)

    const filled = inPath.size === 0 ? template : withValues(template, segments)
    const isEmpty = pairs.length === 0 && parts.length === 0 && Object.keys(json).length === 0
    const kind = mayBeNone && isEmpty ? "query" : (bodies[0] ?? (hasBody || !isEmpty ? "json" : "query"))
    return Either.right({
      method: operation.method,
      path: `${basePath}${filled}${fixedQuery === null ? "" : `?${fixedQuery}`}`,
      query,
      headers,
      body:
        given !== null
          ? Either.isRight(given) && given.right !== null
            ? { _tag: "Raw", ...given.right }
            : { _tag: "None" }
          : kind === "json"
            ? { _tag: "Json", value: json }
            : kind === "form"
              ? { _tag: "Form", fields: pairs.map(([name, value]) => [name, asText(value)] as const) }
              : kind === "multipart"
                ? { _tag: "Multipart", parts }
                : { _tag: "None" }
    })
  }

  return Either.right({
    origin: base.right.origin,
    build,
    follow: ({ body, method, path }) => ({
      method,
      path: `${basePath}${path}`,
      query: [],
      headers: Object.fromEntries(
        fixed.filter((value) => value.in === "header").map((value) => [value.name.toLowerCase(), asText(value.value)])
      ),
      body: method === "POST" ? { _tag: "Json", value: { ...body } } : { _tag: "None" }
    })
  })
}
