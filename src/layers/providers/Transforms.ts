/** The value transforms a manifest may name, and how values are written outside of JSON. Pure. */
import { parsePhoneNumberFromString } from "libphonenumber-js/min"
import type { Json } from "../../domain/Json.js"
import type { Transform } from "../../domain/Manifest.js"

/** A value as text of a path, query, header or form: arrays joined by commas, objects as JSON. */
export const asText = (value: Json): string => {
  if (typeof value === "string") return value
  if (Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null)) return value.map(asText).join(",")
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)
}

const hostname = (text: string): string => {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.includes("@") ? text.slice(text.lastIndexOf("@") + 1) : text}`
  return URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, "") : text
}

const one = (value: Json, transform: Transform): Json => {
  switch (transform) {
    case "csv":
      return asText(value)
    case "json":
      return JSON.stringify(value)
    case "number": {
      const number = Number(value)
      return value === null || value === "" || Number.isNaN(number) ? value : number
    }
    case "boolean":
      return value === true || value === "true" || value === 1 || value === "1" || value === "yes"
    case "string":
      return asText(value)
  }
  if (Array.isArray(value)) return value.map((item: Json) => one(item, transform))
  if (typeof value !== "string" && typeof value !== "number") return value
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

export const applyTransforms = (value: Json, transforms: ReadonlyArray<Transform>): Json => transforms.reduce(one, value)
