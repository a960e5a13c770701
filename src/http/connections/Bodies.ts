/** What the routes of connections take and give. A secret is only ever taken. */
import { Redacted, Schema } from "effect"
import { secretCharsMax } from "../../domain/limits/Access.js"
import { providerIdCharsMax } from "../../domain/limits/Manifests.js"
import { VariableValues } from "../../domain/Manifest.js"
import type { Connection, OAuthFacts } from "../../services/Connections.js"
import {
  asked,
  askedMaybe,
  exampleId,
  exampleTime,
  field,
  Instant,
  label,
  line,
  NextCursor,
  optional,
  says,
  Time,
  time,
  timeOrNull
} from "../Fields.js"

const Secret = Schema.Redacted(
  Schema.String.annotations({
    ...says("must be text"),
    jsonSchema: {
      type: "string",
      format: "password",
      writeOnly: true,
      minLength: 1,
      maxLength: secretCharsMax
    }
  })
)

export const ConnectionInput = Schema.Struct({
  providerId: asked(line(providerIdCharsMax), "A provider of the catalog", "mock"),
  label: asked(label, "What people call it", "our own account"),
  secret: asked(
    Secret,
    "The key at the provider; user and password, or client id and secret, as user:password",
    Redacted.make("key-of-your-account")
  ),
  expiresAt: askedMaybe(
    Schema.NullOr(Instant),
    "When it is to be used no more; never without it",
    Date.UTC(2027, 0, 1)
  ),
  variables: askedMaybe(
    VariableValues,
    "The parts of the provider's address that are yours, where its operations name some (usageHints.connectionVariables)",
    { shop: "acme" }
  )
}).annotations({ identifier: "ConnectionRequest", description: "A key of your own at a provider" })

export const AuthorizationInput = Schema.Struct({
  providerId: asked(
    line(providerIdCharsMax),
    "A provider of the catalog at which users connect their account in a browser (OAuth 2)",
    "google-drive"
  ),
  label: asked(label, "What people call the connection", "our own account"),
  expiresAt: askedMaybe(
    Schema.NullOr(Instant),
    "When the connection is to be used no more; never without it",
    Date.UTC(2027, 0, 1)
  )
}).annotations({ identifier: "ConnectionAuthorizationRequest", description: "An account that a user is to connect" })

export const AuthorizationBody = Schema.Struct({
  connectionId: field(
    Schema.String,
    "The id of the connection once the user has agreed; until then it is not found",
    exampleId("con")
  ),
  authorizationUrl: field(
    Schema.String,
    "The page that the user opens in a browser; it works once, and whoever has it can connect their account",
    "https://gateway.example/console/connect/3f9c"
  ),
  expiresAt: field(Time, "Until then the user must have agreed", exampleTime)
}).annotations({ identifier: "ConnectionAuthorization", description: "Where a user connects their account" })

const OAuthBody = Schema.Struct({
  scopes: field(Schema.Array(Schema.String), "What the user has granted", ["files.read"]),
  accessUntil: field(
    Schema.NullOr(Time),
    "When the access token ends; the gateway renews it before where it can. Null where the provider does not say",
    exampleTime
  ),
  renewable: field(Schema.Boolean, "Whether the gateway can renew the access token", true),
  refused: field(
    Schema.NullOr(
      Schema.Struct({
        at: field(Time, "Since when", exampleTime),
        reason: field(
          Schema.String,
          "Why the provider refused it, and what helps",
          "it refused to renew the access token (invalid_grant). Connect the account again."
        )
      })
    ),
    "Why the connection cannot be used any more; null while it can",
    null
  )
}).annotations({ identifier: "ConnectionOAuth", description: "The account of a user; its tokens are never shown" })

export const ConnectionBody = Schema.Struct({
  connectionId: field(Schema.String, "Names the connection", exampleId("con")),
  providerId: field(Schema.String, "The provider whose key it is", "mock"),
  label: field(Schema.String, "What people call it", "our own account"),
  createdAt: field(Time, "When it was made", exampleTime),
  expiresAt: field(Schema.NullOr(Time), "When it is used no more; null for never", null),
  variables: optional(
    field(VariableValues, "The parts of the provider's address that it gives; absent when it gives none", {
      shop: "acme"
    })
  ),
  oauth: optional(OAuthBody)
}).annotations({ identifier: "Connection", description: "A key of your own at a provider; the key is never shown" })

export const ConnectionPage = Schema.Struct({
  connections: Schema.Array(ConnectionBody).annotations({ description: "Connections, newest first" }),
  nextCursor: NextCursor
}).annotations({ identifier: "ConnectionPage", description: "A page of connections" })

const oauthBody = ({ accessUntil, refused, ...facts }: OAuthFacts): typeof OAuthBody.Type => ({
  ...facts,
  accessUntil: timeOrNull(accessUntil),
  refused: refused === null ? null : { at: time(refused.at), reason: refused.reason }
})

export const connectionBody = (connection: Connection): typeof ConnectionBody.Type => ({
  connectionId: connection.connectionId,
  providerId: connection.providerId,
  label: connection.label,
  createdAt: time(connection.createdAt),
  expiresAt: timeOrNull(connection.expiresAt),
  ...(connection.variables === undefined ? {} : { variables: connection.variables }),
  ...(connection.oauth === null ? {} : { oauth: oauthBody(connection.oauth) })
})
