/**
 * The servers that one address names, such as a primary and its standby: `postgres://user@one:5432,two:5432/gateway`.
 * New connections go to the server that took writes last. When it cannot be reached, or is a standby, the next one is
 * tried, in turn. Whoever connects tells here what came of it, so that all pools of a process turn together.
 *
 * With one server there is nothing to choose, and nothing is asked of it. Whoever promotes a standby decides which
 * server takes the writes: two that both take them are not noticed here.
 */
import { Either, Redacted } from "effect"
import { tlsProblem } from "./Tls.js"

export interface Server {
  /** `host:port`, for people. */
  readonly name: string
  readonly url: Redacted.Redacted
}

export interface ServerState {
  readonly name: string
  /** Null while it is in use or was not tried; else why it was left. */
  readonly problem: string | null
  readonly inUse: boolean
}

export interface Servers {
  readonly all: ReadonlyArray<Server>
  /** Whether a new connection is asked if it can write before it is used. */
  readonly chosen: boolean
  /** The server of the next connection. */
  readonly next: () => Server
  /** A connection to it takes writes. */
  readonly worked: (server: Server) => void
  /** It was not reached, or takes no writes: the next connection goes to another one. */
  readonly failed: (server: Server, why: string) => void
  /** Whether another server has taken over from it. */
  readonly isLeft: (server: Server) => boolean
  readonly states: () => ReadonlyArray<ServerState>
}

const portDefault = 5432
const attribute = "target_session_attrs"
/** The gateway needs a server that takes writes, so the other values of libpq are of no use. */
const attributes: ReadonlySet<string> = new Set(["read-write", "primary"])
const address = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/
const hostAndPort = /^(\[[\da-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/

/**
 * Whether the part of an address before the hosts ended too early: what stands behind it, up to a `@`, is the rest of a
 * password with a `/`, a `#` or a `?` in it. The name of a database has no `@`.
 */
const isPasswordCut = (authority: string, behind: string): boolean => {
  const [path = ""] = behind.split("?")
  if (path.includes("@")) return true
  const hasUser = authority.includes("@")
  return !hasUser && behind.includes("@") && authority.includes(":") && authority.split(",").map(namedBy).includes(null)
}

const namedBy = (host: string): string | null => {
  const [, name, port] = hostAndPort.exec(host) ?? []
  return name === undefined ? null : `${name}:${port ?? portDefault}`
}

/**
 * The servers of an address, or what is wrong with it, without its password. An address with one host and without
 * `target_session_attrs` is left to the driver as it is.
 */
const listed = (
  url: Redacted.Redacted
): Either.Either<{ readonly all: ReadonlyArray<Server>; readonly chosen: boolean }, string> => {
  const [, scheme = "", authority = "", path = "", query = ""] = address.exec(Redacted.value(url)) ?? []
  if (isPasswordCut(authority, Redacted.value(url).slice(scheme.length + authority.length)))
    return Either.left(
      "its password has a character that means something else in an address. Write @ as %40, / as %2F, # as %23, ? as %3F and % as %25"
    )
  const at = authority.lastIndexOf("@") + 1
  const hosts = authority.slice(at).split(",")
  const parameters = query.split("&").filter((parameter) => parameter !== "")
  const isAttribute = (parameter: string) => parameter.startsWith(`${attribute}=`)
  const asked = parameters.filter(isAttribute).map((parameter) => parameter.slice(attribute.length + 1))
  const tls = tlsProblem(new URLSearchParams(query))
  if (tls !== null) return Either.left(tls)
  const useless = asked.find((value) => !attributes.has(value))
  if (useless !== undefined)
    return Either.left(`${attribute} is ${useless}: the gateway writes, so leave it out or set read-write`)
  const chosen = hosts.length > 1 || asked.length > 0
  if (!chosen) return Either.right({ all: [{ name: namedBy(hosts[0] ?? "") ?? "the server", url }], chosen })
  const rest = parameters.filter((parameter) => !isAttribute(parameter)).join("&")
  const all = hosts.flatMap((host) => {
    const name = namedBy(host)
    return name === null
      ? []
      : [
          {
            name,
            url: Redacted.make(`${scheme}${authority.slice(0, at)}${host}${path}${rest === "" ? "" : `?${rest}`}`)
          }
        ]
  })
  return all.length === hosts.length
    ? Either.right({ all, chosen })
    : Either.left("its hosts cannot be read: write host:port,host:port, and IPv6 in brackets")
}

/** `moved` is told when another server takes the writes than before. */
export const makeServers = (
  url: Redacted.Redacted,
  moved: (from: Server, to: Server) => void = () => undefined
): Either.Either<Servers, string> =>
  Either.map(listed(url), ({ all, chosen }): Servers => {
    const [first = { name: "the server", url }] = all
    const problems = new Map<Server, string>()
    let at = 0
    let good: Server | null = null
    const next = () => all[at] ?? first
    return {
      all,
      chosen,
      next,
      worked: (server) => {
        if (good !== null && good !== server) moved(good, server)
        good = server
        at = all.indexOf(server)
        problems.delete(server)
      },
      failed: (server, why) => {
        problems.set(server, why)
        // Somebody else who failed at it has turned to the next one already.
        if (next() === server) at = (at + 1) % all.length
      },
      isLeft: (server) => good !== null && good !== server,
      states: () =>
        all.map((server) => ({
          name: server.name,
          problem: problems.get(server) ?? null,
          inUse: server === good && !problems.has(server)
        }))
    }
  })

/** What became of each server, in words for an operator. */
export const serversTold = (servers: Servers): string =>
  servers
    .states()
    .map(({ inUse, name, problem }) => `${name}: ${problem ?? (inUse ? "in use" : "not tried")}`)
    .join("; ")
