/** How a provider takes its key, as a manifest says it. */
import { Schema } from "effect"
import { JsonObject } from "../Json.js"
import { optional, Text, withDefault } from "./Fields.js"
import { UserGrant } from "./UserGrant.js"

export const noHeaderName = "must be the name of a header, such as X-Api-Key"
/** The name of a header (RFC 9110). */
export const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
export const noHeaderText = "must be without line breaks and characters outside of Latin-1"
/** What a header may hold: no line breaks, and no characters outside of Latin-1. */
export const headerText = /^[\t\x20-\x7e\x80-\xff]*$/
export const HeaderText = Schema.String.pipe(Schema.pattern(headerText, { message: () => noHeaderText }))
export const HeaderName = Schema.String.pipe(Schema.pattern(headerName, { message: () => noHeaderName }))

const KeyPlace = Schema.Union(
  Schema.Struct({ in: Schema.Literal("header"), name: HeaderName, prefix: optional(Schema.String) }),
  Schema.Struct({ in: Schema.Literal("cookie"), name: HeaderName }),
  Schema.Struct({ in: Schema.Literal("query", "path", "body"), name: Text })
)
export type KeyPlace = typeof KeyPlace.Type

/**
 * How a provider expects its key. `unsupported` declares a placement that this gateway cannot do; the provider's runs
 * then say so.
 */
export const Auth = Schema.Union(
  Schema.Struct({ type: Schema.Literal("none") }),
  Schema.Struct({ type: Schema.Literal("bearer") }),
  Schema.Struct({ type: Schema.Literal("header"), name: HeaderName, prefix: optional(Schema.String) }),
  /** Two headers at once; the key is `first:second`. */
  Schema.Struct({ type: Schema.Literal("header_pair"), names: Schema.Tuple(HeaderName, HeaderName) }),
  Schema.Struct({ type: Schema.Literal("query"), name: Text }),
  /** The key is `user:password`, or the user name alone when `passwordless`. */
  Schema.Struct({ type: Schema.Literal("basic"), passwordless: withDefault(Schema.Boolean, () => false) }),
  /** A field of the JSON or form body. */
  Schema.Struct({ type: Schema.Literal("body"), name: Text }),
  /** The key is `client_id:client_secret`. */
  Schema.Struct({
    type: Schema.Literal("oauth2_client_credentials"),
    tokenUrl: Text,
    scope: optional(Text),
    clientAuth: withDefault(Schema.Literal("basic", "body"), () => "basic" as const)
  }),
  /** A part of the path: `{name}` in the path of the operation. */
  Schema.Struct({ type: Schema.Literal("path"), name: Text }),
  Schema.Struct({ type: Schema.Literal("cookie"), name: HeaderName }),
  /** Two keys in any two places; the key is `first:second`. */
  Schema.Struct({ type: Schema.Literal("pair"), places: Schema.Tuple(KeyPlace, KeyPlace) }),
  /** AWS Signature Version 4; the key is `access_key_id:secret_access_key`, then `:session_token` if there is one. */
  Schema.Struct({
    type: Schema.Literal("aws_sigv4"),
    service: Text,
    /** May be a variable: `{region}`. */
    region: Text
  }),
  /** An HMAC over `text`. The key is the secret, or `id:secret` where `{id}` is used. */
  Schema.Struct({
    type: Schema.Literal("hmac"),
    algorithm: withDefault(Schema.Literal("sha1", "sha256", "sha384", "sha512"), () => "sha256" as const),
    encoding: withDefault(Schema.Literal("hex", "base64", "base64url"), () => "hex" as const),
    /** How the secret is written in the key. */
    secretEncoding: withDefault(Schema.Literal("text", "hex", "base64"), () => "text" as const),
    /** What is signed, of `{method}`, `{path}`, `{query}`, `{timestamp}`, `{body}` and so on. */
    text: Schema.NonEmptyString,
    timestamp: withDefault(Schema.Literal("unix", "unixMillis", "iso", "http"), () => "unix" as const),
    /** Headers to send, of the same names and `{signature}`. */
    headers: withDefault(Schema.Record({ key: Text, value: Text }), () => ({})),
    /** The same for query parameters; the one with the signature is added last and is not signed. */
    query: withDefault(Schema.Record({ key: Text, value: Text }), () => ({}))
  }),
  /**
   * A token signed with a private key, sent as bearer. The key is the private key in PEM, or a JSON object with
   * `private_key`, whose other members fill `{name}` in claims and header.
   */
  Schema.Struct({
    type: Schema.Literal("jwt"),
    algorithm: withDefault(Schema.Literal("RS256", "ES256"), () => "RS256" as const),
    /** `iat` and `exp` are added. */
    claims: withDefault(JsonObject, () => ({})),
    /** Beside `alg` and `typ`, such as `kid`. */
    header: withDefault(JsonObject, () => ({})),
    lifetimeSeconds: withDefault(Schema.Int.pipe(Schema.between(60, 86_400)), () => 600)
  }),
  UserGrant,
  Schema.Struct({ type: Schema.Literal("unsupported"), placement: Text })
)
export type Auth = typeof Auth.Type
