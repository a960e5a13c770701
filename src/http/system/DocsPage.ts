/**
 * The reference as one page of plain HTML, made once from the OpenAPI document and the tables of errors. No script, no
 * font and no picture from anywhere: it reads the same without a network.
 */
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { runFailures } from "../../domain/RunFailures.js"
import { wireErrors } from "../Envelope.js"
import { escapeHtml as escape, pageHeaders } from "../Html.js"

const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const list = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
const string = (value: Json | undefined): string => (typeof value === "string" ? value : "")
const code = (text: string): string => `<code>${escape(text)}</code>`
const row = (cells: ReadonlyArray<string>, id?: string): string =>
  `<tr${id === undefined ? "" : ` id="${escape(id)}"`}>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`
const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<string>): string =>
  rows.length === 0
    ? ""
    : `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`

/** A schema in one line: `RunRequest`, `integer 1..100`, `string | null`. */
const typeText = (schema: Json | undefined): string => {
  const { $ref, anyOf, enum: choices, items, maximum, minimum, oneOf, type } = object(schema)
  if (typeof $ref === "string") {
    const name = $ref.slice($ref.lastIndexOf("/") + 1)
    return `<a href="#schema-${escape(name)}">${escape(name)}</a>`
  }
  const alternatives = list(anyOf).length > 0 ? list(anyOf) : list(oneOf)
  if (alternatives.length > 0) return alternatives.map(typeText).join(" | ")
  if (list(choices).length > 0)
    return list(choices)
      .map((choice) => code(JSON.stringify(choice)))
      .join(" | ")
  if (type === "array") return `array of ${typeText(items)}`
  const range = minimum === undefined && maximum === undefined ? "" : ` ${minimum ?? ""}..${maximum ?? ""}`
  return escape(`${string(type) || "any"}${typeof minimum === "number" || typeof maximum === "number" ? range : ""}`)
}

const fieldsTable = (schema: Json | undefined): string => {
  const required = new Set(list(object(schema)["required"]))
  const rows = Object.entries(object(object(schema)["properties"])).map(([name, field]) =>
    row([
      code(name),
      typeText(field),
      required.has(name) ? "required" : "",
      escape(string(object(field)["description"]))
    ])
  )
  return table(["Field", "Type", "", "Meaning"], rows)
}

const contentSchema = (holder: Json | undefined): Json | undefined => {
  const [content] = Object.values(object(object(holder)["content"]))
  return object(content)["schema"]
}

const operationHtml = (method: string, path: string, operation: JsonObject): string => {
  const scope = string(operation["x-required-scope"])
  const needs =
    scope !== ""
      ? `Scope ${code(scope)}`
      : list(operation["security"]).length === 0
        ? "No token"
        : list(operation["security"]).length > 1
          ? "Takes a token, needs none"
          : "Any valid token"
  const parameters = list(operation["parameters"]).map((parameter) => {
    const { description, in: place, name, required, schema } = object(parameter)
    return row([
      code(string(name)),
      escape(string(place)),
      typeText(schema),
      required === true ? "required" : "",
      escape(string(description))
    ])
  })
  const body = contentSchema(operation["requestBody"])
  const responses = Object.entries(object(operation["responses"])).map(([status, response]) => {
    const schema = contentSchema(response)
    const meaning = string(object(response)["description"])
    // Without words of its own, an answer is described by its schema's name, which stands beside it already.
    return row([
      code(status),
      schema === undefined ? "" : typeText(schema),
      string(object(schema)["$ref"]).endsWith(`/${meaning}`) ? "" : escape(meaning)
    ])
  })
  return `<section id="${escape(string(operation["operationId"]))}"><h3><b>${escape(method.toUpperCase())}</b> ${code(path)}</h3>
<p>${escape(string(operation["summary"]))}. ${needs}.</p>${operation["description"] === undefined ? "" : `<p>${escape(string(operation["description"]))}</p>`}
${table(["Parameter", "In", "Type", "", "Meaning"], parameters)}${body === undefined ? "" : `<p>Body: ${typeText(body)}</p>`}${table(["Status", "Body", "Meaning"], responses)}</section>`
}

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
@media(min-width:50rem){td:first-child code{white-space:nowrap}}
h2{margin-top:3rem;border-bottom:1px solid #ccc}h3{margin-top:2rem}code{font:13px ui-monospace,monospace;background:#f2f2f5;padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin:.5rem 0}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #e6e6ea}nav a{margin-right:1rem}
@media(prefers-color-scheme:dark){body{color:#e4e4e9;background:#17171b}code{background:#2a2a31}td,th{border-color:#33333b}a{color:#8ab4ff}}`

export const docsHeaders = pageHeaders(style)

export const docsPage = (document: JsonObject): string => {
  const info = object(document["info"])
  const operations = Object.entries(object(document["paths"])).flatMap(([path, item]) =>
    Object.entries(object(item)).map(([method, operation]) => ({ method, path, operation: object(operation) }))
  )
  const groups = [...new Set(operations.map(({ operation }) => string(list(operation["tags"])[0])))]
  const sections = groups.map((group) => {
    const own = operations.filter(({ operation }) => string(list(operation["tags"])[0]) === group)
    return `<h2 id="${escape(group)}">${escape(group)}</h2>${own.map(({ method, operation, path }) => operationHtml(method, path, operation)).join("\n")}`
  })
  const httpErrors = [...wireErrors.values()].map(({ code: name, retryable, retryHint, status, title }) =>
    row([String(status), code(name), escape(title), retryable ? "yes" : "no", escape(retryHint)], name)
  )
  const failures = runFailures.map(({ code: name, facts }) =>
    row(
      [code(name), escape(facts.summary), facts.whoseError, facts.retryable ? "yes" : "no", escape(facts.retryHint)],
      `run-${name}`
    )
  )
  const schemas = Object.entries(object(object(document["components"])["schemas"])).map(
    ([name, schema]) =>
      `<section id="schema-${escape(name)}"><h3>${escape(name)}</h3>${fieldsTable(schema) || `<p>${typeText(schema)}</p>`}</section>`
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escape(string(info["title"]))}</title><style>${style}</style></head><body>
<h1>${escape(string(info["title"]))} <small>${escape(string(info["version"]))}</small></h1><p>${escape(string(info["description"]))}</p>
<nav>${[...groups, "errors", "run-errors", "schemas"].map((name) => `<a href="#${escape(name)}">${escape(name)}</a>`).join("")}<a href="openapi.json">openapi.json</a></nav>
${sections.join("\n")}
<h2 id="errors">errors</h2>${table(["Status", "Code", "Meaning", "Retry helps", "What to do"], httpErrors)}
<h2 id="run-errors">run-errors</h2><p>In the <code>error</code> of a run that failed. Such a run is charged nothing, or what the provider is known to have cost.</p>
${table(["Code", "Meaning", "Whose", "Retry helps", "What to do"], failures)}
<h2 id="schemas">schemas</h2>${schemas.join("\n")}</body></html>`
}
