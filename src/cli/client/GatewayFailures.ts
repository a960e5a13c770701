/** Why a request to a gateway came to nothing, and what is known of it then. */
import { Data, Either, Option, Schema } from "effect"
import { optional } from "../../domain/Described.js"
import type { Json } from "../../domain/Json.js"

const Refusal = Schema.Struct({
  error: Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    requestId: optional(Schema.String),
    retryable: Schema.Boolean,
    retryHint: Schema.String,
    details: optional(Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String })))
  }),
  /** The scope that the token lacks. */
  scope: optional(Schema.String)
})

/** The gateway answered that it does not do it. */
export class GatewayRefused extends Data.TaggedError("GatewayRefused")<{
  readonly status: number
  readonly code: string
  readonly words: string
  readonly retryable: boolean
  /** As the gateway said it. */
  readonly told: typeof Refusal.Type.error
  readonly retryAfterSeconds: number | null
}> {
  override get message() {
    return `${this.words} (${this.code})`
  }
}

/** What Node says of a certificate that nobody known has signed, such as one of a company's own authority. */
const untrusted = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)\w*)$/

/** No answer, or one that is no gateway's: whether the request was carried out is not known. */
export class GatewayUnreachable extends Data.TaggedError("GatewayUnreachable")<{
  readonly url: string
  readonly why: string
}> {
  override get message() {
    const unanswered = `${this.url} gave no usable answer (${this.why})`
    return untrusted.test(this.why)
      ? `${unanswered}: its certificate is not trusted here. Set NODE_EXTRA_CA_CERTS to the file with the certificate of whoever signed it`
      : unanswered
  }
}

/**
 * Whether the request may have been carried out all the same: there is no usable answer, or one of a gateway that could
 * not tell. With a status below 500, and where no repetition helps, it has decided and done nothing.
 */
export const mayBeDone = (error: GatewayRefused | GatewayUnreachable): boolean =>
  error._tag === "GatewayUnreachable" || (error.retryable && error.status >= 500)

export const isOfGateway = (error: unknown): error is GatewayRefused | GatewayUnreachable =>
  error instanceof GatewayRefused || error instanceof GatewayUnreachable

const decodeRefusal = Schema.decodeUnknownOption(Refusal)

const secondsOf = (header: string | null): number | null =>
  header !== null && /^\d+$/.test(header) ? Number(header) : null

/** What is said of a request that `fetch` gave up. */
export const lost = (url: string) => (cause: unknown) => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code = inner instanceof Error && "code" in inner ? String(inner.code) : ""
  return new GatewayUnreachable({
    url,
    why: code !== "" ? code : inner instanceof Error ? inner.message : String(inner)
  })
}

export const tooLate = (url: string) => () => new GatewayUnreachable({ url, why: "no answer in time" })

/** What a gateway says in an answer that is no success. */
export const refusalIn = (url: string, { headers, status }: Response, json: Either.Either<Json, unknown>) => {
  const unreachable = (why: string) => new GatewayUnreachable({ url, why })
  if (Either.isLeft(json)) return unreachable(`status ${status}, and no JSON`)
  const refusal = decodeRefusal(json.right)
  if (Option.isNone(refusal)) return unreachable(`status ${status}`)
  const { error, scope } = refusal.value
  const { code, message, retryHint, retryable } = error
  const login = scope === undefined ? "" : `; gateway login --scope ${scope} asks for a token that has it`
  return new GatewayRefused({
    status,
    code,
    words: retryable ? `${message} ${retryHint}` : message + login,
    retryable,
    told: error,
    retryAfterSeconds: secondsOf(headers.get("retry-after"))
  })
}
