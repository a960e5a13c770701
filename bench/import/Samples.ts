// Values that a schema allows, for the measure of imports: the document's own example where it fits, else the smallest
// value. What a document leaves open is filled in the same way each time.
import { isMembers, itemsOf, type Members, membersOf, type Node, node, textOf, type Value } from "./Document.js"

/** The content of a file of a form. */
export const fileText = "content of a file"
export const isFileValue = (value: unknown): boolean => isMembers(value) && value["fileText"] !== undefined

/** A text that a simple pattern matches; undefined when the pattern is not simple. */
const matching = (pattern: string): string | undefined => {
  let at = 0
  const fits = (text: string): boolean => {
    try {
      return new RegExp(pattern, "u").test(text) || new RegExp(pattern).test(text)
    } catch {
      return false
    }
  }
  const alternatives = (): string => {
    const first = sequence()
    while (pattern[at] === "|") {
      at += 1
      sequence()
    }
    return first
  }
  const sequence = (): string => {
    let out = ""
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") {
      const one = atom()
      const rest = pattern.slice(at)
      const counted = /^\{(\d+)(?:,\d*)?\}/.exec(rest)
      const times = counted === null ? (/^[*?]/.test(rest) ? 0 : 1) : Number(counted[1])
      at += counted === null ? (/^[*+?]/.test(rest) ? 1 : 0) : counted[0].length
      if (pattern[at] === "?") at += 1
      out += one.repeat(times)
    }
    return out
  }
  const classes: Members = { d: "1", w: "a", s: " ", S: "a", D: "a", W: "-", b: "", n: "\n", t: "\t" }
  const atom = (): string => {
    const sign = pattern[at] ?? ""
    at += 1
    if (sign === "^" || sign === "$") return ""
    if (sign === ".") return "a"
    if (sign === "\\") {
      const letter = pattern[at] ?? ""
      at += 1
      return textOf(classes[letter]) || (classes[letter] === "" ? "" : letter)
    }
    if (sign === "(") {
      if (pattern.startsWith("?:", at)) at += 2
      const inner = alternatives()
      at += 1
      return inner
    }
    if (sign !== "[") return sign
    const end = pattern.indexOf("]", at + 1)
    const set = pattern.slice(at, end)
    at = end + 1
    for (const candidate of "a1A-_. /x0Z~#")
      if (new RegExp(`[${set}]`).test(candidate) && !(set.startsWith("^") && candidate === "/")) return candidate
    return set[0] ?? ""
  }
  const made = alternatives()
  return fits(made) ? made : ["abc", "a", "1", "abc-1", "https://example.com/a", "2026-01-01", "1.0"].find(fits)
}

const byFormat: Members = {
  date: "2026-01-31",
  "date-time": "2026-01-31T10:00:00Z",
  email: "ada@example.com",
  uuid: "0b1f7f1e-6c1c-4f5e-9f5e-1c2d3e4f5a6b",
  uri: "https://example.com/a",
  url: "https://example.com/a",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  hostname: "example.com"
}

const typeOf = (schema: Members): string => {
  const { type } = schema
  const first = Array.isArray(type) ? textOf(type.find((each) => each !== "null")) : textOf(type)
  if (first !== "") return first
  return schema["properties"] !== undefined ? "object" : schema["items"] !== undefined ? "array" : ""
}

const textAllowed = (schema: Members, text: string): boolean => {
  const { format, maxLength, minLength, pattern } = schema
  if (typeof minLength === "number" && text.length < minLength) return false
  if (typeof maxLength === "number" && text.length > maxLength) return false
  if (format === "date-time" && Number.isNaN(Date.parse(text))) return false
  if (format === "date-time" && !/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/.test(text))
    return false
  if (format === "date" && !/^\d{4}-\d\d-\d\d$/.test(text)) return false
  if (format === "email" && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text)) return false
  if (format === "uuid" && !/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return false
  if ((format === "uri" || format === "url") && !/^[a-z][a-z0-9+.-]*:\S+$/i.test(text)) return false
  if (format === "ipv4" && !/^\d+(\.\d+){3}$/.test(text)) return false
  return typeof pattern !== "string" || new RegExp(pattern).test(text)
}

const numberAllowed = (schema: Members, value: number): boolean => {
  const { maximum, minimum } = schema
  if (typeOf(schema) === "integer" && !Number.isInteger(value)) return false
  return !(typeof minimum === "number" && value < minimum) && !(typeof maximum === "number" && value > maximum)
}

const exampleOf = (schema: Members): Value | undefined => {
  const type = typeOf(schema)
  return [schema["example"], ...itemsOf(schema["examples"]), schema["default"]].find((value) => {
    if (value === undefined || value === null) return false
    if (type === "string") return typeof value === "string" && value !== "" && textAllowed(schema, value)
    if (type === "integer" || type === "number") return typeof value === "number" && numberAllowed(schema, value)
    if (type === "boolean") return typeof value === "boolean"
    return false
  })
}

