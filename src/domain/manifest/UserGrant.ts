/**
 * OAuth 2 with the account of a user, as a manifest says it: each workspace connects its own account in a browser
 * (authorization code), and the gateway renews the access tokens. The provider's platform key is the client that the
 * operator has registered there, as `client_id:client_secret`; no call is made with it.
 */
import { Schema } from "effect"
import { optional, Text, withDefault } from "./Fields.js"

/** Codes and tokens travel to it, so it is TLS, or this machine in tests. */
const OAuthUrl = Schema.String.pipe(
  Schema.pattern(
    /^(?:https:\/\/[^\s?#@/\\{}]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:[/?][^\s#\\{}]*)?$/,
    { message: () => "must be an https address without a user name, a fragment or a variable" }
  )
)
/** Where a value stands in the token answer. */
const TokenPath = Schema.String.pipe(
  Schema.pattern(/^[\w-]+(?:\.[\w-]+){0,7}$/, {
    message: () => "must be a dotted path into the token answer, such as authed_user.access_token"
  })
)
const OAuthScope = Schema.String.pipe(
  Schema.pattern(/^[\x21\x23-\x5b\x5d-\x7e]+$/, { message: () => "must be one scope, without spaces and quotes" })
)
/** These belong to the grant itself. */
const reserved: ReadonlySet<string> = new Set([
  "response_type",
  "response_mode",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method"
])

const TokenPaths = Schema.Struct({
  accessToken: withDefault(TokenPath, () => "access_token"),
  refreshToken: withDefault(TokenPath, () => "refresh_token"),
  /** Seconds. */
  expiresIn: withDefault(TokenPath, () => "expires_in"),
  scope: withDefault(TokenPath, () => "scope")
})

export const UserGrant = Schema.Struct({
  type: Schema.Literal("oauth2_authorization_code"),
  /** The page on which the user decides. */
  authorizationUrl: OAuthUrl,
  tokenUrl: OAuthUrl,
  /** Where the tokens of a deleted connection are revoked (RFC 7009). */
  revocationUrl: optional(OAuthUrl),
  /** What the provider must send back as `iss` with the code (RFC 9207). Without it, `iss` is not looked at. */
  issuer: optional(Text),
  scopes: withDefault(Schema.Array(OAuthScope), () => []),
  pkce: withDefault(Schema.Literal("S256", "none"), () => "S256" as const),
  /** How the client says who it is. With `none` it has no secret, and the platform key is the client id alone. */
  clientAuth: withDefault(Schema.Literal("basic", "body", "none"), () => "basic" as const),
  /** Sent along to the page of the provider, such as `access_type: offline`. */
  parameters: withDefault(
    Schema.Record({
      key: Text.pipe(
        Schema.filter((name) => !reserved.has(name), {
          message: () => "is set by the gateway, so it cannot be a parameter",
          jsonSchema: {}
        })
      ),
      value: Schema.String
    }),
    () => ({})
  ),
  /** Where the token answer holds what is read from it, when it is not under the standard names. */
  token: withDefault(TokenPaths, () => ({
    accessToken: "access_token",
    refreshToken: "refresh_token",
    expiresIn: "expires_in",
    scope: "scope"
  }))
})
export type UserGrant = typeof UserGrant.Type
