/** Collects the fields of a curl command, takes the keys where it finds them, and notes what is left out. */
import { ExactNumber } from "../../../domain/ExactNumber.js"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import type { Place } from "../../../domain/Manifest.js"
import { noteOf, together } from "./ImportedKeys.js"
import type { ImportedAuth, ImportedField } from "./ImportedOperation.js"
import { fileSchema } from "./OpenApiBodies.js"
import { isPlaceholder, partsOf } from "./Placeholders.js"
import { holdsSecret, isNameOfKey, keyName, looksSecret, namesSecret } from "./SecretLooks.js"

const wholeNumber = /^-?\d+$/

/** A schema that the value fits. */
const typeOf = (value: Json): JsonObject => {
  if (typeof value === "boolean") return { type: "boolean" }
  if (typeof value === "number") return { type: Number.isInteger(value) ? "integer" : "number" }
  if (value instanceof ExactNumber) return { type: wholeNumber.test(value.literal) ? "integer" : "number" }
  if (Array.isArray(value)) {
    const kinds = new Set(value.map((each: Json) => JSON.stringify(typeOf(each))))
    const [first] = value
    return kinds.size === 1 && first !== undefined ? { type: "array", items: typeOf(first) } : { type: "array" }
  }
  return isObject(value) ? { type: "object" } : value === null ? {} : { type: "string" }
}

const isOpen = (value: Json): boolean =>
  value === null || value === "" || (typeof value === "string" && isPlaceholder(value))

/** A manifest keeps the digits of a JavaScript number; as an example, a longer one would be another one. */
const holdsExact = (value: Json): boolean =>
  value instanceof ExactNumber ||
  (Array.isArray(value) ? value.some(holdsExact) : isObject(value) && Object.values(value).some(holdsExact))

/** Names of what a client makes anew for each call. */
const oneTime = /(?:^|[-_.])(?:signature|sig|hmac|nonce|timestamp)$|^(?:date|x-amz-date)$/i
/** Shorter texts are found in many a harmless place, and are no keys. */
const secretCharsMin = 6

export class Collected {
  readonly fields: Array<ImportedField> = []
  readonly leftOut: Array<string> = []
  readonly fixed: Array<{ readonly [key: string]: Json }> = []
  readonly secrets: Array<string> = []
  private readonly keys: Array<ImportedAuth> = []

  get hasKey(): boolean {
    return this.keys.length > 0
  }

  key(auth: ImportedAuth, what: string, secret: string): void {
    this.keys.push(auth)
    this.secret(secret)
    this.leftOut.push(`the key (${what})`)
  }

  /** A text that must stand nowhere in the manifest, and the password in it. */
  secret(text: string): void {
    const colon = text.indexOf(":")
    const [user, password] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)]
    for (const each of new Set([text, password, ...(password.length < secretCharsMin ? [user] : [])])) {
      const isShown = isPlaceholder(each) || partsOf(each).some((part) => part.isPlaceholder) || isNameOfKey(each)
      if (each.length >= secretCharsMin && !isShown) this.secrets.push(each)
    }
  }

  /** Cookies of a browser: those that look like a key are one. */
  cookies(text: string): void {
    this.leftOut.push("the cookies")
    for (const pair of text.split(";")) {
      const at = pair.indexOf("=")
      const [name, value] = [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()]
      if (namesSecret(name) || looksSecret(value)) this.secret(value)
    }
  }

  private isKeyOf(place: typeof Place.Type, name: string, value: Json): boolean {
    return typeof value === "string" && value !== "" && place !== "path" && place !== "header" && keyName.test(name)
  }

  /** Takes the key out of fields that are collected later, so that what comes before knows that there is one. */
  takeKeyOf(place: "query", fields: ReadonlyArray<readonly [string, Json]>): void {
    const found = fields.find(([name, value]) => this.isKeyOf(place, name, value))
    if (this.hasKey || found === undefined) return
    const [name, value] = found
    this.key({ type: place, name }, `${place} field ${name}`, typeof value === "string" ? value : "")
  }

  field(place: typeof Place.Type, name: string, value: Json, contentType?: string): void {
    if (place === "query") this.noteOneTime(name, "")
    const isKey = this.isKeyOf(place, name, value)
    if (isKey && this.keys.some((key) => key["type"] === place && key["name"] === name)) return
    if (isKey && !this.hasKey)
      return this.key(
        { type: place === "query" ? "query" : "body", name },
        `${place} field ${name}`,
        typeof value === "string" ? value : ""
      )
    const isPrivate = place !== "path" && namesSecret(name)
    const schema = this.described(`the value of ${name}`, value, isPrivate && !isOpen(value))
    this.fields.push({
      name,
      place,
      required: place === "path",
      schema,
      ...(place !== "json" && Array.isArray(value) ? { style: "repeat" as const } : {}),
      ...(contentType === undefined ? {} : { contentType })
    })
  }

  /** A file of a form, or a list of them. */
  file(name: string, isList: boolean, contentType?: string): void {
    this.fields.push({
      file: {},
      name,
      place: "multipart",
      required: false,
      schema: isList ? { type: "array", items: fileSchema({}) } : fileSchema({}),
      ...(isList ? { style: "repeat" as const } : {}),
      ...(contentType === undefined ? {} : { contentType })
    })
  }

  /** A field that is the whole body. */
  whole(name: string, schema: JsonObject): void {
    this.fields.push({ name, place: null, required: true, schema })
  }

  /** A file that is the whole body. */
  wholeFile(name: string): void {
    this.fields.push({ name, place: null, required: true, schema: fileSchema({}), file: {} })
  }

  wholeValue(name: string, value: Json): void {
    this.whole(name, this.described("the value of the body", value, false))
  }

  /** A schema of the value, with the value as its example where it may stand in a manifest. */
  private described(what: string, value: Json, isKey: boolean): JsonObject {
    if (isOpen(value)) return typeOf(value)
    const isHidden = isKey || holdsSecret(value)
    if (isHidden) this.leftOut.push(`${what}, which looks like a secret`)
    else if (holdsExact(value))
      this.leftOut.push(`${what} as an example, because it has a number of more digits than one keeps`)
    else return { ...typeOf(value), examples: [value] }
    return typeOf(value)
  }

  /** A name that no field has. */
  free(name: string): string {
    return this.fields.some((each) => each.name === name) ? `request_${name}` : name
  }

  /** A signature, or what belongs to one, cannot be a value of the manifest: it is another one in each call. */
  noteOneTime(name: string, value: string): void {
    const way = /^AWS4-HMAC-SHA/.test(value) || /^x-amz-(?:date|signature)$/i.test(name) ? "aws_sigv4" : "hmac"
    if (way === "aws_sigv4" || oneTime.test(name))
      this.leftOut.push(
        `${name} looks signed or made anew for each call: write auth ${way} by hand (docs/providers.md)`
      )
  }

  auth(): ImportedAuth {
    const [first, second] = this.keys
    if (first === undefined) return { type: "none" }
    if (second === undefined) return first
    const note = noteOf(this.keys)
    if (note !== null) this.leftOut.push(note)
    return together(this.keys) ?? { type: "unsupported", placement: "several keys at once" }
  }
}
