/**
 * Authorizations over the rows of either storage. The link, the state and the browser's secret are kept as digests. The
 * state names the row, and only together with the secret of the browser that took it along. The PKCE verifier is made
 * of both, so nothing that is stored can use a code. A way back uses the row up before the provider is asked, so a code
 * is exchanged once. From there on it goes to its end, also when the browser goes away or the node stops: the code is
 * used up, and a person must not lose what it gave.
 */
import { Clock, Data, Effect, Layer, Redacted } from "effect"
import { createHash, createHmac, randomBytes } from "node:crypto"
import { ValidationError } from "../../domain/ApiErrors.js"
import type { Actor } from "../../domain/AuditEntry.js"
import { ConnectionId } from "../../domain/Ids.js"
import { canonical } from "../../domain/Json.js"
import { nameProblem } from "../../domain/Labels.js"
import { authorizationMillis } from "../../domain/limits/Access.js"
import type { UserGrant } from "../../domain/Manifest.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import { endProblem } from "../../domain/Token.js"
import { AuditTrail, changed, unchanged } from "../../services/AuditTrail.js"
import { AuthorizationServers } from "../../services/AuthorizationServers.js"
import {
  AuthorizationOver,
  type BegunAuthorization,
  ConnectionAuthorizations
} from "../../services/ConnectionAuthorizations.js"
import type { Connection } from "../../services/Connections.js"
import { Ids } from "../../services/Ids.js"
import { PlatformKeys } from "../../services/PlatformKeys.js"
import { type Sealed, Sealing } from "../../services/Sealing.js"
import { clientOf, revokeUnkept, untilKept } from "./AccessTokens.js"
import { roomProblem, shownConnection } from "./ConnectionsSealed.js"
import { KeysChanged } from "./KnownKeys.js"
import { aboutOf, type AuthorizationRow, SecretRows } from "./SecretRows.js"
import { grantFrom, grantText, type OAuthProvider, originOf } from "./StoredGrant.js"
import { makeToItsEnd } from "./ToItsEnd.js"

const digestOf = (text: string): Uint8Array => createHash("sha256").update(text).digest()
const newSecret = Effect.sync(() => randomBytes(32).toString("base64url"))
const verifierOf = (browser: Redacted.Redacted<string>, state: string): Redacted.Redacted<string> =>
  Redacted.make(createHmac("sha256", Redacted.value(browser)).update(`oauth verifier ${state}`).digest("base64url"))

const authOf = ({ auth }: OAuthProvider): UserGrant | null => (auth.type === "oauth2_authorization_code" ? auth : null)
/** A manifest that changes while the person is away gets no code. */
const settingsOf = (provider: OAuthProvider, auth: UserGrant, redirectUri: string): Uint8Array =>
  digestOf(canonical([originOf(provider), { ...auth }, redirectUri]))

const shown = ({ connectionId, expiresAt, label, providerId, workspaceId }: AuthorizationRow): BegunAuthorization => ({
  connectionId,
  workspaceId,
  providerId,
  label,
  expiresAt
})

