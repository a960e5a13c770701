/**
 * What is asked of a provider once cannot be asked again: a refresh token that rotates is spent, and so is a code. From
 * the request on, nothing may stand between the answer and the storage but the death of the node.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, flow, Layer, Redacted, Schema, Scope, TestClock } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { ConnectionId } from "../../../src/domain/Ids.js"
import { renewalLeaseMillis } from "../../../src/domain/Limits.js"
import { UserGrant } from "../../../src/domain/Manifest.js"
import { SealingForTests } from "../../../src/layers/compose/MemoryGateway.js"
import { SecretsBetween } from "../../../src/layers/compose/Secrets.js"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { SecretRowsMemory } from "../../../src/layers/memory/SecretRowsMemory.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { aboutOf, SecretRows } from "../../../src/layers/secrets/SecretRows.js"
import { grantOf, grantText } from "../../../src/layers/secrets/StoredGrant.js"
import { AuditTrail, unchanged } from "../../../src/services/AuditTrail.js"
import {
  AuthorizationServers,
  type GrantedTokens,
  GrantRefused,
  type ServerUnavailable
} from "../../../src/services/AuthorizationServers.js"
import { ConnectionAuthorizations } from "../../../src/services/ConnectionAuthorizations.js"
import { Credentials } from "../../../src/services/Credentials.js"
import { PlatformKeys } from "../../../src/services/PlatformKeys.js"
import { Sealing } from "../../../src/services/Sealing.js"
import { endpoint } from "../../support/catalog.js"
import { newWorkspace } from "../../support/sharedDatabase.js"

const auth = Schema.decodeUnknownSync(UserGrant)({
  type: "oauth2_authorization_code",
  authorizationUrl: "https://files.test/auth",
  tokenUrl: "https://files.test/token",
  scopes: ["files.read"]
})
const { provider } = endpoint({
  id: "files",
  provider: { id: "files", baseUrl: "https://files.test", platformKey: false, auth }
})
const server = { clientAuth: auth.clientAuth, token: auth.token, tokenUrl: auth.tokenUrl }
const rotated: GrantedTokens = {
  accessToken: Redacted.make("access-2"),
  refreshToken: Redacted.make("refresh-2"),
  expiresInSeconds: null,
  scopes: null
}

/** What outlives the node that stops. */
const storage = Layer.merge(SecretRowsMemory, SealingForTests).pipe(
  Layer.provideMerge(Layer.mergeAll(AccountsMemory, AuditTrailMemory)),
  Layer.provideMerge(Layer.merge(IdsCrypto, MemoryStorageLayer))
)

/** Everything that can go on without the provider and without time has gone on. */
const settled = Effect.repeatN(Effect.yieldNow(), 200)

/** A node over that storage, and a provider that answers when the test says so. */
const node = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  const answer = yield* Deferred.make<GrantedTokens, GrantRefused | ServerUnavailable>()
  const answered = Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(answer))
  const servers = Layer.succeed(
    AuthorizationServers,
    AuthorizationServers.of({
      authorizationUrl: (_grant, _client, { redirectUri, state }) =>
        Effect.succeed(new URL(`${redirectUri}?code=once&state=${state}`)),
      exchange: () => answered,
      refresh: () => answered,
      revoke: () => Effect.void
    })
  )
  const scope = yield* Scope.make()
  const services = yield* Layer.buildWithScope(Layer.provide(SecretsBetween, servers), scope)
  yield* Context.get(services, PlatformKeys).set(provider.id, Redacted.make("gateway:secret"), commandLine)
  /** The stop has begun, and has come as far as it does without the provider. */
  const stop = Effect.gen(function* () {
    const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
    yield* settled
    return stopping
  })
  return { asked, answer, scope, services, stop }
})

/** A connection whose access token does not work any more. */
const connected = Effect.gen(function* () {
  const { workspaceId } = yield* newWorkspace
  const place = { workspaceId, connectionId: ConnectionId.make(`con_${"7".repeat(26)}`) }
  const connection = {
    ...place,
    providerId: provider.id,
    label: "mine",
    createdAt: 1,
    expiresAt: null,
    oauth: { scopes: ["files.read"], accessUntil: null, renewable: true, refused: null }
  }
  const grant = {
    accessToken: "access-1",
    refreshToken: "refresh-1",
    renewFrom: null,
    server,
    origin: "https://files.test"
  }
  const sealed = yield* (yield* Sealing).seal(grantText(grant), aboutOf({ _tag: "Connection", ...place }))
  const rows = yield* SecretRows
  yield* (yield* AuditTrail).change(
    commandLine,
    Effect.as(rows.insertConnection(connection, sealed), unchanged(undefined))
  )
  return place
})
type Place = Effect.Effect.Success<typeof connected>

/** Fails where there is no connection. */
const refreshTokenOf = (place: Place) =>
  Effect.gen(function* () {
    const row = yield* (yield* SecretRows).connection(place.workspaceId, place.connectionId)
    const sealed = yield* Effect.fromNullable(row?.sealed)
    const secret = yield* (yield* Sealing).open(sealed, aboutOf({ _tag: "Connection", ...place }))
    return (yield* grantOf(secret)).refreshToken
  })

/** Takes a new token in place of the one that the provider refused. */
const take = (services: Context.Context<Credentials>, place: Place, timeoutMs: number) =>
  Effect.gen(function* () {
    const found = yield* Context.get(services, Credentials).resolve({ ...place, provider })
    return found._tag === "Connection" && found.accessTokens !== undefined
      ? yield* found.accessTokens.take(found.secret, timeoutMs)
      : assert.fail("no access tokens")
  })

