/** Several keys that are shown together, as one `auth` of a manifest. */
import type { Json } from "../../../domain/Json.js"
import type { ImportedAuth } from "./ImportedOperation.js"

const placeOf = ({ name, prefix, type }: ImportedAuth): { readonly [key: string]: Json } | null => {
  switch (type) {
    case "bearer":
      return { in: "header", name: "Authorization", prefix: "Bearer " }
    // The key holds user and password as base64 there: it has no colon of its own then.
    case "basic":
      return { in: "header", name: "Authorization", prefix: "Basic " }
    case "header":
      return { in: type, name: name ?? "", ...(prefix === undefined ? {} : { prefix }) }
    case "query":
    case "cookie":
    case "path":
    case "body":
      return { in: type, name: name ?? "" }
    default:
      return null
  }
}

/** The keys as one; null where a manifest cannot say it. */
export const together = (keys: ReadonlyArray<ImportedAuth>): ImportedAuth | null => {
  const [first, second] = keys
  if (keys.length !== 2 || first === undefined || second === undefined) return null
  const isPlain = (key: ImportedAuth): boolean => key["type"] === "header" && key["prefix"] === undefined
  if (isPlain(first) && isPlain(second))
    return { type: "header_pair", names: [first["name"] ?? "", second["name"] ?? ""] }
  const places = [placeOf(first), placeOf(second)]
  const [one, other] = places
  if (one === null || one === undefined || other === null || other === undefined) return null
  const isSame = one["in"] === other["in"] && String(one["name"]).toLowerCase() === String(other["name"]).toLowerCase()
  return isSame ? null : { type: "pair", places: [one, other] }
}

/** What the operator must know of such a key; null when its parts go out as they are. */
export const noteOf = (keys: ReadonlyArray<ImportedAuth>): string | null =>
  keys.length > 1 && keys.some(({ type }) => type === "basic")
    ? "shows two keys at once; that of user and password is given as the base64 of user:password"
    : null
