/**
 * The access tokens of users' OAuth accounts, renewed before they end and once when a provider refuses one.
 *
 * One at a time renews the tokens of a connection: on a node its callers share one renewal, and among the nodes the row
 * of the connection says who has it. A renewal belongs to nobody's call, so a caller that is interrupted takes nothing
 * away from the others. The new tokens are stored before anybody gets one. A node that stops waits for that: the
 * provider may have used the old refresh token up, and the answer exists nowhere else.
 *
 * A node that dies between the provider's answer and that commit takes the new tokens with it. The access token that is
 * stored goes on until it ends. Another node takes the renewal over when the lease ends, with the refresh token that is
 * stored. A provider that does not rotate refresh tokens, or takes the last one once more, answers with new tokens. One
 * that refuses it ends the connection, and the connection says that a renewal was interrupted. A node that lives, and
 * whose tokens the storage takes only after that, stores them all the same: nobody has newer ones.
 */
import { Clock, Deferred, Effect, Either, Option, Redacted, Schedule, type Scope } from "effect"
import { gatewayItself } from "../../domain/AuditEntry.js"
import { oauthMillis, renewalLeaseMillis } from "../../domain/limits/Access.js"
import type { UserGrant } from "../../domain/Manifest.js"
import type { AccessTokenFailure, AccessTokens } from "../../domain/ProviderCall.js"
import {
  askOperator,
  AuthError,
  CapacityExhausted,
  ConnectionUnusable,
  FetchFailed,
  InvalidResponse,
  PlatformKeyMissing,
  ProviderError,
  ProviderRateLimited,
  ProviderTimeout,
  RouteDenied
} from "../../domain/RunFailures.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import { type AuditTrail, changed, unchanged } from "../../services/AuditTrail.js"
import {
  type AuthorizationServers,
  type GrantedTokens,
  type GrantRefused,
  type OAuthClient,
  ServerUnavailable,
  type TokenEndpoint
} from "../../services/AuthorizationServers.js"
import type { Connection, OAuthFacts } from "../../services/Connections.js"
import type { Ids } from "../../services/Ids.js"
import type { PlatformKeys } from "../../services/PlatformKeys.js"
import type { Sealing } from "../../services/Sealing.js"
import { pairOf } from "../providers/KeyPlacement.js"
import { patienceMillis } from "../providers/TokenLife.js"
import { aboutOf, type ConnectionRow, type RenewalClaim, type SecretRows } from "./SecretRows.js"
import { grantFrom, grantOf, grantText, type StoredGrant } from "./StoredGrant.js"

export interface AccessTokenParts {
  readonly rows: SecretRows["Type"]
  readonly sealing: Sealing["Type"]
  readonly trail: AuditTrail["Type"]
  readonly ids: Ids["Type"]
  readonly servers: AuthorizationServers["Type"]
  readonly platformKeys: PlatformKeys["Type"]
}

const renewAnew = "Connect the account again."
const waitMillis = 150

export const gone = new ConnectionUnusable({
  detail: "This connection was deleted.",
  hint: "Use another connection, or make a new one."
})
const storageAway = new CapacityExhausted({
  detail: "The gateway's storage did not answer when the access token was to be renewed."
})
const notRenewable = new ConnectionUnusable({
  detail: `The access token of this connection has ended, and the provider gave nothing to renew it with. ${renewAnew}`
})
export const refusedFailure = ({ reason }: NonNullable<OAuthFacts["refused"]>): ConnectionUnusable =>
  new ConnectionUnusable({ detail: `The provider has ended this connection: ${reason}`, hint: renewAnew })

/** The client that the operator has registered at a provider, out of its platform key. */
export const clientOf = (
  { clientAuth }: Pick<UserGrant, "clientAuth">,
  key: { readonly secret: Redacted.Redacted<string> } | null
): OAuthClient | null => {
  if (key === null) return null
  const text = Redacted.value(key.secret)
  if (clientAuth === "none") return { id: text, secret: null }
  const pair = pairOf(text)
  return pair === null ? null : { id: pair[0], secret: Redacted.make(pair[1]) }
}

/** What a log says of an authorization server that did not do what it was asked. */
export const loggedReason = (failed: GrantRefused | ServerUnavailable): string =>
  failed._tag === "GrantRefused" ? (failed.code ?? "refused") : `${failed.reason} (${failed.word})`

