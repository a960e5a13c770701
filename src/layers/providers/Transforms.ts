/** The value transforms a manifest may name, and how values are written outside of JSON. Pure. */
import { Either } from "effect"
import { parsePhoneNumberFromString } from "libphonenumber-js/min"
import { ExactNumber } from "../../domain/ExactNumber.js"
import { isObject, type Json } from "../../domain/Json.js"
import { commonTextCharsMax } from "../../domain/limits/Calls.js"
import { readJson, writeJson } from "../../domain/LosslessJson.js"
import type { Transform } from "../../domain/Manifest.js"
import { readUrl } from "../../domain/Url.js"

const isScalar = (value: Json): boolean => !Array.isArray(value) && !isObject(value)

/** A value as text of a path, query, header or form: arrays joined by commas, objects as JSON. */
export const asText = (value: Json): string => {
  if (typeof value === "string") return value
  if (Array.isArray(value) && value.every(isScalar)) return value.map(asText).join(",")
  return isScalar(value) ? String(value) : writeJson(value)
}

/**
 * As text of a header. Headers hold Latin-1 at most, so JSON (a value that is written as JSON, or the outcome of the
 * transform `json`) is written in ASCII, with escapes: it is the same JSON.
 */
export const asHeaderText = (value: Json, transforms: ReadonlyArray<string>): string => {
  const isJson = transforms.at(-1) === "json" || (Array.isArray(value) ? !value.every(isScalar) : !isScalar(value))
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  return isJson ? asText(value).replace(/[\x7f-\uffff]/g, escaped) : asText(value)
}

/** As JSON reads it where it is written as JSON would; else by the looser rules of JavaScript. */
const numberIn = (text: string): number | ExactNumber => {
  const read = Either.getOrNull(readJson(text))
  return read instanceof ExactNumber ? read : Number(text)
}

const hostname = (text: string): string => {
  if (text.length > commonTextCharsMax.url) return text
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    ? text
    : `https://${text.includes("@") ? text.slice(text.lastIndexOf("@") + 1) : text}`
  return readUrl(address)?.hostname.replace(/^www\./, "") ?? text
}

const one = (value: Json, transform: Transform): Json => {
  switch (transform) {
    case "csv":
      return asText(value)
    case "json":
      return writeJson(value)
    case "number": {
      // Text of more digits than a number holds becomes the number that it says.
      const number = typeof value === "string" ? numberIn(value) : value instanceof ExactNumber ? value : Number(value)
      return value === null || value === "" || (typeof number === "number" && Number.isNaN(number)) ? value : number
    }
    case "boolean":
      return value === true || value === "true" || value === 1 || value === "1" || value === "yes"
    case "string":
      return asText(value)
  }
  if (Array.isArray(value)) return value.map((item: Json) => one(item, transform))
  if (typeof value !== "string" && typeof value !== "number" && !(value instanceof ExactNumber)) return value
  const text = String(value)
  switch (transform) {
    case "trim":
      return text.trim()
    case "lowercase":
      return text.toLowerCase()
    case "uppercase":
      return text.toUpperCase()
    case "digits":
      return text.replace(/\D/g, "")
    case "e164":
      return parsePhoneNumberFromString(text)?.number ?? text
    case "hostname":
      return hostname(text.trim())
  }
}

export const applyTransforms = (value: Json, transforms: ReadonlyArray<Transform>): Json =>
  transforms.reduce(one, value)
