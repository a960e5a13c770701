/**
 * Writes endpoints as manifests (YAML) for a person to edit: one text for each provider, without members that have
 * their default.
 */
import { Schema } from "effect"
import { stringify } from "yaml"
import { providerIdCharsMax } from "../../../domain/limits/Manifests.js"
import { canonical } from "../../../domain/Json.js"
import { type Endpoint, Operation, ProviderId } from "../../../domain/Manifest.js"

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

/** `shop-2`, as long as an id may be. */
const numbered = (id: ProviderId, nth: number): ProviderId => {
  const end = `-${nth}`
  return ProviderId.make(`${id.slice(0, providerIdCharsMax - end.length)}${end}`)
}

/**
 * The endpoints with the ids that their providers have in manifests: one with several addresses or kinds of key becomes
 * several manifests, whose ids must differ.
 */
export const inManifests = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Endpoint> => {
  const providers = new Map<string, Endpoint["provider"]>()
  const seen = new Map<string, number>()
  return endpoints.map((endpoint) => {
    const { auth, baseUrl, id, variables } = endpoint.provider
    const key = canonical([id, baseUrl, JSON.stringify(variables ?? {}), JSON.stringify(auth)])
    const known = providers.get(key)
    if (known !== undefined) return { ...endpoint, provider: known }
    const nth = (seen.get(id) ?? 0) + 1
    seen.set(id, nth)
    const provider = { ...endpoint.provider, id: nth === 1 ? id : numbered(id, nth) }
    providers.set(key, provider)
    return { ...endpoint, provider }
  })
}

/** The endpoints as manifests: one text for each provider, without members that have their default. */
export const manifestTexts = (
  endpoints: ReadonlyArray<Endpoint>
): ReadonlyArray<{ readonly file: string; readonly text: string }> => {
  const groups = new Map<Endpoint["provider"], Array<object>>()
  for (const { operation, provider } of inManifests(endpoints)) {
    const operations = groups.get(provider) ?? []
    operations.push(
      Object.fromEntries(
        Object.entries(operation).filter(
          ([name, value]) => kept.has(name) || JSON.stringify(value) !== defaults.get(name)
        )
      )
    )
    groups.set(provider, operations)
  }
  return Array.from(groups, ([provider, operations]) => ({
    file: `${provider.id}.yaml`,
    text: stringify({ ...provider, operations }, { lineWidth: 120, aliasDuplicateObjects: false })
  }))
}
