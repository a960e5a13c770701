/**
 * Connections whose secrets are sealed before they reach any storage. A deleted connection leaves its name and no
 * secret behind. That a provider could not be asked to end a user's grant does not keep the connection. A deletion goes
 * to its end, also when its caller goes away or the node stops: once the secret is destroyed, nobody else can end the
 * grant, and what the provider did not confirm is told in the log. So where the answer to the deletion was lost, it is
 * looked up whether it has happened.
 */
import { Clock, Effect, Layer, Option, Predicate, Redacted } from "effect"
import type { Actor } from "../../domain/AuditEntry.js"
import { type FieldProblem, NotFound, ValidationError } from "../../domain/ApiErrors.js"
import { ConnectionId, type WorkspaceId } from "../../domain/Ids.js"
import type { JsonObject } from "../../domain/Json.js"
import { askOperator, ConnectionNotFound, ConnectionUnusable } from "../../domain/RunFailures.js"
import { nameProblem } from "../../domain/Labels.js"
import { connectionsMax } from "../../domain/limits/Access.js"
import { endProblem } from "../../domain/Token.js"
import { AuditTrail, changed } from "../../services/AuditTrail.js"
import { AuthorizationServers } from "../../services/AuthorizationServers.js"
import { type Connection, Connections, type Revocation } from "../../services/Connections.js"
import { PlatformKeys } from "../../services/PlatformKeys.js"
import { Ids } from "../../services/Ids.js"
import { Sealing } from "../../services/Sealing.js"
import { pageOf } from "../../domain/Pages.js"
import { KeysChanged } from "./KnownKeys.js"
import { aboutOf, type ConnectionRow, givenVariables, SecretRows } from "./SecretRows.js"
import { clientOf, gone, loggedReason, refusedFailure, untilKept } from "./AccessTokens.js"
import { inOneLine, secretProblem } from "./SecretText.js"
import { grantOf, type StoredGrant } from "./StoredGrant.js"
import { makeToItsEnd } from "./ToItsEnd.js"
import { makeUnopenedKeys } from "./UnopenedKeys.js"

/** A connection as the audit trail has it. */
export const shownConnection = ({ expiresAt, label, oauth, providerId, variables }: Connection): JsonObject => ({
  providerId,
  label,
  expiresAt,
  ...(variables === undefined ? {} : { variables }),
  ...(oauth === null ? {} : { scopes: oauth.scopes })
})

