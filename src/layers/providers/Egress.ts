/**
 * Which addresses a provider call may reach: public unicast ones, and the host:port pairs that the operator opened. A
 * name is resolved once for a connection, every address of the answer is vetted, and the socket may only connect to
 * what was vetted, so an answer that changes afterwards changes nothing. One refused address refuses the name.
 * Connections that begin at once may share a lookup (`Lookups.ts`); each vets its answer by itself.
 */
import { lookup as systemLookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { Data, Either } from "effect"
import ipaddr from "ipaddr.js"
import { portOf, readUrl } from "../../domain/Url.js"
import { type Resolve, sharedLookups } from "./Lookups.js"

/** The egress policy refuses this target. `range` names the kind of address, never more. */
export class TargetRefused extends Data.TaggedError("TargetRefused")<{
  readonly host: string
  readonly range: string
}> {}

const neverOpened: ReadonlySet<string> = new Set(["scheme", "userinfo", "unreadable"])
/**
 * Whether the operator can lift a refusal of this `range`; the others end with another manifest, or another answer of
 * the name's servers.
 */
export const mayBeOpened = (range: string): boolean => !neverOpened.has(range)

export type { Resolve }

export const systemResolve: Resolve = sharedLookups((hostname, answer) =>
  systemLookup(hostname, { all: true, verbatim: true }, (error, found) =>
    answer(error, error === null ? found.map((each) => each.address) : [])
  )
)

/** Public by its number, and on each machine at Azure the host's own services: its state, its certificates, its DNS. */
const azureHost = "168.63.129.16"

/** The kind of a refused address; undefined for one that may be reached. */
export const refusedRange = (address: string): string | undefined => {
  if (!ipaddr.isValid(address)) return "unreadable"
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range !== "unicast") return range
  if (parsed.toString() === azureHost) return "metadata"
  // Only 2000::/3 is handed out as global unicast; the rest of IPv6 is reserved, however the library calls it.
  return parsed.kind() === "ipv6" && (parsed.toByteArray()[0] ?? 0) >> 5 !== 1 ? "reserved" : undefined
}

export interface Egress {
  /** Checks what can be known without resolving: scheme, credentials in the address, literal addresses. */
  readonly vetOrigin: (address: string) => Either.Either<URL, TargetRefused>
  /** A lookup for one origin's sockets that answers with vetted addresses only. */
  readonly lookupFor: (origin: URL) => LookupFunction
}

const bare = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "")
    .toLowerCase()

/** `allow` holds `host:port` pairs, IPv6 hosts in brackets. */
export const makeEgress = (allow: ReadonlyArray<string>, resolve: Resolve = systemResolve): Egress => {
  const open = new Set(
    allow.map((entry) => {
      const cut = entry.lastIndexOf(":")
      return `${bare(entry.slice(0, cut))}:${entry.slice(cut + 1)}`
    })
  )
  const isOpen = (url: URL): boolean => open.has(`${bare(url.hostname)}:${portOf(url)}`)

  return {
    vetOrigin: (address) => {
      // The parser already turns decimal, octal, hexadecimal and short IPv4 hosts into dotted ones.
      const url = readUrl(address)
      if (url === null) return Either.left(new TargetRefused({ host: "", range: "unreadable" }))
      const host = bare(url.hostname)
      if (url.protocol !== "http:" && url.protocol !== "https:")
        return Either.left(new TargetRefused({ host, range: "scheme" }))
      if (url.username !== "" || url.password !== "") return Either.left(new TargetRefused({ host, range: "userinfo" }))
      if (isOpen(url)) return Either.right(url)
      if (host === "" || host === "localhost" || host.endsWith(".localhost"))
        return Either.left(new TargetRefused({ host, range: "loopback" }))
      const range = ipaddr.isValid(host) ? refusedRange(host) : undefined
      return range === undefined ? Either.right(url) : Either.left(new TargetRefused({ host, range }))
    },
    lookupFor: (origin) => {
      const everything = isOpen(origin)
      return (hostname, options, callback) =>
        resolve(bare(hostname), (error, addresses) => {
          if (error !== null) return callback(error, "")
          const refused = everything ? undefined : addresses.map(refusedRange).find((range) => range !== undefined)
          if (refused !== undefined) return callback(new TargetRefused({ host: hostname, range: refused }), "")
          const found = addresses
            .filter(ipaddr.isValid)
            .map((address) => ({ address, family: ipaddr.parse(address).kind() === "ipv6" ? 6 : 4 }))
          const [first] = found
          if (first === undefined) return callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "")
          return options.all === true ? callback(null, found) : callback(null, first.address, first.family)
        })
    }
  }
}