/** The storage did not take a connection. Uncertain: it may be there all the same. */
class NotKept extends Data.TaggedError("NotKept")<{
  readonly failure: StorageError
  readonly isUncertain: boolean
}> {}

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const sealing = yield* Sealing
  const ids = yield* Ids
  const trail = yield* AuditTrail
  const keysChanged = yield* KeysChanged
  const platformKeys = yield* PlatformKeys
  const servers = yield* AuthorizationServers
  const over = new AuthorizationOver()
  const toItsEnd = yield* makeToItsEnd

  /** Stores a connection whose code is used up. It is tried again and again: its tokens exist nowhere else. */
  const keep = Effect.fnUntraced(function* (by: Actor, connection: Connection, sealed: Sealed) {
    let isUncertain = false
    const written = trail.change(
      by,
      Effect.map(rows.insertConnection(connection, sealed), (isNew) =>
        isNew
          ? changed(undefined, {
              action: "connection.created",
              subjectId: connection.connectionId,
              workspaceId: connection.workspaceId,
              before: null,
              after: shownConnection(connection)
            })
          : // An insert whose answer was lost has written it, and its entry.
            unchanged(undefined)
      )
    )
    yield* written.pipe(
      Effect.tapErrorTag("storage_uncertain", () => Effect.sync(() => (isUncertain = true))),
      Effect.retry(untilKept),
      Effect.mapError((failure) => new NotKept({ failure, isUncertain }))
    )
  })

  return ConnectionAuthorizations.of({
    begin: Effect.fn("ConnectionAuthorizations.begin")(function* ({ expiresAt, label, provider, workspaceId }, by) {
      const now = yield* Clock.currentTimeMillis
      const auth = authOf(provider)
      if (auth === null)
        return yield* ValidationError.of(
          "providerId",
          "takes a key and has no accounts to connect in a browser: send the key as secret to POST /v1/connections"
        )
      const problem = nameProblem("label", label) ?? endProblem(expiresAt, now)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      if (clientOf(auth, yield* platformKeys.use(provider.id)) === null)
        return yield* ValidationError.of(
          "providerId",
          `has no OAuth client at this gateway yet: the operator sets it with gateway key set ${provider.id}`
        )
      const link = yield* newSecret
      const row: AuthorizationRow = {
        linkDigest: digestOf(link),
        workspaceId,
        connectionId: ConnectionId.make(`con_${yield* ids.suffix}`),
        providerId: provider.id,
        label,
        connectionExpiresAt: expiresAt,
        begunBy: by,
        createdAt: now,
        expiresAt: now + authorizationMillis
      }
      yield* trail.change(
        by,
        Effect.gen(function* () {
          // Where it ends, a full workspace takes it all the same: its owner has been at the provider meanwhile.
          const full = roomProblem(yield* rows.countConnections(workspaceId))
          if (full !== null) return yield* new ValidationError({ details: [full] })
          yield* rows.insertAuthorization(row)
          return changed(undefined, {
            action: "connection.authorization_begun",
            subjectId: row.connectionId,
            workspaceId,
            before: null,
            after: { providerId: row.providerId, label, expiresAt }
          })
        })
      )
      return { ...shown(row), link: Redacted.make(link) }
    }),
    begun: Effect.fn("ConnectionAuthorizations.begun")(function* (link) {
      const row = yield* rows.authorization(digestOf(Redacted.value(link)), yield* Clock.currentTimeMillis)
      return row === null ? yield* over : shown(row)
    }),
    leave: Effect.fn("ConnectionAuthorizations.leave")(function* (link, { browser, provider, redirectUri }) {
      const now = yield* Clock.currentTimeMillis
      const linkDigest = digestOf(Redacted.value(link))
      const row = yield* rows.authorization(linkDigest, now)
      const auth = authOf(provider)
      if (row === null || auth === null || row.providerId !== provider.id) return yield* over
      const client = clientOf(auth, yield* platformKeys.use(provider.id))
      if (client === null) return yield* over
      const state = yield* newSecret
      const left = yield* rows.leaveAuthorization(
        linkDigest,
        {
          browserDigest: digestOf(Redacted.value(browser)),
          stateDigest: digestOf(state),
          settingsDigest: settingsOf(provider, auth, redirectUri)
        },
        now
      )
      if (!left) return yield* over
      return yield* servers.authorizationUrl(auth, client.id, {
        redirectUri,
        state,
        verifier: verifierOf(browser, state)
      })
    }),
    finish: Effect.fn("ConnectionAuthorizations.finish")(function* (browser, callback, providerOf) {
      const state = callback.searchParams.get("state") ?? ""
      const came = yield* rows.takeAuthorization(
        digestOf(state),
        digestOf(Redacted.value(browser)),
        yield* Clock.currentTimeMillis
      )
      if (came === null) return yield* over
      const { row, settingsDigest } = came
      const provider = yield* providerOf(row.providerId)
      const auth = provider === null ? null : authOf(provider)
      if (provider === null || auth === null) return yield* over
      const redirectUri = callback.origin + callback.pathname
      if (!Buffer.from(settingsOf(provider, auth, redirectUri)).equals(settingsDigest)) return yield* over
      const client = clientOf(auth, yield* platformKeys.use(provider.id))
      if (client === null) return yield* over
      const tokens = yield* servers.exchange(auth, client, { callback, state, verifier: verifierOf(browser, state) })
      const now = yield* Clock.currentTimeMillis
      const { facts, grant } = grantFrom(
        tokens,
        { server: auth, origin: originOf(provider), refreshToken: null },
        auth.scopes,
        now
      )
      const { connectionId, label, providerId, workspaceId } = row
      const connection: Connection = {
        connectionId,
        workspaceId,
        providerId,
        label,
        createdAt: now,
        expiresAt: row.connectionExpiresAt,
        oauth: facts
      }
      const sealed = yield* sealing.seal(grantText(grant), aboutOf({ _tag: "Connection", workspaceId, connectionId }))
      yield* keep(row.begunBy, connection, sealed).pipe(
        Effect.catchTag("NotKept", ({ failure, isUncertain }) =>
          Effect.zipRight(
            // A connection that may be there must not lose its grant.
            isUncertain ? Effect.void : revokeUnkept(servers, auth, client, tokens),
            Effect.fail(failure)
          )
        ),
        Effect.annotateLogs({ connectionId, providerId, workspaceId })
      )
      yield* keysChanged.connections(workspaceId)
      return connection
    }, toItsEnd)
  })
})

export const ConnectionAuthorizationsStored: Layer.Layer<
  ConnectionAuthorizations,
  never,
  AuditTrail | AuthorizationServers | Ids | KeysChanged | PlatformKeys | Sealing | SecretRows
> = Layer.scoped(ConnectionAuthorizations, make)