/** Why a workspace that has so many gets no further one. Null when it does. */
export const roomProblem = (present: number): FieldProblem | null =>
  present < connectionsMax
    ? null
    : { field: "label", message: `is one too many: ${connectionsMax} connections at most, so delete one first` }

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const sealing = yield* Sealing
  const ids = yield* Ids
  const trail = yield* AuditTrail
  const keysChanged = yield* KeysChanged
  const platformKeys = yield* PlatformKeys
  const servers = yield* AuthorizationServers
  const toItsEnd = yield* makeToItsEnd
  const unopened = makeUnopenedKeys("a connection's secret")

  const aboutConnection = ({ connectionId, workspaceId }: Connection) =>
    aboutOf({ _tag: "Connection", workspaceId, connectionId })
  const notFound = (id: string) => new NotFound({ what: "connection", id })

  const opened = Effect.fnUntraced(function* ({ connection, sealed }: ConnectionRow) {
    if (sealed === null) return yield* gone
    if (connection.expiresAt !== null && connection.expiresAt <= (yield* Clock.currentTimeMillis)) {
      return yield* new ConnectionUnusable({ detail: "This connection has expired." })
    }
    if (connection.oauth !== null && connection.oauth.refused !== null)
      return yield* refusedFailure(connection.oauth.refused)
    const secret = yield* Effect.catchTag(
      sealing.open(sealed, aboutConnection(connection)),
      "SealUnreadable",
      ({ keyId }) =>
        Effect.zipRight(
          unopened.cannotOpen(connection.connectionId, { connectionId: connection.connectionId, sealingKey: keyId }),
          new ConnectionUnusable({
            detail: "The gateway cannot open the secret of this connection.",
            hint: askOperator,
            blames: "gateway"
          })
        )
    )
    yield* unopened.opened(connection.connectionId)
    return { connection, secret }
  })

  /** The grant of a connection that was deleted, as far as it can be opened. */
  const grantIn = ({ connection, sealed }: ConnectionRow) =>
    sealed === null || connection.oauth === null
      ? Effect.succeedNone
      : Effect.map(Effect.option(sealing.open(sealed, aboutConnection(connection))), Option.flatMap(grantOf))

  const revoke = Effect.fnUntraced(function* ({ connectionId, providerId }: Connection, grant: StoredGrant) {
    const { server } = grant
    const { revocationUrl } = server
    if (revocationUrl === undefined) return "not_offered" as const
    const asked = Effect.gen(function* () {
      const client = clientOf(server, yield* platformKeys.use(providerId))
      if (client === null) return yield* Effect.fail("no client")
      const token = Redacted.make(grant.refreshToken ?? grant.accessToken)
      yield* Effect.mapError(servers.revoke({ ...server, revocationUrl }, client, token), loggedReason)
    })
    return yield* Effect.matchEffect(asked, {
      onSuccess: () => Effect.succeed("confirmed" as const),
      onFailure: (error) =>
        Effect.as(
          Effect.logWarning(
            "The provider did not confirm the end of a deleted connection: its user can end the access in the account there"
          ).pipe(
            Effect.annotateLogs({ connectionId, providerId, reason: Predicate.isString(error) ? error : error._tag })
          ),
          "unconfirmed" as const
        )
    })
  })

  return Connections.of({
    create: Effect.fn("Connections.create")(function* ({ secret: given, variables, ...input }, by) {
      const secret = inOneLine(given)
      const now = yield* Clock.currentTimeMillis
      const problem = nameProblem("label", input.label) ?? secretProblem(secret) ?? endProblem(input.expiresAt, now)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      const connection: Connection = {
        ...input,
        ...givenVariables(variables),
        connectionId: ConnectionId.make(`con_${yield* ids.suffix}`),
        createdAt: now,
        oauth: null
      }
      const sealed = yield* sealing.seal(secret, aboutConnection(connection))
      yield* trail.change(
        by,
        Effect.gen(function* () {
          const full = roomProblem(yield* rows.countConnections(connection.workspaceId))
          if (full !== null) return yield* new ValidationError({ details: [full] })
          const isNew = yield* rows.insertConnection(connection, sealed)
          if (!isNew) return yield* Effect.dieMessage("a new connection has the id of another one")
          return changed(undefined, {
            action: "connection.created",
            subjectId: connection.connectionId,
            workspaceId: connection.workspaceId,
            before: null,
            after: shownConnection(connection)
          })
        })
      )
      yield* keysChanged.connections(connection.workspaceId)
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
      let found: ConnectionRow | null = null
      const deleted = yield* trail
        .change(
          by,
          Effect.gen(function* () {
            const deleted = yield* rows.deleteConnection(workspaceId, connectionId, yield* Clock.currentTimeMillis)
            if (deleted === null) return yield* notFound(connectionId)
            found = deleted
            return changed(deleted, {
              action: "connection.deleted",
              subjectId: connectionId,
              workspaceId,
              before: shownConnection(deleted.connection),
              after: null
            })
          })
        )
        .pipe(
          Effect.catchTag("storage_uncertain", (failure) =>
            Effect.flatMap(Effect.retry(rows.connection(workspaceId, connectionId), untilKept), (now) =>
              found !== null && now !== null && now.sealed === null ? Effect.succeed(found) : Effect.fail(failure)
            )
          )
        )
      yield* keysChanged.connections(workspaceId)
      const grant = yield* grantIn(deleted)
      return Option.isNone(grant) ? ("no_grant" satisfies Revocation) : yield* revoke(deleted.connection, grant.value)
    }, toItsEnd),
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

export const ConnectionsSealed: Layer.Layer<
  Connections,
  never,
  AuditTrail | AuthorizationServers | Ids | KeysChanged | PlatformKeys | Sealing | SecretRows
> = Layer.scoped(Connections, make)
