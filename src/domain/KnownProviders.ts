/**
 * What is said to whoever names a provider that there is not: the front door and the command line ask before they keep
 * anything under it.
 */
import { similar } from "./Similar.js"

/** Follows the name of the field. `known`: the ids of the providers that there are. */
export const unknownProvider = (providerId: string, known: Iterable<string>): string => {
  const close = similar(providerId, known)
  return `is no provider of the catalog${close.length === 0 ? "" : `; did you mean ${close.join(" or ")}?`}`
}
