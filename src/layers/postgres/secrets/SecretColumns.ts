/** The columns of connections on Postgres, what a row of them is, and the columns that platform keys have too. */
import { Schema } from "effect"
import { ConnectionId, WorkspaceId } from "../../../domain/Ids.js"
import { VariableValues } from "../../../domain/Manifest.js"
import type { Connection, OAuthFacts } from "../../../services/Connections.js"
import { type ConnectionRow, givenVariables } from "../../secrets/SecretRows.js"
import type { Sql } from "../Database.js"

const Facts = Schema.parseJson(
  Schema.Struct({
    scopes: Schema.Array(Schema.String),
    accessUntil: Schema.NullOr(Schema.Int),
    renewable: Schema.Boolean,
    refused: Schema.NullOr(Schema.Struct({ at: Schema.Int, reason: Schema.String }))
  })
)
const parseFacts = Schema.decodeSync(Facts)
export const factsText = (facts: OAuthFacts | null): string | null => (facts === null ? null : JSON.stringify(facts))

export const ConnectionColumns = Schema.Struct({
  connectionId: ConnectionId,
  workspaceId: WorkspaceId,
  providerId: Schema.String,
  label: Schema.String,
  createdAt: Schema.Int,
  expiresAt: Schema.NullOr(Schema.Int),
  variables: Schema.NullOr(Schema.String),
  oauth: Schema.NullOr(Schema.String)
})
export const SealedConnection = Schema.Struct({
  ...ConnectionColumns.fields,
  sealed: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  keyId: Schema.NullOr(Schema.String)
})

/** Read as text, so that the rows of connections without any are checked without a Schema. */
const parseVariables = Schema.decodeSync(Schema.parseJson(VariableValues))
export const readVariables = (text: string | null): VariableValues | null =>
  text === null ? null : parseVariables(text)

export const variablesText = (variables: VariableValues | undefined): string | null =>
  variables === undefined ? null : JSON.stringify(variables)

export const connectionOf = ({ oauth, variables, ...connection }: typeof ConnectionColumns.Type): Connection => ({
  ...connection,
  oauth: oauth === null ? null : parseFacts(oauth),
  ...givenVariables(readVariables(variables))
})
export const connectionRow = ({ keyId, sealed, ...connection }: typeof SealedConnection.Type): ConnectionRow => ({
  connection: connectionOf(connection),
  sealed: sealed === null || keyId === null ? null : { keyId, bytes: sealed }
})
/** A statement over two tables must say whose columns it means. */
export const columnsOf = (sql: Sql, table: "connections" | "c" | "gone") =>
  sql.literal(
    `${table}.connection_id as "connectionId", ${table}.workspace_id as "workspaceId", ${table}.provider_id as "providerId", ${table}.label, ${table}.created_at as "createdAt", ${table}.expires_at as "expiresAt", ${table}.variables::text as variables, ${table}.oauth::text as oauth`
  )

export const sealColumns = `sealed, key_id as "keyId"`
/** Whether the provider has refused the tokens of a connection. */
export const isRefused = `((oauth #>> '{refused,at}') is not null)`
