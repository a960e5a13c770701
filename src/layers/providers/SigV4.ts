/**
 * AWS Signature Version 4 in the authorization header, over the bytes that are sent. Written here and not taken from a
 * library: the small ones sign asynchronously and write the address anew, so that what they sign is not what is sent.
 * The tests hold AWS's published examples.
 */
import { createHmac, hash } from "node:crypto"

export interface Signable {
  readonly method: string
  /** Scheme, host and port. */
  readonly origin: string
  /** With its query, as it is sent. */
  readonly path: string
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

interface AwsKey {
  readonly id: string
  readonly secret: string
  readonly sessionToken: string | null
}

const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** AWS escapes everything but letters, digits and `-._~`. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const canonicalQuery = (query: string): string =>
  query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.indexOf("=")
      return [escaped(decoded(at < 0 ? pair : pair.slice(0, at))), escaped(decoded(at < 0 ? "" : pair.slice(at + 1)))]
    })
    .map(([name = "", value = ""]) => ({ name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.value < b.value ? -1 : a.value > b.value ? 1 : 0))
    .map(({ name, value }) => `${name}=${value}`)
    .join("&")

/** The headers to add. Only `host`, the content type and `x-amz-*` are signed: no proxy changes these. */
export const sigV4 = (
  { region, service }: { readonly region: string; readonly service: string },
  key: AwsKey,
  request: Signable,
  nowMillis: number
): Readonly<Record<string, string>> => {
  const amzDate = `${new Date(nowMillis).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`
  const day = amzDate.slice(0, 8)
  const payload = hash("sha256", request.body ?? "")
  const isS3 = service === "s3"
  const added: Readonly<Record<string, string>> = {
    "x-amz-date": amzDate,
    ...(isS3 ? { "x-amz-content-sha256": payload } : {}),
    ...(key.sessionToken === null ? {} : { "x-amz-security-token": key.sessionToken })
  }
  const all: Readonly<Record<string, string>> = { ...request.headers, ...added, host: new URL(request.origin).host }
  const signed = Object.entries(all)
    .filter(([name]) => name === "host" || name === "content-type" || name === "range" || name.startsWith("x-amz-"))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(";")
  const [path = "/", ...queries] = request.path.split("?")
  const canonical = [
    request.method,
    // S3 escapes the path once, and every other service escapes what was sent a second time.
    path
      .split("/")
      .map((step) => escaped(isS3 ? decoded(step) : step))
      .join("/"),
    canonicalQuery(queries.join("?")),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}`),
    "",
    names,
    payload
  ].join("\n")
  const scope = `${day}/${region}/${service}/aws4_request`
  const toSign = `AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${hash("sha256", canonical)}`
  const signingKey = [day, region, service, "aws4_request"].reduce<string | Uint8Array>(hmac, `AWS4${key.secret}`)
  const signature = hmac(signingKey, toSign).toString("hex")
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${key.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  }
}
