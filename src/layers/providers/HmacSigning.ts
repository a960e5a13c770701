/** Signatures over a text that a manifest composes of parts of the request, with a secret that both sides know. */
import { createHmac, hash, randomBytes } from "node:crypto"
import type { Auth } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import type { Signable } from "./SigV4.js"
import { placeholdersOf, withValues } from "./Variables.js"

type HmacAuth = Extract<Auth, { readonly type: "hmac" }>

/** What the text and the headers may name. */
export const hmacNames: ReadonlyArray<string> = [
  "method",
  "host",
  "path",
  "query",
  "target",
  "contentType",
  "body",
  "bodySha256",
  "bodySha512",
  "bodyMd5",
  "timestamp",
  "nonce",
  "id"
]

/** Whether the key has two parts, `id:secret`. */
export const hasId = ({ headers, query, text }: HmacAuth): boolean =>
  [text, ...Object.values(headers), ...Object.values(query)].some((each) => placeholdersOf(each).includes("id"))

const timestampOf = (format: HmacAuth["timestamp"], nowMillis: number): string => {
  switch (format) {
    case "unix":
      return String(Math.floor(nowMillis / 1000))
    case "unixMillis":
      return String(nowMillis)
    case "iso":
      return new Date(nowMillis).toISOString()
    case "http":
      return new Date(nowMillis).toUTCString()
  }
}

const withQuery = (path: string, pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.reduce(
    (all, [name, value]) =>
      `${all}${all.includes("?") ? "&" : "?"}${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    path
  )

/** The path and the headers to send. What is signed is the path as it is sent, but for the signature in its query. */
export const hmacSigned = (
  auth: HmacAuth,
  key: { readonly id: string; readonly secret: string },
  request: Signable,
  nowMillis: number
): { readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly signature: string } => {
  const body = request.body ?? ""
  const known = {
    id: key.id,
    timestamp: timestampOf(auth.timestamp, nowMillis),
    nonce: randomBytes(16).toString("hex")
  }
  const isLast = ([, value]: readonly [string, string]): boolean => placeholdersOf(value).includes("signature")
  const pairs = Object.entries(auth.query)
  const target = withQuery(
    request.path,
    pairs.filter((pair) => !isLast(pair)).map(([name, value]) => [name, withValues(value, known)])
  )
  const [path = "", ...queries] = target.split("?")
  const values: Readonly<Record<string, string>> = {
    ...known,
    method: request.method,
    host: new URL(request.origin).host,
    path,
    query: queries.join("?"),
    target,
    contentType: request.headers["content-type"] ?? "",
    bodySha256: hash("sha256", body, auth.encoding),
    bodySha512: hash("sha512", body, auth.encoding),
    bodyMd5: hash("md5", body, auth.encoding)
  }
  const signing = createHmac(
    auth.algorithm,
    auth.secretEncoding === "text" ? key.secret : Buffer.from(key.secret, auth.secretEncoding)
  )
  // The body may be bytes, so the text is not put together as a text.
  for (const part of auth.text.split(/(\{[^{}]+\})/))
    signing.update(part === "{body}" ? body : (member(values, part.slice(1, -1)) ?? part))
  const signature = signing.digest(auth.encoding)
  const shown = { ...values, signature }
  return {
    signature,
    path: withQuery(
      target,
      pairs.filter(isLast).map(([name, value]) => [name, withValues(value, shown)])
    ),
    headers: Object.fromEntries(
      Object.entries(auth.headers).map(([name, value]) => [name.toLowerCase(), withValues(value, shown)])
    )
  }
}
