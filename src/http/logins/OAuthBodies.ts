/** What the OAuth routes take and give, in the names of RFC 8628 and RFC 6749. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Either, ParseResult, Schema } from "effect"
import { deviceRefusals } from "../../domain/DeviceGrant.js"
import { devicePollSeconds, loginMillis } from "../../domain/limits/Access.js"
import { Scope, ScopeInput } from "../../domain/Scope.js"
import { asked, askedMaybe, field, label, optional, says } from "../Fields.js"

export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code"

const form = { kind: "UrlParams", contentType: "application/x-www-form-urlencoded" } as const

const readScopes = Schema.decodeUnknownEither(Schema.NonEmptyArray(ScopeInput))
const scopesExpected = `must name one or more of ${Scope.literals.join(", ")}, with a space between two`
const scopeDescription = `One or more of ${Scope.literals.join(", ")}, with a space between two`
const scopeExample = "catalog:read runs:execute"

const ScopeList = Schema.transformOrFail(Schema.String.annotations(says(scopesExpected)), Schema.Array(Scope), {
  strict: true,
  decode: (text, _, ast) =>
    Either.mapBoth(readScopes(text.split(" ").filter((each) => each !== "")), {
      onLeft: () => new ParseResult.Type(ast, text, scopesExpected),
      onRight: (scopes) => [...new Set(scopes)]
    }),
  encode: (scopes) => ParseResult.succeed(scopes.join(" "))
}).annotations({ jsonSchema: { type: "string", pattern: "^ *[a-z]+[:.][a-z]+( +[a-z]+[:.][a-z]+)* *$" } })

const clientId = askedMaybe(
  label,
  "A name that the client chooses. The person who approves sees it, and the token is called by it. A login that began without it goes on without it",
  "build-screen"
)

const deviceCode = "q2Xv0bq3yRkJm3v1y7n5fV8sT4hL6cW9zA0dE1gB2uI"

export const DeviceAuthorizationInput = Schema.Struct({
  client_id: clientId,
  scope: asked(ScopeList, scopeDescription, ["catalog:read", "runs:execute"])
}).annotations({ identifier: "DeviceAuthorizationRequest", description: "The login that a device begins" })
export const DeviceAuthorizationForm = HttpApiSchema.withEncoding(DeviceAuthorizationInput, form)

export const DeviceAuthorization = Schema.Struct({
  device_code: field(Schema.String, "What the device asks for its token with. A secret of the device", deviceCode),
  user_code: field(Schema.String, "What the person types, in any case, with or without the dash", "BCDF-GHJK"),
  verification_uri: field(
    Schema.String,
    "The page on which the person types the code",
    "https://gateway.example.com/console/device"
  ),
  verification_uri_complete: field(
    Schema.String,
    "The same page with the code in its address, for a link or a QR code",
    "https://gateway.example.com/console/device?user_code=BCDF-GHJK"
  ),
  expires_in: field(Schema.Int, "For how many seconds the codes can be used", loginMillis / 1000),
  interval: field(Schema.Int, "Seconds to wait between two requests for the token", devicePollSeconds)
}).annotations({ identifier: "DeviceAuthorization", description: "The codes of a login that a device began" })

export const DeviceTokenInput = Schema.Struct({
  grant_type: asked(
    Schema.Literal(deviceGrantType).annotations(says(`must be ${deviceGrantType}`)),
    "The only grant that this gateway has",
    deviceGrantType
  ),
  device_code: asked(
    Schema.String.annotations({
      ...says("must be a device code"),
      jsonSchema: { type: "string", pattern: "^[A-Za-z0-9_-]{43}$" }
    }),
    "As `POST /oauth/device_authorization` gave it",
    deviceCode
  ),
  client_id: clientId
}).annotations({ identifier: "DeviceTokenRequest", description: "A device that asks for its token" })
export const DeviceTokenForm = HttpApiSchema.withEncoding(DeviceTokenInput, form)

export const AccessToken = Schema.Struct({
  access_token: field(
    Schema.String,
    "The token. It works like any other one",
    `pgw_01jz3w8m5q0000000000000000${"0".repeat(48)}4d3f1c2b`
  ),
  token_type: field(Schema.Literal("Bearer"), "How the token is sent: `Authorization: Bearer …`", "Bearer"),
  scope: field(Schema.String, scopeDescription, scopeExample),
  expires_in: optional(field(Schema.Int, "For how many seconds the token works; absent when it does not end", 86_400))
}).annotations({ identifier: "AccessToken", description: "The token of a device" })

/** The body of a refusal of either RFC. */
const refusal = <const Codes extends readonly [string, ...ReadonlyArray<string>]>(
  identifier: string,
  codes: Codes,
  description: string
) =>
  Schema.Struct({
    error: Schema.Literal(...codes).annotations({
      description: "What is wrong, in the word of the RFC",
      examples: [codes[0]]
    }),
    error_description: Schema.String.annotations({
      description: "The same for the developer of the client",
      examples: ["The person has not decided yet"]
    })
  }).annotations({ identifier, ...HttpApiSchema.annotations({ status: 400, description }) })

export const DeviceAuthorizationRefusal = refusal(
  "DeviceAuthorizationError",
  ["invalid_request", "invalid_scope"],
  "The form is wrong (RFC 8628, section 3.2)"
)
export const DeviceTokenRefusal = refusal(
  "DeviceTokenError",
  [...deviceRefusals, "invalid_request", "unsupported_grant_type"],
  "There is no token yet, or there will be none (RFC 8628, section 3.5)"
)

export type OAuthRefusal = typeof DeviceAuthorizationRefusal.Type | typeof DeviceTokenRefusal.Type
