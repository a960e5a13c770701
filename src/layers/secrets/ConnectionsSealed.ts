/**
 * Connections whose secrets are sealed before they reach any storage. A deleted connection leaves its name and no
 * secret behind.
 */
import { Clock, Effect, Layer } from "effect"
import type { Actor } from "../../domain/AuditEntry.js"
import { NotFound, ValidationError } from "../../domain/ApiErrors.js"
import { ConnectionId, type WorkspaceId } from "../../domain/Ids.js"
import type { JsonObject } from "../../domain/Json.js"
import { askOperator, ConnectionNotFound, ConnectionUnusable } from "../../domain/RunFailures.js"
import { nameProblem } from "../../domain/Labels.js"
import { notInFuture } from "../../domain/Token.js"
import { AuditTrail, changed } from "../../services/AuditTrail.js"
import { type Connection, Connections } from "../../services/Connections.js"
import { Ids } from "../../services/Ids.js"
import { Sealing } from "../../services/Sealing.js"
import { pageOf } from "../../domain/Pages.js"
import { KnownKeys } from "./KnownKeys.js"
import { aboutOf, type ConnectionRow, givenVariables, SecretRows } from "./SecretRows.js"
import { inOneLine, secretProblem } from "./SecretText.js"

const shown = ({ expiresAt, label, providerId, variables }: Connection): JsonObject => ({
  providerId,
  label,
  expiresAt,
  ...(variables === undefined ? {} : { variables })
})

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const sealing = yield* Sealing
  const ids = yield* Ids
  const trail = yield* AuditTrail
  const knownKeys = yield* KnownKeys

  const aboutConnection = ({ connectionId, workspaceId }: Connection) =>
    aboutOf({ _tag: "Connection", workspaceId, connectionId })
  const notFound = (id: string) => new NotFound({ what: "connection", id })

  const opened = Effect.fnUntraced(function* ({ connection, sealed }: ConnectionRow) {
    if (sealed === null) return yield* new ConnectionUnusable({ detail: "This connection was deleted." })
    if (connection.expiresAt !== null && connection.expiresAt <= (yield* Clock.currentTimeMillis)) {
      return yield* new ConnectionUnusable({ detail: "This connection has expired." })
    }
    const secret = yield* Effect.catchTag(
      sealing.open(sealed, aboutConnection(connection)),
      "SealUnreadable",
      ({ keyId }) =>
        Effect.zipRight(
          Effect.logError("a connection's secret cannot be opened").pipe(
            Effect.annotateLogs({ connectionId: connection.connectionId, sealingKey: keyId })
          ),
          new ConnectionUnusable({
            detail: "The gateway cannot open the secret of this connection.",
            hint: askOperator,
            blames: "gateway"
          })
        )
    )
    return { connection, secret }
  })

  return Connections.of({
    create: Effect.fn("Connections.create")(function* ({ secret: given, variables, ...input }, by) {
      const secret = inOneLine(given)
      const now = yield* Clock.currentTimeMillis
      const expired =
        input.expiresAt !== null && input.expiresAt <= now ? { field: "expiresAt", message: notInFuture } : null
      const problem = nameProblem("label", input.label) ?? secretProblem(secret) ?? expired
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      const connection: Connection = {
        ...input,
        ...givenVariables(variables),
        connectionId: ConnectionId.make(`con_${yield* ids.suffix}`),
        createdAt: now
      }
      const sealed = yield* sealing.seal(secret, aboutConnection(connection))
      yield* trail.change(
        by,
        Effect.as(
          rows.insertConnection(connection, sealed),
          changed(undefined, {
            action: "connection.created",
            subjectId: connection.connectionId,
            workspaceId: connection.workspaceId,
            before: null,
            after: shown(connection)
          })
        )
      )
      yield* knownKeys.refresh
      return connection
    }),
    list: (workspaceId, page) =>
      Effect.map(rows.connections(workspaceId, page), (found) =>
        pageOf(found, page.limit, ({ connectionId }) => connectionId)
      ),
    get: Effect.fn("Connections.get")(function* (workspaceId: WorkspaceId, connectionId: string) {
      const row = yield* rows.connection(workspaceId, connectionId)
      return row === null || row.sealed === null ? yield* notFound(connectionId) : row.connection
    }),
    delete: Effect.fn("Connections.delete")(function* (workspaceId: WorkspaceId, connectionId: string, by: Actor) {
      yield* trail.change(
        by,
        Effect.gen(function* () {
          const deleted = yield* rows.deleteConnection(workspaceId, connectionId, yield* Clock.currentTimeMillis)
          if (deleted === null) return yield* notFound(connectionId)
          return changed(undefined, {
            action: "connection.deleted",
            subjectId: connectionId,
            workspaceId,
            before: shown(deleted),
            after: null
          })
        })
      )
      yield* knownKeys.refresh
    }),
    use: Effect.fnUntraced(function* (workspaceId: WorkspaceId, connectionId: string) {
      const row = yield* rows.connection(workspaceId, connectionId)
      return row === null ? yield* new ConnectionNotFound({}) : yield* opened(row)
    }),
    useNewest: Effect.fnUntraced(function* (workspaceId: WorkspaceId, providerId: string) {
      const row = yield* rows.newestConnection(workspaceId, providerId, yield* Clock.currentTimeMillis)
      return row === null ? null : yield* opened(row)
    })
  })
})

export const ConnectionsSealed: Layer.Layer<Connections, never, SecretRows | KnownKeys | Sealing | Ids | AuditTrail> =
  Layer.effect(Connections, make)
