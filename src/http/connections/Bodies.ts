/** What the routes of connections take and give. A secret is only ever taken. */
import { Schema } from "effect"
import { labelCharsMax, providerIdCharsMax, secretCharsMax } from "../../domain/Limits.js"
import type { Connection } from "../../services/Connections.js"
import { Instant, line, optional, says, Time, time, timeOrNull } from "../Fields.js"

const Secret = Schema.Redacted(
  Schema.String.annotations({
    ...says("must be text"),
    jsonSchema: {
      type: "string",
      format: "password",
      writeOnly: true,
      minLength: 1,
      maxLength: secretCharsMax,
      description: "The key at the provider; user and password, or client id and secret, as user:password"
    }
  })
)

export const ConnectionInput = Schema.Struct({
  providerId: line(providerIdCharsMax, "A provider of the catalog"),
  label: line(labelCharsMax),
  secret: Secret,
  expiresAt: optional(
    Schema.NullOr(Instant).annotations({ description: "When it is to be used no more; never without it" })
  )
}).annotations({ identifier: "ConnectionRequest" })

export const ConnectionBody = Schema.Struct({
  connectionId: Schema.String,
  providerId: Schema.String,
  label: Schema.String,
  createdAt: Time,
  expiresAt: Schema.NullOr(Time)
}).annotations({ identifier: "Connection" })

export const ConnectionPage = Schema.Struct({
  connections: Schema.Array(ConnectionBody),
  nextCursor: Schema.NullOr(Schema.String)
}).annotations({ identifier: "ConnectionPage" })

export const connectionBody = (connection: Connection): typeof ConnectionBody.Type => ({
  connectionId: connection.connectionId,
  providerId: connection.providerId,
  label: connection.label,
  createdAt: time(connection.createdAt),
  expiresAt: timeOrNull(connection.expiresAt)
})
