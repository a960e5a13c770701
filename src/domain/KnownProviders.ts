/**
 * The message to a client or an operator who names a provider, a category or an endpoint that the catalog does not
 * have.
 */
import { similar } from "./Similar.js"

/** The text follows the name of the field. `known` holds the ids of this kind in the catalog. */
export const unknownId = (kind: "provider" | "category" | "endpoint", id: string, known: Iterable<string>): string => {
  const close = similar(id, known)
  return `is no ${kind} of the catalog${close.length === 0 ? "" : `; did you mean ${close.join(" or ")}?`}`
}

export const unknownProvider = (providerId: string, known: Iterable<string>): string =>
  unknownId("provider", providerId, known)
