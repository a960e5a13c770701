/** What of a browser matters for sign-in: it keeps cookies, and sends the forms of the pages that it loaded. */
import { Effect } from "effect"
import type { Answer, Gateway } from "./httpGateway.js"

export interface Browser {
  readonly cookies: ReadonlyMap<string, string>
  /** `Set-Cookie` lines of the last answer. */
  readonly set: () => ReadonlyArray<string>
  readonly get: (path: string, headers?: Record<string, string>) => Effect.Effect<Answer>
  readonly head: (path: string) => Effect.Effect<Answer>
  /**
   * Sends a form as a page of the gateway does, unless `headers` say where it comes from, with the CSRF token of the
   * page that was loaded last, unless `fields` has one.
   */
  readonly post: (
    path: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>
  ) => Effect.Effect<Answer>
  readonly csrf: () => string
}

/** The text of the CSRF field of a page; empty when it has none. */
export const csrfIn = (page: string): string => /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? ""

export const locationOf = (answer: Answer): string => answer.headers.get("location") ?? ""

export const newBrowser = ({ send }: Pick<Gateway, "send">, cookie: string | null = null): Browser => {
  const cookies = new Map<string, string>(cookie === null ? [] : [[cookie.split("=")[0]!, cookie.split("=")[1]!]])
  let set: ReadonlyArray<string> = []
  let csrf = ""
  const sent = (method: string, path: string, headers: Record<string, string>, body?: URLSearchParams) =>
    Effect.tap(
      send(method, path, {
        authorization: null,
        headers: {
          ...(cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
          ...headers
        },
        ...(body === undefined ? {} : { body })
      }),
      (answer) =>
        Effect.sync(() => {
          set = answer.headers.getSetCookie()
          for (const line of set) {
            const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
            if (value === "" || /max-age=0/i.test(line)) cookies.delete(name)
            else cookies.set(name, value)
          }
          if (csrfIn(answer.text) !== "") csrf = csrfIn(answer.text)
        })
    )
  return {
    cookies,
    set: () => set,
    csrf: () => csrf,
    get: (path, headers = {}) => sent("GET", path, headers),
    head: (path) => sent("HEAD", path, {}),
    post: (path, fields = {}, headers = {}) =>
      Effect.suspend(() =>
        sent(
          "POST",
          path,
          headers["origin"] === undefined ? { "sec-fetch-site": "same-origin", ...headers } : headers,
          new URLSearchParams({ csrf, ...fields })
        )
      )
  }
}
