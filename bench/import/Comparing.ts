// What differs between what arrived and what the reader of the document expects, in words. Empty: nothing.
import { isDeepStrictEqual } from "node:util"
import type { Endpoint } from "../../src/domain/Manifest.js"
import { addressWith, exampleValues } from "../../src/layers/providers/Variables.js"
import { Either } from "effect"
import type { Expected, KeyPlace, Pair } from "./Reader.js"
import { type Arrived, key, password, user } from "./Sending.js"

/** Headers of the connection and of every request of the gateway. */
const usual = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
  "user-agent"
])

const sorted = (pairs: ReadonlyArray<Pair>): ReadonlyArray<Pair> =>
  pairs
    .map((pair, index) => ({ pair, index }))
    .sort((a, b) => (a.pair[0] < b.pair[0] ? -1 : a.pair[0] > b.pair[0] ? 1 : a.index - b.index))
    .map(({ pair }) => pair)

const samePairs = (a: ReadonlyArray<Pair>, b: ReadonlyArray<Pair>): boolean => isDeepStrictEqual(sorted(a), sorted(b))

const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

/** The header, query and cookie pairs in which a key of this way stands; null when the reader knows no such way. */
const keyPairs = (
  way: ReadonlyArray<KeyPlace>
): ReadonlyArray<readonly [place: string, name: string, values: ReadonlyArray<string>]> =>
  way.map(({ name, place }) => {
    if (place === "bearer") return ["header", "authorization", [`Bearer ${key}`]]
    if (place === "basic") return ["header", "authorization", [basic]]
    const values = [key, user, password]
    return [
      place,
      place === "header" ? name.toLowerCase() : name,
      name.toLowerCase() === "authorization" ? [...values, `Bearer ${key}`] : values
    ]
  })

const partsOf = (body: string, contentType: string): ReadonlyArray<Pair> => {
  const boundary = /boundary=("?)([^";]+)\1/.exec(contentType)?.[2] ?? ""
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part): Pair => {
      const at = part.indexOf("\r\n\r\n")
      return [/name="([^"]*)"/.exec(part.slice(0, at))?.[1] ?? "", part.slice(at + 4, -2)]
    })
}

/** Only what differs of two lists of pairs. */
const pairsDiffer = (wanted: ReadonlyArray<Pair>, found: ReadonlyArray<Pair>): string => {
  const without = (all: ReadonlyArray<Pair>, known: ReadonlyArray<Pair>) =>
    all.filter((pair) => !known.some((each) => isDeepStrictEqual(each, pair)))
  return `${shown(without(found, wanted))} instead of ${shown(without(wanted, found))}`
}

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > 240 ? `${text.slice(0, 240)}…` : text
}

const bodyDiffers = (expected: Expected, arrived: Arrived): string | undefined => {
  const sent = arrived.body.toString()
  const type = arrived.headers["content-type"] ?? ""
  const { body } = expected
  const differs = (wanted: unknown, found: unknown) => `body ${shown(found)} instead of ${shown(wanted)}`
  switch (body.kind) {
    case "none":
      // An empty form has no bytes: it is no body, whatever type is said.
      if (sent === "" && (type === "" || mediaType(type) === "application/x-www-form-urlencoded")) return undefined
      if (sent === "{}" && expected.mayBeEmptyObject) return undefined
      return `body ${shown(sent)} of the type ${shown(type)} instead of none`
    case "json": {
      if (sent === "")
        return expected.mayBeEmptyObject && isDeepStrictEqual(body.value, {}) ? undefined : differs(body.value, "")
      const found: unknown = JSON.parse(sent)
      return isDeepStrictEqual(found, JSON.parse(JSON.stringify(body.value))) ? undefined : differs(body.value, found)
    }
    case "form": {
      const found = [...new URLSearchParams(sent)]
      return samePairs(body.pairs, found) ? undefined : `body ${pairsDiffer(body.pairs, found)}`
    }
    case "multipart": {
      const found = partsOf(sent, type)
      return samePairs(body.parts, found) ? undefined : `body ${pairsDiffer(body.parts, found)}`
    }
    case "raw":
      return sent === body.text ? undefined : differs(body.text, sent)
  }
}

const mediaType = (type: string | undefined): string => (type ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

export const differences = ({ provider }: Endpoint, expected: Expected, arrived: Arrived): ReadonlyArray<string> => {
  const out: Array<string> = []
  const base = Either.getOrElse(
    addressWith(provider.baseUrl, provider.variables, exampleValues(provider.variables)),
    () => provider.baseUrl
  )
  const origin = new URL(base).origin
  if (!expected.origins.includes(origin)) out.push(`origin ${origin} instead of ${expected.origins.join(" or ")}`)
  if (arrived.method !== expected.method) out.push(`method ${arrived.method} instead of ${expected.method}`)
  const url = new URL(arrived.url, "http://local.invalid")
  const path = decodeURIComponent(url.pathname)
  if (!expected.paths.includes(path)) out.push(`path ${path} instead of ${expected.paths.join(" or ")}`)

  const query: Array<Pair> = [...url.searchParams]
  const cookies = (arrived.headers.cookie ?? "").split("; ").flatMap((pair): ReadonlyArray<Pair> => {
    const at = pair.indexOf("=")
    return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]]
  })
  const headers = Object.entries(arrived.headers).flatMap(([name, value]): ReadonlyArray<Pair> =>
    usual.has(name) || name === "cookie" ? [] : [[name, String(value)]]
  )
  const places: Record<string, ReadonlyArray<Pair>> = { header: headers, query, cookie: cookies }
  const taken = (way: ReadonlyArray<KeyPlace>) =>
    keyPairs(way).map(([place, name, values]) =>
      (places[place] ?? []).find(([found, value]) => found === name && values.includes(value))
    )
  const way = expected.keys.find((each) => taken(each).every((pair) => pair !== undefined))
  if (way === undefined && expected.keys.length > 0)
    out.push(`key: none of ${shown(expected.keys)}, auth ${provider.auth.type}`)
  if (expected.keys.some((each) => each.length > 0) && way?.length === 0) out.push("no key")
  const keys = new Set(way === undefined ? [] : taken(way))
  const withoutKey = (pairs: ReadonlyArray<Pair>) => pairs.filter((pair) => !keys.has(pair))
  if (!samePairs(expected.query, withoutKey(query))) out.push(`query ${pairsDiffer(expected.query, withoutKey(query))}`)
  if (!samePairs(expected.cookies, withoutKey(cookies)))
    out.push(`cookies ${shown(cookies)} instead of ${shown(expected.cookies)}`)
  if (!samePairs(expected.headers, withoutKey(headers)))
    out.push(`headers ${shown(headers)} instead of ${shown(expected.headers)}`)

  const body = bodyDiffers(expected, arrived)
  if (body !== undefined) out.push(body)
  const isLeftOut = arrived.body.length === 0 && (expected.mayBeEmptyObject || expected.body.kind === "form")
  // A document that allows every type leaves the choice to its reader.
  if (
    expected.mediaType !== null &&
    expected.mediaType !== "*/*" &&
    !isLeftOut &&
    mediaType(arrived.headers["content-type"]) !== mediaType(expected.mediaType)
  )
    out.push(`type ${shown(arrived.headers["content-type"] ?? "none")} instead of ${expected.mediaType}`)
  return out
}
