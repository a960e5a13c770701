/**
 * Writes endpoints as manifests (YAML) for a person to edit: one text for each provider, without members that have
 * their default.
 */
import { Schema } from "effect"
import { stringify } from "yaml"
import { canonical } from "../../../domain/Json.js"
import { type Endpoint, Operation } from "../../../domain/Manifest.js"

/** An operation with only the required members: every other member of it is a default. */
const plain = Schema.decodeUnknownSync(Operation)({
  id: "x",
  name: "x",
  summary: "x",
  method: "GET",
  path: "/",
  input: {},
  price: { basis: "free", micros: 0 }
})
const defaults = new Map(Object.entries(plain).map(([key, value]) => [key, JSON.stringify(value)]))
const kept: ReadonlySet<string> = new Set(["id", "name", "summary", "method", "path", "input", "price"])

/** The endpoints as manifests: one text for each provider, without members that have their default. */
export const manifestTexts = (
  endpoints: ReadonlyArray<Endpoint>
): ReadonlyArray<{ readonly file: string; readonly text: string }> => {
  const groups = new Map<string, { readonly provider: Endpoint["provider"]; readonly operations: Array<object> }>()
  for (const { operation, provider } of endpoints) {
    const key = canonical([
      provider.id,
      provider.baseUrl,
      JSON.stringify(provider.variables ?? {}),
      JSON.stringify(provider.auth)
    ])
    const group = groups.get(key) ?? { provider, operations: [] }
    group.operations.push(
      Object.fromEntries(
        Object.entries(operation).filter(
          ([name, value]) => kept.has(name) || JSON.stringify(value) !== defaults.get(name)
        )
      )
    )
    groups.set(key, group)
  }
  const seen = new Map<string, number>()
  return Array.from(groups.values(), ({ operations, provider }) => {
    // A provider with several addresses or kinds of key becomes several manifests, whose ids must differ.
    const nth = (seen.get(provider.id) ?? 0) + 1
    seen.set(provider.id, nth)
    const id = nth === 1 ? provider.id : `${provider.id}-${nth}`
    return {
      file: `${id}.yaml`,
      text: stringify({ ...provider, id, operations }, { lineWidth: 120, aliasDuplicateObjects: false })
    }
  })
}