const text = (schema: Members): string => {
  const { format, maxLength, minLength, pattern } = schema
  const known = byFormat[textOf(format)]
  if (typeof known === "string" && textAllowed(schema, known)) return known
  const made = typeof pattern === "string" ? (matching(pattern) ?? "text") : "text"
  const least = typeof minLength === "number" ? minLength : 0
  const most = typeof maxLength === "number" ? maxLength : 1000
  return made.padEnd(least, made || "x").slice(0, most)
}

const depthMax = 9
/** How many levels of optional members are filled in. */
const optionalLevels = 2

/** What all parts of a schema say together: `allOf`, and the first alternative of `oneOf` and `anyOf`. */
interface Shape {
  /** The keywords of all parts; those of earlier parts count. */
  readonly at: Members
  readonly file: string
  readonly properties: ReadonlyMap<string, Node>
  readonly required: ReadonlySet<Value>
  /** Members that must not stand beside the others. */
  readonly excluded: ReadonlySet<Value>
}

const shapeOf = (from: Node, depth: number): Shape => {
  const parts: Array<Node> = []
  const required = new Set<Value>()
  const elsewhere = new Set<Value>()
  const take = (part: Node, hops: number): void => {
    if (hops > 12) return
    parts.push(part)
    for (const name of itemsOf(part.at["required"])) required.add(name)
    for (const each of itemsOf(part.at["allOf"])) take(node(part.file, each), hops + 1)
    for (const alternatives of [itemsOf(part.at["oneOf"]), itemsOf(part.at["anyOf"])]) {
      const [first, ...others] = alternatives
        .map((each) => node(part.file, each))
        .filter(({ at }) => at["type"] !== "null" && !(isMembers(at["not"]) && Object.keys(at).length === 1))
      if (first === undefined) continue
      take(first, hops + 1)
      for (const { at } of others) for (const name of itemsOf(at["required"])) elsewhere.add(name)
    }
    const forbidden = itemsOf(membersOf(part.at["not"])["required"])
    for (const name of forbidden.slice(1)) elsewhere.add(name)
  }
  take(from, depth > depthMax ? 12 : 0)
  const properties = new Map<string, Node>()
  for (const part of parts)
    for (const [name, value] of Object.entries(membersOf(part.at["properties"])))
      if (!properties.has(name)) properties.set(name, node(part.file, value))
  const at: Members = Object.assign({}, ...parts.map((part) => part.at).reverse())
  return {
    at,
    file: (parts.find((part) => part.at["items"] !== undefined) ?? from).file,
    properties,
    required,
    excluded: elsewhere
  }
}

/** `rich`: with optional members. A value that the sender must not send (`readOnly`) is left out. */
export const sampleOf = (from: Node, rich: boolean, depth = 0): Value => {
  const shape = shapeOf(from, depth)
  const schema: Members = { ...shape.at, ...(shape.properties.size === 0 ? {} : { properties: {} }) }
  const type = typeOf(schema)
  if (schema["const"] !== undefined) return schema["const"]
  const choices = itemsOf(schema["enum"]).filter((value) => value !== null)
  const [choice] = choices
  const example = exampleOf(schema)
  if (choice !== undefined) return choices.find((each) => each === example) ?? choice
  if (example !== undefined) return example
  switch (type) {
    case "integer":
    case "number": {
      const { maximum, minimum } = schema
      const one = typeof minimum === "number" ? Math.max(minimum, 1) : 1
      return typeof maximum === "number" ? Math.min(one, maximum) : one
    }
    case "boolean":
      return true
    case "array": {
      const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0
      const most = typeof schema["maxItems"] === "number" ? schema["maxItems"] : 2
      const usual = schema["uniqueItems"] !== true && rich && depth < optionalLevels ? 2 : 1
      const length = depth > depthMax ? least : Math.min(Math.max(least, usual), most)
      const item = node(shape.file, schema["items"])
      return Array.from({ length }, () => sampleOf(item, rich, depth + 1))
    }
    case "object":
      return members(shape, rich && depth < optionalLevels, depth, rich)
    default:
      return schema["format"] === "binary" ? { fileText } : text(schema)
  }
}

const members = (shape: Shape, isFilled: boolean, depth: number, rich: boolean): Value => {
  const out: { [name: string]: Value } = {}
  for (const [name, property] of shape.properties) {
    if (property.at["readOnly"] === true || depth > depthMax) continue
    if (shape.required.has(name) || (isFilled && !shape.excluded.has(name)))
      out[name] = sampleOf(property, rich, depth + 1)
  }
  const more = shape.at["additionalProperties"]
  if (isFilled && isMembers(more) && shape.properties.size === 0)
    out["free_name"] = sampleOf(node(shape.file, more), rich, depth + 1)
  return out
}