const unavailable = ({ reason, word }: ServerUnavailable): AccessTokenFailure => {
  switch (reason) {
    case "denied":
      return new RouteDenied({ detail: `The egress policy refuses the provider's token address (${word}).` })
    case "unreachable":
      return new FetchFailed({ detail: `The provider's token address could not be reached (${word}).` })
    case "timeout":
      return new ProviderTimeout({ detail: "The provider's token address gave no full answer in time." })
    case "busy":
      return new ProviderRateLimited({ detail: "The provider limits the rate of token requests." })
    case "failed":
      return new ProviderError({ detail: `The provider's token address reported an error of its own (${word}).` })
    case "unusable":
      return new InvalidResponse({ detail: "The provider's token address answered without a token." })
  }
}

const refusedClient = ({ code }: GrantRefused): AuthError =>
  new AuthError({
    detail: `The provider refused the gateway's OAuth client${code === null ? "" : ` (${code})`}.`,
    hint: askOperator
  })

const reasonOf = (code: string | null, interrupted: boolean): string =>
  `it refused to renew the access token${code === null ? "" : ` (${code})`}. ` +
  (interrupted ? "The renewal before was interrupted, so its refresh token may have been used up. " : "") +
  renewAnew

/** Whether a token may be sent now: it is not the refused one, and does not end soon. */
const isFresh = ({ accessToken, renewFrom }: StoredGrant, refused: string | null, now: number): boolean =>
  accessToken !== refused && (renewFrom === null || now < renewFrom)
/** Whether it works for a while yet, although it should be renewed. */
const works = ({ connection: { oauth }, grant: { accessToken } }: Held, refused: string | null, now: number): boolean =>
  accessToken !== refused && oauth !== null && oauth.accessUntil !== null && now < oauth.accessUntil

/** A connection and the tokens that it has. */
interface Held {
  readonly connection: Connection
  readonly grant: StoredGrant
}
/** A connection whose tokens are renewed, at the provider of this auth. `refused` is the token that did not work. */
interface Asked {
  readonly connection: Connection
  readonly auth: UserGrant
  readonly refused: string | null
}

/** The renewal is this holder's now. `client` is null where the operator has set none. */
interface Claim extends RenewalClaim {
  readonly client: OAuthClient | null
  readonly interrupted: boolean
}

const tokensLost = Effect.logError(
  "New tokens of a connection could not be stored, and are lost: its account may have to be connected again"
)

/**
 * How long the storage is asked again, which is until a lease would be over: new tokens, and those of a connection that
 * was deleted, exist nowhere else.
 */
export const untilKept = Schedule.spaced("250 millis").pipe(Schedule.upTo(renewalLeaseMillis))

/** Ends a grant whose new tokens no connection keeps, so that nobody is left with a grant that they cannot see. */
export const revokeUnkept = (
  servers: AuthorizationServers["Type"],
  server: TokenEndpoint,
  client: OAuthClient,
  tokens: GrantedTokens
): Effect.Effect<void> => {
  const { revocationUrl } = server
  return revocationUrl === undefined
    ? Effect.void
    : Effect.catchAll(
        servers.revoke({ ...server, revocationUrl }, client, tokens.refreshToken ?? tokens.accessToken),
        (failed) =>
          Effect.logWarning("New tokens that no connection keeps could not be revoked").pipe(
            Effect.annotateLogs({ reason: loggedReason(failed) })
          )
      )
}

export type AccessTokensOf = (connection: Connection, grant: StoredGrant, auth: UserGrant) => AccessTokens

