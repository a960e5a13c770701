// The common part of both imports: it turns a plain description of an operation into an endpoint of the catalog.
// Imported operations need a customer's own account: the gateway has no key for them and charges nothing. Every method
// but GET counts as effectful, because a description does not say which calls may safely be repeated.
import { Either, ParseResult, Schema } from "effect"
import { cutText } from "../../../domain/Characters.js"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { endpointIdCharsMax } from "../../../domain/limits/Manifests.js"
import {
  type Auth,
  type Binding,
  type Body,
  type Endpoint,
  EndpointId,
  Operation,
  type Place,
  ProviderId,
  ProviderManifest
} from "../../../domain/Manifest.js"
import { pathAndQuery, withPercentEscapes } from "../../../domain/manifest/Address.js"
import { comparable, keyNamesAt } from "../../../domain/TakenNames.js"
import { readUrl } from "../../../domain/Url.js"
import { makeEndpoint } from "../ManifestEndpoints.js"
import { operationProblems } from "../Soundness.js"
import { type FieldChoice, inputOf, namedFields } from "./ImportedInput.js"
import type { ReportBuilder } from "./ImportReport.js"

export interface ImportedField {
  readonly name: string
  /** Null when the description does not say where the field goes. */
  readonly place: typeof Place.Type | null
  readonly required: boolean
  readonly schema: JsonObject
  readonly style?: Binding["style"]
  readonly transform?: Binding["transform"]
  /** The media type of its part of a form. */
  readonly contentType?: string
  /** Set for a file: a run may also name one that an earlier run returned, of these types. */
  readonly file?: { readonly types?: ReadonlyArray<string> }
}

export interface ImportedResponse {
  /** Statuses that bring an answer although they would not be taken for a success. */
  readonly successStatuses?: ReadonlyArray<number>
  /** Where an error answer says what was wrong. */
  readonly errors?: ReadonlyArray<{ readonly when: string; readonly message: string }>
}

export type ImportedAuth = { readonly [key: string]: Json }

export interface ImportedOperation {
  readonly id: string
  readonly providerId: string
  readonly providerName: string
  readonly name: string
  readonly description: string
  readonly method: string
  /** Empty when it is not known. */
  readonly baseUrl: string
  /** The parts of `baseUrl` that the description leaves open, as a manifest declares them. */
  readonly variables?: { readonly [name: string]: Json }
  readonly path: string
  readonly fields: ReadonlyArray<ImportedField>
  /** The schema of further fields, of any name, when the body takes them. */
  readonly free?: JsonObject
  /** Which fields of the body an input needs, where it may choose among them. */
  readonly choices?: ReadonlyArray<FieldChoice>
  /** For a body that is no object of fields. */
  readonly body?: Body
  /** Values that are sent with every call. */
  readonly fixed?: ReadonlyArray<{ readonly [key: string]: Json }>
  readonly category: string
  readonly tags: ReadonlyArray<string>
  readonly auth: ImportedAuth
  readonly facts: { readonly [name: string]: string }
  readonly outputSchema?: JsonObject
  readonly response?: ImportedResponse
  readonly docs?: string
  /** Where the description comes from. */
  readonly provenance?: { readonly docs: string; readonly note: string }
}

const { operations: _, ...providerFields } = ProviderManifest.fields
const decodeProvider = Schema.decodeUnknownEither(Schema.Struct(providerFields))
const isProviderId = Schema.is(ProviderId)
const isEndpointId = Schema.is(EndpointId)
const decodeOperation = Schema.decodeUnknownEither(Operation)

const methods: ReadonlyArray<string> = Operation.fields.method.literals
/** Headers that the gateway writes itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "accept",
  "content-type",
  "content-length",
  "host",
  "user-agent",
  "connection",
  "cookie"
])
const placeholder = /\{([^{}]+)\}/g
/** Whether it is an address once its variables are filled in. */
const isAddress = (address: string, variables: ImportedOperation["variables"] = {}): boolean => {
  const filled = address.replaceAll(placeholder, (whole, name: string) =>
    Object.hasOwn(variables, name) ? "x" : whole
  )
  return /^https?:\/\/[^\s?#{}]+$/.test(filled) && readUrl(filled) !== null
}

/** The names of the keys that stand in a path. */
const keyNamesIn = ({ name, places, type }: ImportedAuth): ReadonlyArray<Json> =>
  type === "path"
    ? [name ?? ""]
    : Array.isArray(places)
      ? places.flatMap((place: Json) => (isObject(place) && place["in"] === "path" ? [place["name"] ?? ""] : []))
      : []

/** A variable of which a description says nothing but its name: one label of a host, or one step of a path. */
export const openVariable = (name: string): { readonly [key: string]: Json } => ({
  pattern: "[A-Za-z0-9][A-Za-z0-9_-]*",
  description: `The part ${name} of the provider's address.`,
  examples: ["example"]
})
/** Used when the address is not known; this name never resolves. */
const unknownBase = "https://unknown.invalid"
const summaryMax = 2000
/** A description of an operation never names a job of the gateway. */
const noJobs: ReadonlySet<string> = new Set()

/** Shorter than the longest id allowed: `ManifestWriting.ts` appends `-2` and so on. */
export const importedIdCharsMax = 60

const idTaken = "an id that was there already: give each operation an id of its own"

export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
const providerIdOf = (text: string): string =>
  isProviderId(text) ? text : slug(text).slice(0, importedIdCharsMax) || "unnamed"
export const endpointIdOf = (text: string): string =>
  isEndpointId(text)
    ? text
    : text
        .replaceAll(/[^A-Za-z0-9._~-]+/g, "-")
        .replace(/^[^A-Za-z0-9]+/, "")
        .slice(0, endpointIdCharsMax) || "unnamed"

const firstProblem = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return issue === undefined ? "is not an operation" : `${issue.path.map(String).join(".")}: ${issue.message}`
}

