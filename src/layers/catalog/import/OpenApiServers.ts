/**
 * The address of an operation. What a document leaves open in it becomes a variable of the manifest, so that a
 * connection can give it; a value that a variable cannot have, such as a port, is filled in with its default.
 */
import { Schema } from "effect"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { VariableValue } from "../../../domain/Manifest.js"
import { member, setMember } from "../../../domain/Members.js"
import { readUrl } from "../../../domain/Url.js"
import { openVariable } from "./ImportedOperation.js"
import { entriesOf, listOf, textOf } from "./OpenApiParts.js"
import { isPlaceholder, nameOf } from "./Placeholders.js"

export interface Server {
  /** With `{name}` for each variable. */
  readonly baseUrl: string
  /** The address with the defaults of its document. */
  readonly filled: string
  readonly variables: { readonly [name: string]: JsonObject }
  /** What the document leaves open and the address does not, in words. */
  readonly fixed: ReadonlyArray<string>
}

export const noServer: Server = { baseUrl: "", filled: "", variables: {}, fixed: [] }

const isValue = Schema.is(VariableValue)
const open = /\{([^{}]+)\}/g
/** What a document writes where it wants another value. */
const standsForAnother = (value: string): boolean =>
  isPlaceholder(value) ||
  /^(?:your|my|the)[-_.]?[a-z]|^(?:example|demo|subdomain|domain|host|tenant|company|instance)$/i.test(value)

const escaped = (text: string): string => text.replaceAll(/[.~]/g, "\\$&")

const choicesOf = (declared: JsonObject): ReadonlyArray<string> =>
  listOf(declared["enum"])
    .map(textOf)
    .filter((each) => each !== "")

/** The value that the document itself gives: its default, or the only one that there is. */
const presetIn = (declared: JsonObject): string => {
  const [only = "", ...others] = choicesOf(declared)
  return textOf(declared["default"]) || (others.length === 0 ? only : "")
}

/** The variable of a manifest; null where none can be made of it, and its default is filled in. */
const variableOf = (name: string, declared: JsonObject): JsonObject | null => {
  const written = textOf(declared["default"])
  const preset = isPlaceholder(written) && !isValue(written) ? "" : written
  const choices = choicesOf(declared)
  if (choices.length === 1 || [preset, ...choices].some((each) => each !== "" && !isValue(each))) return null
  if (preset === "" && choices.length === 0) return openVariable(name)
  const [first = preset] = choices
  const example = preset === "" ? first : preset
  const description = textOf(declared["description"])
  return {
    ...openVariable(name),
    ...(description === "" ? {} : { description }),
    ...(choices.length > 0
      ? { pattern: [...new Set([...choices, ...(preset === "" ? [] : [preset])])].map(escaped).join("|") }
      : example.includes(".")
        ? { pattern: "[A-Za-z0-9][A-Za-z0-9_.-]*" }
        : {}),
    examples: [example],
    ...(preset === "" || (choices.length === 0 && standsForAnother(preset)) ? {} : { default: preset })
  }
}

/** Where in an address a variable may stand: in its host and its path, not in its scheme and its port. */
const mayBeOpen = (url: string, at: number): boolean => {
  const scheme = /^(?:https?:)?\/\//.exec(url)?.[0]
  if (scheme === undefined || at < scheme.length) return false
  const before = url.slice(scheme.length, at)
  return before.lastIndexOf(":") <= before.lastIndexOf("/")
}

const addressOf = (server: JsonObject, reserved: ReadonlySet<string>): Server => {
  const written = textOf(server["url"])
  const declared = isObject(server["variables"]) ? server["variables"] : {}
  const variables: { [name: string]: JsonObject } = {}
  const fixed: Array<string> = []
  const declaredAs = (name: string): JsonObject => {
    const variable = member(declared, name)
    return isObject(variable) ? variable : {}
  }
  const presetOf = (whole: string, name: string): string => presetIn(declaredAs(name)) || whole
  const fixedOf = (whole: string, name: string): string => {
    const preset = presetOf(whole, name)
    // Where there is but one value, nothing is lost.
    if (preset !== whole && choicesOf(declaredAs(name)).length !== 1)
      fixed.push(`filled in ${preset} for the part ${name} of the address, which a connection cannot give`)
    return preset
  }
  const url = written.replace(/^\{([^{}]+)\}(?=:)/, fixedOf)
  const baseUrl = url.replaceAll(open, (whole, name: string, at: number) => {
    const made = mayBeOpen(url, at) ? variableOf(name, declaredAs(name)) : null
    if (made === null) return fixedOf(whole, name)
    const plain = /^[a-z][A-Za-z0-9_]*$/.test(name) ? name : nameOf(name)
    const own = reserved.has(plain) ? `server_${plain}` : plain
    setMember(variables, own, made)
    return `{${own}}`
  })
  return { baseUrl, filled: url.replaceAll(open, presetOf), variables, fixed }
}

/** The host by which the provider is named: without what every connection gives anew. */
export const hostOf = ({ baseUrl, filled, variables }: Server): string => {
  const labels = (/^https?:\/\/([^/:]*)/.exec(baseUrl)?.[1] ?? "").split(".")
  const isAnew = (label: string): boolean =>
    Array.from(label.matchAll(open)).some(([, name = ""]) => member(variables, name)?.["default"] === undefined)
  const first = labels.findIndex((label) => !isAnew(label))
  const count = labels.length - first
  const whole = readUrl(filled)?.hostname ?? ""
  return first > 0 && count > 1 ? whole.split(".").slice(-count).join(".") : whole
}

/** The names in the paths of a document, which a variable must not have. */
export const namesInPaths = (document: JsonObject): ReadonlySet<string> =>
  new Set(entriesOf(document["paths"]).flatMap(([path]) => Array.from(path.matchAll(open), ([, name = ""]) => name)))

/** The first of these servers; one with https comes before the same one without. Null where there is none. */
export const serverOf = (servers: Json | undefined, reserved: ReadonlySet<string>): Server | null => {
  const found = listOf(servers)
    .filter(isObject)
    .map((server) => addressOf(server, reserved))
    .filter(({ baseUrl }) => baseUrl !== "")
  const [first] = found
  if (first === undefined) return null
  const withoutScheme = ({ baseUrl }: Server): string => baseUrl.replace(/^https?:/, "")
  const alike = found.filter((each) => withoutScheme(each) === withoutScheme(first))
  const taken = first.baseUrl.startsWith("http:")
    ? (alike.find(({ baseUrl }) => baseUrl.startsWith("https:")) ?? first)
    : first
  return alike.length === found.length
    ? taken
    : { ...taken, fixed: [...taken.fixed, `takes one of several addresses (${taken.baseUrl})`] }
}