export const makeAccessTokens = (parts: AccessTokenParts): Effect.Effect<AccessTokensOf, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { ids, platformKeys, rows, sealing, servers, trail } = parts
    const scope = yield* Effect.scope
    const underWay = new Map<string, Deferred.Deferred<Held, AccessTokenFailure>>()

    const stored = <A>(work: Effect.Effect<A, StorageError>) => Effect.mapError(work, () => storageAway)
    const about = ({ connectionId, workspaceId }: Connection) =>
      aboutOf({ _tag: "Connection", workspaceId, connectionId })
    const logged = ({ connectionId, providerId, workspaceId }: Connection) =>
      Effect.annotateLogs({ connectionId, providerId, workspaceId })

    /** Null for a row without tokens that this node can open. */
    const grantIn = ({ connection, sealed }: ConnectionRow) =>
      sealed === null
        ? Effect.succeed(null)
        : Effect.match(sealing.open(sealed, about(connection)), {
            onFailure: () => null,
            onSuccess: (secret) => Option.getOrNull(grantOf(secret))
          })

    /** What the storage has of a connection now; null where it is deleted. */
    const heldNow = Effect.fnUntraced(function* ({ connectionId, workspaceId }: Connection) {
      const row = yield* stored(rows.connection(workspaceId, connectionId))
      const grant = row === null ? null : yield* grantIn(row)
      return row === null || grant === null ? null : { connection: row.connection, grant }
    })

    /** The new tokens, once they are stored. */
    const keep = Effect.fnUntraced(function* (
      asked: Asked,
      claim: RenewalClaim,
      grant: StoredGrant,
      granted: { readonly client: OAuthClient; readonly tokens: GrantedTokens }
    ) {
      const { auth, connection } = asked
      const { facts, grant: next } = grantFrom(
        granted.tokens,
        grant,
        connection.oauth?.scopes ?? auth.scopes,
        yield* Clock.currentTimeMillis
      )
      const sealed = yield* sealing.seal(grantText(next), about(connection))
      const kept = yield* Effect.retry(rows.storeRenewed(connection, claim, sealed, facts), untilKept).pipe(
        Effect.tapError(() => tokensLost.pipe(logged(connection))),
        stored
      )
      if (kept) return { connection: { ...connection, oauth: facts }, grant: next }
      // It was written and the answer got lost, or the connection was deleted, or another node has stored newer tokens.
      const now = yield* heldNow(connection)
      if (now !== null) return now
      // The manifest may have another address for it by now, and the user gave the tokens for this one.
      yield* revokeUnkept(servers, grant.server, granted.client, granted.tokens).pipe(logged(connection))
      return yield* gone
    })

    /** The provider refused the grant. Fails, unless another node has stored newer tokens meanwhile. */
    const refuse = ({ connection }: Asked, claim: RenewalClaim, grant: StoredGrant, reason: string) =>
      Effect.gen(function* () {
        const refused = { at: yield* Clock.currentTimeMillis, reason }
        const facts = { scopes: [], accessUntil: null, ...connection.oauth, renewable: false, refused }
        const noted = yield* stored(
          trail.change(
            gatewayItself,
            Effect.map(rows.refuseRenewal(connection, claim, facts), (isNew) =>
              isNew
                ? changed(true, {
                    action: "connection.refused",
                    subjectId: connection.connectionId,
                    workspaceId: connection.workspaceId,
                    before: { usable: true },
                    after: { usable: false, reason }
                  })
                : unchanged(false)
            )
          )
        )
        if (!noted) {
          yield* stored(rows.endRenewal(connection, claim.holder))
          const now = yield* heldNow(connection)
          if (now !== null && now.grant.refreshToken !== grant.refreshToken) return now
        }
        return yield* refusedFailure(refused)
      })

    const noClient = (providerId: string) =>
      Effect.map(
        stored(platformKeys.isSet(providerId)),
        (isSet) =>
          new PlatformKeyMissing({
            detail: isSet
              ? "The gateway cannot use its OAuth client at this provider now, so no access token can be renewed."
              : "The operator has set no OAuth client for this provider, so no access token can be renewed.",
            hint: askOperator
          })
      )

    /** Asks the provider once. The caller holds the renewal, which ends here however it comes out. */
    const ask = Effect.fnUntraced(function* (asked: Asked, claim: Claim, grant: StoredGrant) {
      const { auth, connection, refused } = asked
      const { client, interrupted } = claim
      const end = stored(rows.endRenewal(connection, claim.holder))
      if (client === null) return yield* Effect.zipRight(end, yield* noClient(connection.providerId))
      if (grant.refreshToken === null) return yield* Effect.zipRight(end, notRenewable)
      const answer = yield* Effect.either(servers.refresh(auth, client, Redacted.make(grant.refreshToken)))
      if (Either.isRight(answer)) return yield* keep(asked, claim, grant, { client, tokens: answer.right })
      const failed = answer.left
      if (failed._tag === "GrantRefused" && failed.of === "grant")
        return yield* refuse(asked, claim, grant, reasonOf(failed.code, interrupted))
      yield* end
      yield* Effect.logWarning("The access token of a connection could not be renewed").pipe(
        logged(connection),
        Effect.annotateLogs({ reason: loggedReason(failed) })
      )
      if (works({ connection, grant }, refused, yield* Clock.currentTimeMillis)) return { connection, grant }
      return yield* failed._tag === "GrantRefused" ? refusedClient(failed) : unavailable(failed)
    })

    /**
     * Renews, or waits for the node that does. It runs where nothing interrupts it, and opens only its waits: whoever
     * has asked the provider stores what comes back. Each request to the provider and to the storage has an end of its
     * own.
     */
    const renew: (asked: Asked) => Effect.Effect<Held, AccessTokenFailure> = Effect.fnUntraced(function* ({
      auth,
      connection: { connectionId, providerId, workspaceId },
      refused
    }) {
      // It is read before the claim: a storage that fails here must leave no claim behind, as if somebody had asked.
      const client = clientOf(auth, yield* stored(platformKeys.use(providerId)))
      const holder = yield* ids.suffix
      const until = (yield* Clock.currentTimeMillis) + renewalLeaseMillis + 2 * oauthMillis
      for (;;) {
        const found = yield* stored(rows.claimRenewal({ connectionId, workspaceId }, holder, renewalLeaseMillis))
        if (found === null) return yield* gone
        const { claimed, interrupted, row } = found
        const { connection } = row
        const end = claimed ? stored(rows.endRenewal(connection, holder)) : Effect.void
        const grant = yield* grantIn(row)
        if (grant === null || row.sealed === null) return yield* Effect.zipRight(end, gone)
        if (connection.oauth !== null && connection.oauth.refused !== null)
          return yield* Effect.zipRight(end, refusedFailure(connection.oauth.refused))
        const now = yield* Clock.currentTimeMillis
        if (isFresh(grant, refused, now)) return yield* Effect.as(end, { connection, grant })
        if (claimed)
          return yield* ask({ auth, connection, refused }, { before: row.sealed, client, holder, interrupted }, grant)
        if (works({ connection, grant }, refused, now)) return { connection, grant }
        if (now >= until) return yield* unavailable(new ServerUnavailable({ reason: "timeout", word: "renewal" }))
        yield* Effect.interruptible(Effect.sleep(waitMillis))
      }
    })

    /** Callers with the same connection share one renewal, and the scope waits for it. */
    const shared = (asked: Asked) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          const key = `${asked.connection.workspaceId}/${asked.connection.connectionId}/${asked.refused ?? ""}`
          const present = underWay.get(key)
          if (present !== undefined) return present
          const made = yield* Deferred.make<Held, AccessTokenFailure>()
          underWay.set(key, made)
          const work = Effect.ensuring(
            renew(asked),
            Effect.sync(() => underWay.delete(key))
          )
          // The fiber inherits that it cannot be interrupted.
          yield* Effect.forkIn(Deferred.complete(made, work), scope)
          return made
        })
      )

    return (connection, grant, auth) => {
      // A slow or paged call takes a token again and again: what was renewed for it once is its token from then on.
      let held: Held = { connection, grant }
      return {
        take: Effect.fnUntraced(function* (refusedToken, timeoutMs) {
          const refused = refusedToken === null ? null : Redacted.value(refusedToken)
          const now = yield* Clock.currentTimeMillis
          if (!isFresh(held.grant, refused, now)) {
            if (held.grant.refreshToken !== null) {
              const renewed = yield* shared({ connection: held.connection, auth, refused })
              const goesOn = works(held, refused, now + patienceMillis)
              const found = yield* Effect.timeoutOption(
                Deferred.await(renewed),
                goesOn ? Math.min(patienceMillis, timeoutMs) : timeoutMs
              )
              if (Option.isSome(found)) held = found.value
              // The renewal goes on: a token address that hangs takes no call down whose token works.
              else if (!works(held, refused, yield* Clock.currentTimeMillis))
                return yield* unavailable(new ServerUnavailable({ reason: "timeout", word: "token" }))
            } else {
              if (refusedToken !== null) return refusedToken
              if (!works(held, refused, now)) return yield* notRenewable
            }
          }
          return Redacted.make(held.grant.accessToken)
        })
      }
    }
  })
