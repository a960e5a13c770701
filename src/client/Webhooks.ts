/**
 * Checks that a webhook comes from who holds the secret and was sent just now, as Standard Webhooks 1.0.0 says. It does
 * not remember ids: a delivery can come twice, so let the second one with an `id` do nothing.
 */

/** As `fetch`, Node's `http` and most frameworks have them; the case of the names does not matter. */
export type WebhookHeaders = Headers | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

export interface VerifiedWebhook {
  /** The same for every delivery of one event. */
  readonly id: string
  readonly sentAt: Date
  /** The body, read as JSON. */
  readonly payload: unknown
}

/** The webhook must not be believed; answer 400. */
export class WebhookInvalid extends Error {
  override readonly name = "WebhookInvalid"
  constructor(
    readonly reason:
      "header_missing" | "header_malformed" | "too_old" | "from_the_future" | "wrong_signature" | "body_not_json",
    message: string
  ) {
    super(message)
  }
}

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const given =
    typeof headers["get"] === "function"
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  const value = typeof given === "string" || given === null || given === undefined ? given : given.join(" ")
  if (value === null || value === undefined || value === "")
    throw new WebhookInvalid("header_missing", `The header ${name} is missing`)
  return value
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

/** Its message never repeats the secret. */
const keyOf = (secret: unknown) => {
  const bytes = typeof secret === "string" ? fromBase64(secret.replace(/^whsec_/, "")) : null
  if (bytes === null || bytes.length === 0) throw new TypeError("The secret is not whsec_ and base64")
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
}

const sentAtOf = (timestamp: string, toleranceSeconds: number): Date => {
  if (!/^[0-9]{1,12}$/.test(timestamp))
    throw new WebhookInvalid("header_malformed", "The header webhook-timestamp is no number of seconds")
  const seconds = Number(timestamp)
  const age = Date.now() / 1000 - seconds
  if (age > toleranceSeconds) throw new WebhookInvalid("too_old", `It was sent ${Math.round(age)} seconds ago`)
  if (age < -toleranceSeconds)
    throw new WebhookInvalid("from_the_future", `It was sent ${Math.round(-age)} seconds from now`)
  return new Date(seconds * 1000)
}

const isBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === "[object ArrayBuffer]"

/** A body that a framework has read already comes as an object, also where its type says nothing. */
const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === "string") return new TextEncoder().encode(body)
  // Not by its class: a page, a worker and a test have classes of their own.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (isBuffer(body)) return new Uint8Array(body)
  throw new TypeError("The body must be the text or the bytes that came over the wire, not what a parser made of them")
}

const secondsOf = (tolerance: unknown): number => {
  if (typeof tolerance === "number" && tolerance >= 0) return tolerance
  throw new TypeError(`toleranceSeconds is ${String(tolerance)}; a number of seconds from 0 is needed`)
}

/**
 * Resolves with the webhook; rejects with `WebhookInvalid`. `body` is what came over the wire, before any parser
 * changed a space of it. Give both secrets while one is being replaced. Wrong arguments are a `TypeError`.
 */
export const verifyWebhook = async (
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  secret: string | ReadonlyArray<string>,
  { toleranceSeconds = 300 }: { readonly toleranceSeconds?: number | undefined } = {}
): Promise<VerifiedWebhook> => {
  const tolerance = secondsOf(toleranceSeconds)
  const bytes = bytesOf(body)
  const secrets: ReadonlyArray<unknown> = Array.isArray(secret) ? secret : [secret]
  if (secrets.length === 0) throw new TypeError("No secret is given")
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature")
    .split(" ")
    // Other versions, such as v1a, belong to other kinds of keys.
    .flatMap((each) => (each.startsWith("v1,") ? [fromBase64(each.slice(3))] : []))
    .flatMap((bytes) => (bytes === null ? [] : [bytes]))
  const keys = await Promise.all(secrets.map(keyOf))
  const sentAt = sentAtOf(timestamp, tolerance)

  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + bytes.length)
  signed.set(head)
  signed.set(bytes, head.length)
  const matches = await Promise.all(
    keys.flatMap((key) => signatures.map((signature) => crypto.subtle.verify("HMAC", key, signature, signed)))
  )
  if (!matches.includes(true))
    throw new WebhookInvalid("wrong_signature", "No signature is right for this body and secret")

  try {
    const payload: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return { id, sentAt, payload }
  } catch {
    throw new WebhookInvalid("body_not_json", "The body is not JSON")
  }
}