export class OperationImporter {
  private readonly providers = new Map<string, Endpoint["provider"]>()
  private readonly ids = new Set<string>()
  constructor(private readonly report: ReportBuilder) {}

  /** A provider without a key is called without a connection, which could give a variable: the example stands in. */
  private variablesOf({ auth, id, variables }: ImportedOperation): ImportedOperation["variables"] {
    if (variables === undefined || auth["type"] !== "none") return variables
    return Object.fromEntries(
      Object.entries(variables).map(([name, variable]) => {
        if (!isObject(variable) || variable["default"] !== undefined || !Array.isArray(variable["examples"]))
          return [name, variable]
        this.report.note("changed", id, `the part ${name} of the address has an invented default; write the real one`)
        return [name, { ...variable, default: variable["examples"][0] ?? "example" }]
      })
    )
  }

  private providerOf(source: ImportedOperation, baseUrl: string): Either.Either<Endpoint["provider"], string> {
    const keyless = source.auth["type"] === "none"
    const variables = this.variablesOf(source)
    const raw = {
      id: providerIdOf(source.providerId),
      name: source.providerName.trim() || source.providerId,
      baseUrl,
      ...(variables === undefined ? {} : { variables }),
      auth: source.auth,
      ownKey: !keyless,
      platformKey: false,
      facts: keyless ? {} : { billing: "billed by the provider to your own account" },
      ...(source.docs === undefined ? {} : { docs: source.docs })
    }
    // All operations with an equal provider share one object: a large import has few providers.
    const key = JSON.stringify(raw)
    const known = this.providers.get(key)
    if (known !== undefined) return Either.right(known)
    return Either.mapBoth(decodeProvider(raw), {
      onLeft: firstProblem,
      onRight: (made) => {
        this.providers.set(key, made)
        return made
      }
    })
  }

  private fieldsOf(source: ImportedOperation, path: string, auth: Auth): ReadonlyArray<ImportedField> {
    const { id } = source
    const isOfKey = ({ name, place }: ImportedField): boolean =>
      place !== null && keyNamesAt(auth, place).some((each) => comparable(each) === comparable(name))
    const inPath = new Set(Array.from(path.matchAll(placeholder), (match) => match[1] ?? ""))
    const fields = source.fields.filter((field) => {
      if (field.name.trim() === "") return this.leave(id, "a field without a name")
      if (field.place === "header" && ownHeaders.has(field.name.toLowerCase()))
        return this.leave(id, `the header ${field.name.toLowerCase()}, which the gateway writes itself`)
      if (isOfKey(field)) return this.leave(id, `the field ${field.name}, which is where the key goes`)
      if (field.place === "path" && !inPath.has(field.name))
        return this.leave(id, "a path field that the path does not have")
      if ((field.place === "json" || field.place === "form" || field.place === "multipart") && source.method === "GET")
        return this.leave(id, "a body field of a GET")
      return true
    })
    const known = new Set(fields.filter(({ place }) => place === "path").map(({ name }) => name))
    const taken = new Set<Json>([...keyNamesIn(source.auth), ...Object.keys(source.variables ?? {})])
    const missing = Array.from(inPath).filter((name) => !known.has(name) && !taken.has(name))
    for (const name of missing)
      this.report.note(
        "changed",
        id,
        `took a path field from the path, which was described nowhere (${name.length > 20 ? "long name" : name})`
      )
    return [
      ...fields,
      ...missing.map((name): ImportedField => ({ name, place: "path", required: true, schema: { type: "string" } }))
    ]
  }

  private leave(id: string, what: string): false {
    this.report.note("changed", id, `left out ${what}`)
    return false
  }

