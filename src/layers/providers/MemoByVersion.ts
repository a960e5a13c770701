/**
 * Remembers what was compiled from an endpoint, by its contract version, up to a bound; the oldest goes first, and is
 * merely compiled again when it comes back.
 */
import type { Endpoint } from "../../domain/Manifest.js"
import { setBounded } from "./BoundedMap.js"

const entriesMax = 5_000

export const memoByVersion = <A>(make: (endpoint: Endpoint) => A): ((endpoint: Endpoint) => A) => {
  const made = new Map<string, A>()
  return (endpoint) => {
    const present = made.get(endpoint.contractVersion)
    if (present !== undefined) return present
    const value = make(endpoint)
    setBounded(made, entriesMax, endpoint.contractVersion, value)
    return value
  }
}
