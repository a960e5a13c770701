/**
 * The cookies of the console, as the public URL allows them. Behind TLS they are `Secure` and their names have a prefix
 * that makes the browser hold them to it: `__Host-` (this host and the whole of it), or `__Secure-` where the gateway
 * stands under a path. No script reads them, and other sites do not send them, except when they lead a person here.
 */
import { prefixOf } from "../Settings.js"

export interface ConsoleCookie {
  readonly name: string
  readonly options: {
    readonly httpOnly: true
    readonly path: string
    readonly sameSite: "lax"
    readonly secure: boolean
  }
}

export interface ConsoleCookies {
  /** The secret of the session. */
  readonly session: ConsoleCookie
  /** A secret of the browser, to which forms and sign-ins before a session are bound. */
  readonly browser: ConsoleCookie
  /** The page to which a sign-in leads back. */
  readonly next: ConsoleCookie
}

export const consoleCookies = (publicUrl: string): ConsoleCookies => {
  const path = prefixOf(publicUrl)
  const secure = new URL(publicUrl).protocol === "https:"
  const before = secure ? (path === "" ? "__Host-" : "__Secure-") : ""
  const cookie = (name: string): ConsoleCookie => ({
    name: `${before}gateway_${name}`,
    options: { httpOnly: true, path: path === "" ? "/" : path, sameSite: "lax", secure }
  })
  return { session: cookie("session"), browser: cookie("browser"), next: cookie("next") }
}
