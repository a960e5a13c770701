/**
 * Query parameters that a route does not read. They are ignored, because clients send some that mean something
 * elsewhere, and a header names them, because one may be a typing mistake.
 */
import { ignoredParameterChars, ignoredParametersMax } from "../domain/limits/Requests.js"
import type { Route } from "./Access.js"

export const ignoredParametersHeader = "x-ignored-parameters"

const decoded = (raw: string): string => {
  try {
    return decodeURIComponent(raw.replaceAll("+", " "))
  } catch {
    return raw
  }
}

/** Percent-encoded, and cut where it is too long, but never within the encoding of a byte. */
const shown = (name: string): string =>
  encodeURIComponent(name)
    .slice(0, ignoredParameterChars)
    .replace(/%[0-9A-F]?$/, "")

/** The header's value: the names, percent-encoded and shortened, each once; null when the route reads all of them. */
export const ignoredParameters = (
  routes: ReadonlyArray<Route>
): ((method: string, route: string | null, url: string) => string | null) => {
  const known = new Map<string, ReadonlySet<string>>()
  for (const { method, parameters, path } of routes) {
    known.set(`${method} ${path}`, parameters)
    if (method === "GET") known.set(`HEAD ${path}`, parameters)
  }
  return (method, route, url) => {
    const query = url.indexOf("?")
    const parameters = query === -1 ? undefined : known.get(`${method} ${route}`)
    if (parameters === undefined) return null
    const ignored = new Set<string>()
    for (const pair of url.slice(query + 1).split("&")) {
      const raw = pair.split("=", 1)[0] ?? ""
      if (raw === "" || parameters.has(raw)) continue
      const name = decoded(raw)
      if (!parameters.has(name)) ignored.add(shown(name))
      if (ignored.size === ignoredParametersMax) break
    }
    return ignored.size === 0 ? null : [...ignored].join(", ")
  }
}