  /** Null when the operation cannot be expressed; the report then says why. */
  take(source: ImportedOperation): Endpoint | null {
    const skip = (message: string): null => {
      this.report.note("skipped", source.id, message)
      return null
    }
    const method = source.method.toUpperCase()
    if (!methods.includes(method)) return skip(`the method ${method} is not supported; use ${methods.join(", ")}`)
    const id = endpointIdOf(source.id)
    if (id !== source.id) this.report.note("changed", source.id, "an id with characters that ids do not have")
    // The id alone is that of the operation which is kept.
    if (this.ids.has(id)) {
      this.report.note("skipped", `${method} ${source.path} as ${id}`, idTaken)
      return null
    }
    const isAddressed = isAddress(source.baseUrl, source.variables)
    if (!isAddressed)
      this.report.note(
        "inactive",
        id,
        `${source.baseUrl === "" ? "the document names no base address" : "its base address is no full address"}: write baseUrl in the manifest and take out activated, or mend servers in the document`
      )
    const provider = this.providerOf(source, isAddressed ? source.baseUrl.replace(/\/+$/, "") : unknownBase)
    if (Either.isLeft(provider)) return skip(`a provider that cannot be written down: ${provider.left}`)
    if (source.auth["type"] === "unsupported")
      this.report.note(
        "inactive",
        id,
        `a key placement that the gateway cannot do (${String(source.auth["placement"])})`
      )

    const rawPath = source.path.split("#", 1)[0] ?? ""
    const written = rawPath.startsWith("/") ? rawPath : `/${rawPath}`
    const path = withPercentEscapes(written)
    if (path !== written)
      this.report.note("changed", id, "wrote characters of the path that no address may have as percent escapes")
    const named = namedFields(this.fieldsOf({ ...source, method }, pathAndQuery(path)[0], provider.right.auth))
    const summary = cutText(source.description.trim(), summaryMax).trim() || source.name.trim() || id
    const tags = cutText(
      source.tags
        .map((tag) => tag.trim())
        .filter((tag) => tag !== "")
        .join(", "),
      200
    ).trim()
    const hasForm = named.some(([, { place }]) => place === "form" || place === "multipart")
    const bindings = named.flatMap(
      ([name, { contentType, name: sent, place, schema, style: said, transform = [] }]) => {
        const style = said ?? (place === "query" && schema["type"] === "array" ? "repeat" : "single")
        // A field gets no binding when it goes to the right place without one: a large import would hold a hundred
        // thousand bindings.
        const isPlain = name === sent && style === "single" && transform.length === 0
        const goesThere = isPlain && (place === "path" || place === (method === "GET" ? "query" : "json"))
        return place === null || (goesThere && !hasForm)
          ? []
          : [
              [
                name,
                {
                  in: place,
                  name: sent,
                  style,
                  ...(transform.length === 0 ? {} : { transform }),
                  ...(contentType === undefined ? {} : { contentType })
                }
              ] as const
            ]
      }
    )
    const files = named.flatMap(([name, { file }]) => (file === undefined ? [] : [[name, file] as const]))
    const { problems, schema: input } = inputOf(named, source)
    for (const { message, path: place } of problems)
      this.report.note(
        "changed",
        id,
        `left out the keyword ${place.split(".").at(-1) ?? ""} of a schema: it ${message}`
      )
    const decoded = decodeOperation({
      id,
      name: source.name.trim() || id,
      summary,
      ...(tags === "" ? {} : { sourceCapability: tags }),
      ...(source.category.trim() === "" ? {} : { category: source.category.trim() }),
      effect: method === "GET" ? "read_only" : "effectful",
      repeatable: method === "GET",
      method,
      path,
      input,
      bindings: Object.fromEntries(bindings),
      ...(files.length === 0 ? {} : { files: Object.fromEntries(files) }),
      ...(source.body === undefined ? {} : { body: source.body }),
      ...(source.fixed === undefined ? {} : { fixed: source.fixed }),
      ...(source.response === undefined ? {} : { response: source.response }),
      price: { basis: "free", micros: 0 },
      contentTypes: ["application/json", "text/*", "application/*", "image/*", "audio/*", "video/*"],
      activated: isAddressed,
      facts: source.facts,
      ...(source.provenance === undefined ? {} : { provenance: { ...source.provenance, verified: false } }),
      ...(source.outputSchema === undefined ? {} : { outputSchema: source.outputSchema })
    })
    if (Either.isLeft(decoded)) return skip(firstProblem(decoded.left))
    const endpoint = makeEndpoint(provider.right, decoded.right)
    const [problem] = operationProblems(endpoint, noJobs, "requests")
    if (problem !== undefined) return skip(`${problem.path}: ${problem.message}`)
    this.ids.add(id)
    return endpoint
  }
}
