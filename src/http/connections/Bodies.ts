/** What the routes of connections take and give. A secret is only ever taken. */
import { Redacted, Schema } from "effect"
import { providerIdCharsMax, secretCharsMax } from "../../domain/Limits.js"
import { VariableValues } from "../../domain/Manifest.js"
import type { Connection } from "../../services/Connections.js"
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
  )
}).annotations({ identifier: "Connection", description: "A key of your own at a provider; the key is never shown" })

export const ConnectionPage = Schema.Struct({
  connections: Schema.Array(ConnectionBody).annotations({ description: "Connections, newest first" }),
  nextCursor: NextCursor
}).annotations({ identifier: "ConnectionPage", description: "A page of connections" })

export const connectionBody = (connection: Connection): typeof ConnectionBody.Type => ({
  connectionId: connection.connectionId,
  providerId: connection.providerId,
  label: connection.label,
  createdAt: time(connection.createdAt),
  expiresAt: timeOrNull(connection.expiresAt),
  ...(connection.variables === undefined ? {} : { variables: connection.variables })
})
