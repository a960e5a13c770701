/**
 * The form of an operation's input, made of its JSON Schema: one field for each property, and one for whatever else the
 * operation takes. Reads it back as the JSON text of the input, digit for digit. What a field cannot be is told beside
 * it; everything else the gateway decides, as for any other client.
 */
import { Either } from "effect"
import type { FieldProblem } from "../../../domain/ApiErrors.js"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { readJson, writeJson } from "../../../domain/LosslessJson.js"
import { member } from "../../../domain/Members.js"
import { messageBudget, overBudget } from "../../BodyBudget.js"
import { parseStrict } from "../../JsonText.js"
import { areaField, type Filled, selectField, textField, type Typed, typedOf } from "../Forms.js"
import { type Content, html, type Html } from "../Html.js"
import { jsonText } from "../Parts.js"

type Kind = "text" | "number" | "integer" | "boolean" | "choice" | "lines" | "json"

export interface InputField {
  readonly name: string
  readonly schema: JsonObject
  readonly required: boolean
  readonly kind: Kind
}

const texts = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

/** The type of a schema; of several, the one that is not `null`. */
const typeOf = ({ type }: JsonObject): string | null => {
  const [only, ...more] = typeof type === "string" ? [type] : texts(type).filter((each) => each !== "null")
  return only !== undefined && more.length === 0 ? only : null
}

const kindOf = (schema: JsonObject): Kind => {
  if (Array.isArray(schema["enum"]) && schema["enum"].every((each) => !isObject(each) && !Array.isArray(each)))
    return "choice"
  const type = typeOf(schema)
  if (type === "string") return "text"
  if (type === "number" || type === "integer" || type === "boolean") return type
  const { items } = schema
  return type === "array" && isObject(items) && typeOf(items) === "string" && items["enum"] === undefined
    ? "lines"
    : "json"
}

/** Required fields first, each in the order of the schema. */
export const inputFieldsOf = (schema: JsonObject): ReadonlyArray<InputField> => {
  const required = new Set(texts(schema["required"]))
  const { properties } = schema
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, property]): InputField => {
    const own = isObject(property) ? property : {}
    return { name, schema: own, required: required.has(name), kind: kindOf(own) }
  })
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)]
}

/** Names of the form's fields; no other field of the page begins so. */
const prefix = "input."
export const nameOf = (field: string): string => `${prefix}${field}`
const otherName = "other"

/** Whether the field gives back this value when it holds this text. */
const givesBack = (field: InputField, text: string, value: Json): boolean => {
  // A browser sends every line break of a text area alike.
  const sent = text.replaceAll(/\r\n?/g, "\n")
  const read = sent.trim() === "" ? Either.left("not given") : Either.flatMap(fieldText(field, sent), parseStrict)
  return Either.isRight(read) && writeJson(read.right) === writeJson(value)
}

/** How a value stands in its field; null where the field cannot hold it, such as an empty text. */
const shown = (field: InputField, value: Json): string | null => {
  const ways =
    field.kind === "json"
      ? [jsonText(value)]
      : field.kind === "lines"
        ? [Array.isArray(value) ? value.join("\n") : "", jsonText(value)]
        : [typeof value === "string" ? value : writeJson(value)]
  return ways.find((text) => givesBack(field, text, value)) ?? null
}

/**
 * The fields filled with an input, such as the example or that of an earlier run. What its field cannot hold stands
 * with the other fields, so that the form gives back the same input.
 */
export const typedInput = (
  fields: ReadonlyArray<InputField>,
  input: JsonObject
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const given = new Map<string, ReadonlyArray<string>>()
  for (const field of fields) {
    const value = member(input, field.name)
    const text = value === undefined ? null : shown(field, value)
    if (text !== null) given.set(nameOf(field.name), [text])
  }
  const other = Object.fromEntries(Object.entries(input).filter(([name]) => !given.has(nameOf(name))))
  if (Object.keys(other).length > 0) given.set(otherName, [jsonText(other)])
  return given
}