describe("a renewal", () => {
  it.effect("that has asked the provider is stored, although the node stops meanwhile: the stop waits for it", () =>
    Effect.gen(function* () {
      const { answer, asked, services, stop } = yield* node
      const place = yield* connected
      const caller = yield* Effect.fork(take(services, place, 30_000))
      yield* Deferred.await(asked)
      const stopping = yield* stop
      assert.strictEqual((yield* Fiber.poll(stopping))._tag, "None")
      yield* Deferred.succeed(answer, rotated)
      yield* Fiber.join(stopping)
      assert.strictEqual(yield* refreshTokenOf(place), "refresh-2")
      assert.strictEqual(Redacted.value(yield* Fiber.join(caller)), "access-2")
    }).pipe(Effect.provide(storage))
  )

  it.effect("that the provider refuses while the node stops is noted", () =>
    Effect.gen(function* () {
      const { answer, asked, services, stop } = yield* node
      const place = yield* connected
      yield* Effect.fork(take(services, place, 30_000))
      yield* Deferred.await(asked)
      const stopping = yield* stop
      yield* Deferred.fail(answer, new GrantRefused({ of: "grant", code: "invalid_grant" }))
      yield* Fiber.join(stopping)
      const row = yield* (yield* SecretRows).connection(place.workspaceId, place.connectionId)
      assert.include(row?.connection.oauth?.refused?.reason, "invalid_grant")
    }).pipe(Effect.provide(storage))
  )

  it.effect("outlives its callers and every time limit, once the provider was asked", () =>
    Effect.gen(function* () {
      const { answer, asked, scope, services } = yield* node
      const place = yield* connected
      const caller = yield* Effect.fork(Effect.flip(take(services, place, 500)))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("100 seconds")
      assert.strictEqual((yield* Fiber.join(caller))._tag, "timeout")
      yield* Deferred.succeed(answer, rotated)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* refreshTokenOf(place), "refresh-2")
    }).pipe(Effect.provide(storage))
  )

  it.effect("that only waits for another node holds no stop up", () =>
    Effect.gen(function* () {
      const { services, stop } = yield* node
      const place = yield* connected
      assert.isTrue((yield* (yield* SecretRows).claimRenewal(place, "another node", renewalLeaseMillis))?.claimed)
      yield* Effect.fork(take(services, place, 30_000))
      yield* settled
      yield* Fiber.join(yield* stop)
      assert.strictEqual(yield* refreshTokenOf(place), "refresh-1")
    }).pipe(Effect.provide(storage))
  )

  it.effect("waits for other nodes no longer than two of them can take", () =>
    Effect.gen(function* () {
      const rows = yield* SecretRows
      // It asks less often here, so that the test's clock has fewer steps to take.
      const slow = { ...rows, claimRenewal: flow(rows.claimRenewal, Effect.delay("30 seconds")) }
      const { services } = yield* Effect.provideService(node, SecretRows, slow)
      const place = yield* connected
      assert.isTrue((yield* rows.claimRenewal(place, "another node", 3_600_000))?.claimed)
      const caller = yield* Effect.fork(Effect.flip(take(services, place, 3_600_000)))
      yield* settled
      yield* TestClock.adjust("80 seconds")
      assert.strictEqual((yield* Fiber.poll(caller))._tag, "None")
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual((yield* Fiber.join(caller))._tag, "timeout")
    }).pipe(Effect.provide(storage))
  )
})

describe("a way back from the provider", () => {
  const redirectUri = "https://gateway.test/console/connect/callback"
  /** A browser that has come back; its code is with the provider. */
  const coming = Effect.gen(function* () {
    const { answer, asked, services, stop } = yield* node
    const { workspaceId } = yield* newWorkspace
    const authorizations = Context.get(services, ConnectionAuthorizations)
    const begun = yield* authorizations.begin({ workspaceId, provider, label: "mine", expiresAt: null }, commandLine)
    const browser = Redacted.make("browser")
    const callback = yield* authorizations.leave(begun.link, { browser, provider, redirectUri })
    const finish = yield* Effect.fork(authorizations.finish(browser, callback, () => Effect.succeed(provider)))
    yield* Deferred.await(asked)
    return { answer, finish, stop, place: { workspaceId, connectionId: begun.connectionId } }
  })

  it.effect("makes the connection, although the browser is gone when the provider answers", () =>
    Effect.gen(function* () {
      const { answer, finish, place, stop } = yield* coming
      yield* Fiber.interruptFork(finish)
      yield* settled
      yield* Deferred.succeed(answer, rotated)
      yield* Fiber.join(yield* stop)
      assert.strictEqual(yield* refreshTokenOf(place), "refresh-2")
    }).pipe(Effect.provide(storage))
  )

  it.effect("makes the connection, although the node stops meanwhile: the stop waits for it", () =>
    Effect.gen(function* () {
      const { answer, finish, place, stop } = yield* coming
      const stopping = yield* stop
      assert.strictEqual((yield* Fiber.poll(stopping))._tag, "None")
      yield* Deferred.succeed(answer, rotated)
      yield* Fiber.join(stopping)
      assert.strictEqual(yield* refreshTokenOf(place), "refresh-2")
      assert.strictEqual((yield* Fiber.join(finish)).connectionId, place.connectionId)
    }).pipe(Effect.provide(storage))
  )
})
