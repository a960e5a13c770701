/**
 * Who visits a page: the session and the browser behind its cookies. Also what a form has to bring so that no other
 * site can send it: it comes from a page of this gateway, and carries a value that only such a page knows. Pages know
 * nothing of cookies; what their answers set is in `SetCookie`.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Redacted } from "effect"
import { member } from "../../domain/Members.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import { readUrl } from "../../domain/Url.js"
import type { Session, Sessions } from "../../services/Sessions.js"
import type { ConsoleCookie, ConsoleCookies } from "./Cookies.js"

export type { Session } from "../../services/Sessions.js"

export interface Visitor {
  readonly session: Session | null
  /** What the session's cookie held, whether or not it is a session. */
  readonly secret: Redacted.Redacted<string> | null
  /** A secret that only this browser has: of its cookie, or a new one that the answer sets. */
  readonly browser: Redacted.Redacted<string>
  readonly browserIsNew: boolean
  /** The page to which a sign-in leads back, as the cookie holds it: not checked yet. */
  readonly next: string | null
}

/** A cookie that an answer sets; null ends it. */
export interface SetCookie {
  readonly cookie: keyof ConsoleCookies
  readonly value: Redacted.Redacted<string> | null
  /** How long the browser keeps it; as long as it runs when left out. */
  readonly seconds?: number
}

const browserShape = /^[A-Za-z0-9_-]{43}$/
const newBrowser = Effect.sync(() => Redacted.make(randomBytes(32).toString("base64url")))

const valueOf = ({ cookies }: HttpServerRequest.HttpServerRequest, { name }: ConsoleCookie): string | null => {
  const value = member(cookies, name)
  return value === undefined || value === "" ? null : value
}

export const visitorOf = (
  request: HttpServerRequest.HttpServerRequest,
  cookies: ConsoleCookies,
  sessions: Sessions["Type"]
): Effect.Effect<Visitor, StorageError> =>
  Effect.gen(function* () {
    const secret = valueOf(request, cookies.session)
    const browser = valueOf(request, cookies.browser)
    const browserIsNew = browser === null || !browserShape.test(browser)
    return {
      session: secret === null ? null : yield* sessions.find(Redacted.make(secret)),
      secret: secret === null ? null : Redacted.make(secret),
      browser: browserIsNew ? yield* newBrowser : Redacted.make(browser),
      browserIsNew,
      next: valueOf(request, cookies.next)
    }
  })

/** What a form carries that a person without a session sends. */
const browserCsrf = ({ browser }: Visitor): string =>
  createHmac("sha256", Redacted.value(browser)).update("csrf").digest("base64url")

/** What the forms of a page carry. */
export const csrfOf = (visitor: Visitor): string => visitor.session?.csrf ?? browserCsrf(visitor)

const same = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Whether a form carries what this visitor's pages do. `open` forms need no session: they may also come from a page
 * that was loaded before the person signed in, in another tab.
 */
export const csrfHolds = (visitor: Visitor, given: string, open: boolean): boolean => {
  const ofSession = visitor.session !== null && same(given, visitor.session.csrf)
  const ofBrowser = !visitor.browserIsNew && same(given, browserCsrf(visitor))
  return ofSession || (ofBrowser && (open || visitor.session === null))
}

const noticeProof = (visitor: Visitor, path: string, name: string): string =>
  createHmac("sha256", csrfOf(visitor)).update(`notice ${path} ${name}`).digest("base64url").slice(0, 22)

/** A notice as it stands in the address of a page: with a proof that it was made for this visitor and this page. */
export const noticeFor = (visitor: Visitor, path: string, name: string): string =>
  `${name}.${noticeProof(visitor, path, name)}`

/** The notice that an address names; null when it was not made for this visitor and this page. */
export const noticeIn = (visitor: Visitor, path: string, given: string | undefined): string | null => {
  if (given === undefined) return null
  const [name = "", proof = ""] = given.split(".")
  return same(proof, noticeProof(visitor, path, name)) ? name : null
}

const isOwnOrigin = (origin: string, host: string | undefined, publicUrl: string): boolean => {
  const own = new URL(publicUrl)
  if (origin === own.origin) return true
  const given = readUrl(origin)
  return given !== null && given.host === host && (given.protocol === "https:" || own.protocol === "http:")
}

/**
 * Whether the browser says that a page of this gateway sent the request. It has to say so with `Sec-Fetch-Site` or
 * `Origin`; where it sends both, both have to. An origin is ours when it is that of the public URL, or when its host is
 * the one that was asked: a proxy may have changed the former. Behind TLS a page without TLS is not ours.
 */
export const comesFromHere = (headers: { readonly [name: string]: string | undefined }, publicUrl: string): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site === undefined && origin === undefined) return false
  return (
    (site === undefined || site === "same-origin") && (origin === undefined || isOwnOrigin(origin, host, publicUrl))
  )
}
