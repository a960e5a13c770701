/**
 * The JSON Schemas of the manifests, made from their Schemas, so that an editor completes and checks them. They say the
 * shape only: that an expression parses, or a job exists, the check of the catalog says.
 */
import { JSONSchema } from "effect"
import { isObject, type Json, type JsonObject } from "./Json.js"
import { JobManifest, ProviderManifest } from "./Manifest.js"
import { setMember } from "./Members.js"

/** What the library says of any text or number, and an editor would show at every field. */
const isNoise = (key: string, value: Json): boolean =>
  typeof value === "string" &&
  ((key === "title" && /^(?:nonEmptyString|int|positive|between|startsWith|maxLength|minLength)/.test(value)) ||
    (key === "description" && /^(?:an? )(?:non empty string|integer|positive number|string |number )/.test(value)))

const quiet = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((each: Json) => quiet(each))
  if (!isObject(value)) return value
  const out: { [key: string]: Json } = {}
  for (const [key, member] of Object.entries(value)) if (!isNoise(key, member)) setMember(out, key, quiet(member))
  return out
}

/** The names of the files under which they are published. */
export const schemaFiles = { provider: "provider.schema.json", job: "job.schema.json" } as const
export type SchemaKind = keyof typeof schemaFiles
export const schemaKinds = ["provider", "job"] as const satisfies ReadonlyArray<SchemaKind>

const titles = { provider: "Manifest of a provider", job: "Manifest of a job" } as const

/** JSON Schema 2020-12 of a manifest. */
export const manifestSchema = (kind: SchemaKind): JsonObject => {
  const made: Json = JSON.parse(
    JSON.stringify(
      kind === "provider"
        ? JSONSchema.make(ProviderManifest, { target: "jsonSchema2020-12" })
        : JSONSchema.make(JobManifest, { target: "jsonSchema2020-12" })
    )
  )
  const schema = quiet(made)
  return { title: titles[kind], ...(isObject(schema) ? schema : {}) }
}

/** The first line of a manifest, by which an editor finds its schema. */
export const schemaLine = (kind: SchemaKind, gateway: string): string =>
  `# yaml-language-server: $schema=${gateway}/docs/files/${schemaFiles[kind]}`