const bounds = (schema: JsonObject): string => {
  const { maximum, maxItems, maxLength, minimum, minItems } = schema
  const between = (from: Json | undefined, to: Json | undefined, unit: string) =>
    typeof from === "number" && typeof to === "number"
      ? `${from} to ${to}${unit}`
      : typeof from === "number"
        ? `at least ${from}${unit}`
        : typeof to === "number"
          ? `at most ${to}${unit}`
          : ""
  return [
    between(minimum, maximum, ""),
    between(minItems, maxItems, " lines"),
    typeof maxLength === "number" ? `at most ${maxLength} characters` : ""
  ]
    .filter((text) => text !== "")
    .join(", ")
}

/** Something stands behind it. */
const asSentence = (text: string): string => (/[.!?:…)]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`)

const hintOf = ({ kind, schema }: InputField): Content => {
  const { default: preset, description, examples } = schema
  const example = Array.isArray(examples) ? examples[0] : undefined
  const parts: ReadonlyArray<Content> = [
    typeof description === "string" ? asSentence(description) : null,
    {
      lines: "One value on each line, or a JSON list.",
      json: "As JSON.",
      integer: null,
      number: null,
      boolean: null,
      choice: null,
      text: null
    }[kind],
    bounds(schema) === "" ? null : `${bounds(schema)}.`,
    preset === undefined ? null : html`Default: <code>${writeJson(preset)}</code>`,
    example === undefined || kind === "lines"
      ? null
      : html`Example: <code>${typeof example === "string" ? example : writeJson(example)}</code>`
  ]
  const known = parts.filter((part) => part !== null)
  return known.length === 0 ? null : html`${known.map((part, index) => html`${index > 0 && " "}${part}`)}`
}

const choicesOf = ({ required, schema }: InputField) => [
  { value: "", label: required ? "Choose one" : "Not given" },
  ...(Array.isArray(schema["enum"]) ? schema["enum"] : []).map((each) => {
    const value = typeof each === "string" ? each : writeJson(each)
    return { value, label: value }
  })
]

const fieldHtml = (form: Filled, field: InputField): Html => {
  const { kind, name, required, schema } = field
  const base = { form, name: nameOf(name), label: html`<code>${name}</code>`, hint: hintOf(field), required }
  switch (kind) {
    case "choice":
      return selectField({ ...base, choices: choicesOf(field) })
    case "boolean":
      return selectField({
        ...base,
        choices: [
          { value: "", label: required ? "Choose one" : "Not given" },
          { value: "true", label: "Yes" },
          { value: "false", label: "No" }
        ]
      })
    case "integer":
      return textField({ ...base, mode: "numeric" })
    case "number":
      return textField({ ...base, mode: "decimal" })
    case "lines":
      return areaField({ ...base, rows: 3 })
    case "json":
      return areaField({ ...base, rows: 4, code: true })
    case "text": {
      const short = typeof schema["maxLength"] === "number" && schema["maxLength"] <= 500
      // A browser takes the line breaks out of a field of one line.
      const broken = typedOf(form, base.name)?.includes("\n") === true
      return broken || (isProse(name) && !short) ? areaField({ ...base, rows: 3 }) : textField(base)
    }
  }
}
/** Texts that are usually longer than a line. */
const isProse = (name: string): boolean => /^(?:text|prompt|html|body|content|message|description)$/i.test(name)

export const inputHtml = (form: Filled, fields: ReadonlyArray<InputField>, schema: JsonObject): Html => {
  const elsewhere = otherNames(form.typed)
  return html`${fields.map((field) =>
    fieldHtml(form, { ...field, required: field.required && !elsewhere.has(field.name) })
  )}
    ${
      (schema["additionalProperties"] !== false || typedOf(form, otherName) !== null) &&
      areaField({
        form,
        name: otherName,
        label: "Other fields",
        hint: "Whatever else the operation takes, as one JSON object.",
        rows: 2,
        code: true
      })
    }`
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The JSON text of one field, or what is wrong with it. */
const fieldText = ({ kind, schema }: InputField, raw: string): Either.Either<string, string> => {
  switch (kind) {
    case "text":
      return Either.right(JSON.stringify(raw))
    case "integer":
      return /^-?(?:0|[1-9]\d*)$/.test(raw.trim()) ? Either.right(raw.trim()) : Either.left("must be a whole number")
    case "number":
      return jsonNumber.test(raw.trim()) ? Either.right(raw.trim()) : Either.left("must be a number, such as 12.5")
    case "boolean":
      return raw === "true" || raw === "false" ? Either.right(raw) : Either.left("must be yes or no")
    case "choice": {
      const found = (Array.isArray(schema["enum"]) ? schema["enum"] : []).find(
        (each) => (typeof each === "string" ? each : writeJson(each)) === raw
      )
      return found === undefined ? Either.left("must be one of the choices") : Either.right(writeJson(found))
    }
    case "lines": {
      if (raw.trim().startsWith("[")) {
        const list = jsonField(raw)
        // A line may begin so too.
        if (Either.isRight(list) || Either.isRight(readJson(raw))) return list
      }
      return Either.right(JSON.stringify(raw.split("\n").filter((line) => line.trim() !== "")))
    }
    case "json":
      return jsonField(raw)
  }
}

const jsonField = (raw: string): Either.Either<string, string> => {
  // A part of the input. The whole body has its own budget when it is read.
  const over = overBudget(raw, messageBudget)
  return over === null ? Either.map(parseStrict(raw), () => raw) : Either.left(over.message)
}

/** The names of what stands with the other fields. */
const otherNames = (typed: Typed): ReadonlySet<string> => {
  const [raw = ""] = typed.get(otherName) ?? []
  const value = Either.getOrNull(Either.flatMap(jsonField(raw), () => parseStrict(raw)))
  return new Set(isObject(value) ? Object.keys(value) : [])
}

/** The members of a JSON object as its text has them, without its braces. */
const otherMembers = (raw: string, taken: ReadonlySet<string>): Either.Either<string, string> =>
  Either.flatMap(jsonField(raw), () =>
    Either.flatMap(parseStrict(raw), (value) => {
      if (!isObject(value)) return Either.left('must be a JSON object, such as {"name": "value"}')
      const twice = Object.keys(value).find((name) => taken.has(name))
      return twice === undefined
        ? Either.right(raw.trim().slice(1, -1).trim())
        : Either.left(`has ${twice}, which has a field of its own`)
    })
  )

/** The JSON text of the input; an empty field is not given. Every field that cannot be read is told. */
export const inputText = (
  fields: ReadonlyArray<InputField>,
  typed: Typed
): Either.Either<string, ReadonlyArray<FieldProblem>> => {
  const problems: Array<FieldProblem> = []
  const members: Array<string> = []
  const taken = new Set<string>()
  const elsewhere = otherNames(typed)
  for (const field of fields) {
    const [raw = ""] = typed.get(nameOf(field.name)) ?? []
    if (raw.trim() === "") {
      if (field.required && !elsewhere.has(field.name))
        problems.push({ field: nameOf(field.name), message: "is required" })
      continue
    }
    taken.add(field.name)
    Either.match(fieldText(field, raw.replaceAll("\r\n", "\n")), {
      onLeft: (message) => problems.push({ field: nameOf(field.name), message }),
      onRight: (text) => members.push(`${JSON.stringify(field.name)}:${text}`)
    })
  }
  const known = new Set(fields.map(({ name }) => nameOf(name)))
  for (const name of typed.keys())
    if (name.startsWith(prefix) && !known.has(name))
      problems.push({ field: name, message: "is no field of this operation" })
  const [other = ""] = typed.get(otherName) ?? []
  if (other.trim() !== "")
    Either.match(otherMembers(other, taken), {
      onLeft: (message) => problems.push({ field: otherName, message }),
      onRight: (text) => text !== "" && members.push(text)
    })
  return problems.length === 0 ? Either.right(`{${members.join(",")}}`) : Either.left(problems)
}
