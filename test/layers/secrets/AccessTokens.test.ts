/**
 * What is asked of a provider once cannot be asked again: a refresh token that rotates is spent, and so is a code. From
 * the request on, nothing may stand between the answer and the storage but the death of the node.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, flow, Layer, Redacted, Ref, Schema, Scope, TestClock } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { ConnectionId } from "../../../src/domain/Ids.js"
import { renewalLeaseMillis } from "../../../src/domain/limits/Access.js"
import { UserGrant } from "../../../src/domain/Manifest.js"
import { StorageBusy, StorageUncertain } from "../../../src/domain/StorageErrors.js"
import { SealingForTests } from "../../../src/layers/compose/MemoryGateway.js"
import { SecretsBetween } from "../../../src/layers/compose/Secrets.js"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { SecretRowsMemory } from "../../../src/layers/memory/SecretRowsMemory.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { aboutOf, SecretRows } from "../../../src/layers/secrets/SecretRows.js"
import { grantOf, grantText, type StoredGrant } from "../../../src/layers/secrets/StoredGrant.js"
import { AuditTrail, unchanged } from "../../../src/services/AuditTrail.js"
import {
  AuthorizationServers,
  type GrantedTokens,
  GrantRefused,
  ServerUnavailable
} from "../../../src/services/AuthorizationServers.js"
import { ConnectionAuthorizations } from "../../../src/services/ConnectionAuthorizations.js"
import { Connections } from "../../../src/services/Connections.js"
import { Credentials } from "../../../src/services/Credentials.js"
import { PlatformKeys } from "../../../src/services/PlatformKeys.js"
import { Sealing } from "../../../src/services/Sealing.js"
import { endpoint } from "../../support/catalog.js"
import { withLogLines } from "../../support/logLines.js"
import { newWorkspace } from "../../support/sharedDatabase.js"

const revocationUrl = "https://files.test/revoke"
const auth = Schema.decodeUnknownSync(UserGrant)({
  type: "oauth2_authorization_code",
  authorizationUrl: "https://files.test/auth",
  tokenUrl: "https://files.test/token",
  revocationUrl,
  scopes: ["files.read"]
})
const { provider } = endpoint({
  id: "files",
  provider: { id: "files", baseUrl: "https://files.test", platformKey: false, auth }
})
const { clientAuth, token, tokenUrl } = auth
const server = { clientAuth, revocationUrl, token, tokenUrl }
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
  const revoked: Array<string> = []
  const revocation = yield* Ref.make<Effect.Effect<void, GrantRefused | ServerUnavailable>>(Effect.void)
  const answered = Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(answer))
  const servers = Layer.succeed(
    AuthorizationServers,
    AuthorizationServers.of({
      authorizationUrl: (_grant, _client, { redirectUri, state }) =>
        Effect.succeed(new URL(`${redirectUri}?code=once&state=${state}`)),
      exchange: () => answered,
      refresh: () => answered,
      revoke: (_server, _client, ended) =>
        Effect.zipRight(
          Effect.flatten(Ref.get(revocation)),
          Effect.sync(() => void revoked.push(Redacted.value(ended)))
        )
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
  return { asked, answer, revocation, revoked, scope, services, stop }
})

const facts = { scopes: ["files.read"], accessUntil: null, renewable: true, refused: null }
const grantBefore = {
  accessToken: "access-1",
  refreshToken: "refresh-1",
  renewFrom: null,
  server,
  origin: "https://files.test"
}
/** A connection whose access token is to be renewed, and works until then; null: the provider does not say. */
const connectedUntil = Effect.fnUntraced(function* (accessUntil: number | null, changes: Partial<StoredGrant> = {}) {
  const { workspaceId } = yield* newWorkspace
  const place = { workspaceId, connectionId: ConnectionId.make(`con_${"7".repeat(26)}`) }
  const connection = {
    ...place,
    providerId: provider.id,
    label: "mine",
    createdAt: 1,
    expiresAt: null,
    oauth: { ...facts, accessUntil }
  }
  const grant = { ...grantBefore, renewFrom: accessUntil === null ? null : 0, ...changes }
  const sealed = yield* (yield* Sealing).seal(grantText(grant), aboutOf({ _tag: "Connection", ...place }))
  const rows = yield* SecretRows
  yield* (yield* AuditTrail).change(
    commandLine,
    Effect.as(rows.insertConnection(connection, sealed), unchanged(undefined))
  )
  return place
})
/** A connection whose access token does not work any more, as its provider will say. */
const connected = connectedUntil(null)
type Place = Effect.Effect.Success<typeof connected>

/** Fails where there is no connection. */
const refreshTokenOf = (place: Place) =>
  Effect.gen(function* () {
    const row = yield* (yield* SecretRows).connection(place.workspaceId, place.connectionId)
    const sealed = yield* Effect.fromNullable(row?.sealed)
    const secret = yield* (yield* Sealing).open(sealed, aboutOf({ _tag: "Connection", ...place }))
    return (yield* grantOf(secret)).refreshToken
  })

/** What one call has: the token of the connection, and what renews it. */
const opened = (services: Context.Context<Credentials>, place: Place) =>
  Effect.map(Context.get(services, Credentials).resolve({ ...place, provider }), (found) =>
    found._tag === "Connection" && found.accessTokens !== undefined
      ? { secret: found.secret, tokens: found.accessTokens }
      : assert.fail("no access tokens")
  )
/** Takes a new token in place of the one that the provider refused. */
const take = (services: Context.Context<Credentials>, place: Place, timeoutMs: number) =>
  Effect.flatMap(opened(services, place), ({ secret, tokens }) => tokens.take(secret, timeoutMs))

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

  it.effect("that hangs leaves a call the token that still works, and the next one has what came of it", () =>
    Effect.gen(function* () {
      const { answer, asked, services } = yield* node
      const place = yield* connectedUntil(50_000)
      const { tokens } = yield* opened(services, place)
      const caller = yield* Effect.fork(tokens.take(null, 30_000))
      yield* Deferred.await(asked)
      yield* settled
      yield* TestClock.adjust("1 second")
      assert.strictEqual(Redacted.value(yield* Fiber.join(caller)), "access-1")
      // With less time than that, too.
      const hurried = yield* Effect.fork(tokens.take(null, 100))
      yield* settled
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(Redacted.value(yield* Fiber.join(hurried)), "access-1")
      yield* Deferred.succeed(answer, rotated)
      yield* settled
      assert.strictEqual(Redacted.value(yield* tokens.take(null, 30_000)), "access-2")
    }).pipe(Effect.provide(storage))
  )

  it.effect("that hangs until the token has ended is waited for", () =>
    Effect.gen(function* () {
      const { answer, asked, services } = yield* node
      const { tokens } = yield* opened(services, yield* connectedUntil(500))
      const caller = yield* Effect.fork(tokens.take(null, 30_000))
      yield* Deferred.await(asked)
      yield* settled
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.poll(caller))._tag, "None")
      yield* Deferred.succeed(answer, rotated)
      assert.strictEqual(Redacted.value(yield* Fiber.join(caller)), "access-2")
    }).pipe(Effect.provide(storage))
  )

  it.effect("is the last of its call: what the call sends after it has the new token, without the storage", () =>
    Effect.gen(function* () {
      const rows = yield* SecretRows
      let claims = 0
      const counted = {
        ...rows,
        claimRenewal: (...claim: Parameters<typeof rows.claimRenewal>) =>
          Effect.suspend(() => ((claims += 1), rows.claimRenewal(...claim)))
      }
      const { answer, services } = yield* Effect.provideService(node, SecretRows, counted)
      yield* Deferred.succeed(answer, { ...rotated, expiresInSeconds: 600 })
      const { secret, tokens } = yield* opened(services, yield* connected)
      assert.strictEqual(Redacted.value(yield* tokens.take(null, 30_000)), "access-1")
      assert.strictEqual(Redacted.value(yield* tokens.take(secret, 30_000)), "access-2")
      // The polls of a slow call, long after the token was refused.
      for (let poll = 0; poll < 5; poll += 1) {
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(Redacted.value(yield* tokens.take(null, 30_000)), "access-2")
      }
      assert.strictEqual(claims, 1)
      // The new token has an end of its own.
      yield* TestClock.adjust("10 minutes")
      yield* tokens.take(null, 30_000)
      assert.strictEqual(claims, 2)
    }).pipe(Effect.provide(storage))
  )

  it.effect("whose tokens wait for the storage until another node has taken over is stored, and serves both", () =>
    Effect.gen(function* () {
      const rows = yield* SecretRows
      let isAway = false
      const sometimes = {
        ...rows,
        storeRenewed: (...renewed: Parameters<typeof rows.storeRenewed>) =>
          Effect.suspend(() => (isAway ? new StorageBusy({ retryAfterSeconds: 1 }) : rows.storeRenewed(...renewed)))
      }
      const slow = yield* Effect.provideService(node, SecretRows, sometimes)
      const next = yield* node
      const place = yield* connected
      const first = yield* Effect.fork(take(slow.services, place, 100_000))
      yield* Deferred.await(slow.asked)
      yield* TestClock.adjust("20 seconds")
      isAway = true
      yield* Deferred.succeed(slow.answer, rotated)
      yield* settled
      yield* TestClock.adjust(renewalLeaseMillis - 20_000)
      const second = yield* Effect.fork(take(next.services, place, 100_000))
      yield* Deferred.await(next.asked)
      isAway = false
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(Redacted.value(yield* Fiber.join(first)), "access-2")
      assert.strictEqual(yield* refreshTokenOf(place), "refresh-2")
      // The refresh token before was used up.
      yield* Deferred.fail(next.answer, new GrantRefused({ of: "grant", code: "invalid_grant" }))
      assert.strictEqual(Redacted.value(yield* Fiber.join(second)), "access-2")
      const row = yield* rows.connection(place.workspaceId, place.connectionId)
      assert.isNull(row?.connection.oauth?.refused)
      assert.deepStrictEqual([...slow.revoked, ...next.revoked], [])
    }).pipe(Effect.provide(storage))
  )

  it.effect("whose tokens the storage never takes is told in the log: they are lost", () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        const rows = yield* SecretRows
        const away = { ...rows, storeRenewed: () => Effect.fail(new StorageBusy({ retryAfterSeconds: 1 })) }
        const { answer, services } = yield* Effect.provideService(node, SecretRows, away)
        const place = yield* connected
        yield* Deferred.succeed(answer, rotated)
        const caller = yield* Effect.fork(Effect.flip(take(services, place, 100_000)))
        yield* settled
        yield* TestClock.adjust(2 * renewalLeaseMillis)
        assert.strictEqual((yield* Fiber.join(caller))._tag, "capacity_exhausted")
        const told = lines.filter(({ level }) => level === "ERROR")
        assert.deepStrictEqual(
          told.map(({ message }) => message),
          ["New tokens of a connection could not be stored, and are lost: its account may have to be connected again"]
        )
        assert.strictEqual(told[0]?.annotations["connectionId"], place.connectionId)
        assert.notInclude(JSON.stringify(lines), "-2")
      })
    ).pipe(Effect.provide(storage))
  )

  it.effect("that cannot read the client of the gateway has asked nobody, and interrupts nothing", () =>
    Effect.gen(function* () {
      const rows = yield* SecretRows
      const away = { ...rows, platformKey: () => Effect.fail(new StorageBusy({ retryAfterSeconds: 1 })) }
      const { services } = yield* Effect.provideService(node, SecretRows, away)
      const place = yield* connected
      assert.strictEqual((yield* Effect.flip(take(services, place, 30_000)))._tag, "capacity_exhausted")
      const next = yield* rows.claimRenewal(place, "next", renewalLeaseMillis)
      assert.deepStrictEqual([next?.claimed, next?.interrupted], [true, false])
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

describe("a deletion", () => {
  it.effect("ends the grant that the connection has then, also where it was renewed at the last moment", () =>
    Effect.gen(function* () {
      const rows = yield* SecretRows
      const sealing = yield* Sealing
      /** Another node stores new tokens right before the row is deleted. */
      const deleteConnection: typeof rows.deleteConnection = (workspaceId, connectionId, now) =>
        Effect.gen(function* () {
          const place = { workspaceId, connectionId: ConnectionId.make(connectionId) }
          const next = { ...grantBefore, accessToken: "access-2", refreshToken: "refresh-2" }
          const claimed = yield* rows.claimRenewal(place, "another node", renewalLeaseMillis)
          const before = claimed?.row.sealed ?? assert.fail("no tokens")
          const sealed = yield* sealing.seal(grantText(next), aboutOf({ _tag: "Connection", ...place }))
          assert.isTrue(yield* rows.storeRenewed(place, { holder: "another node", before }, sealed, facts))
          return yield* rows.deleteConnection(workspaceId, connectionId, now)
        })
      const { revoked, services } = yield* Effect.provideService(node, SecretRows, { ...rows, deleteConnection })
      const { connectionId, workspaceId } = yield* connected
      assert.strictEqual(
        yield* Context.get(services, Connections).delete(workspaceId, connectionId, commandLine),
        "confirmed"
      )
      assert.deepStrictEqual(revoked, ["refresh-2"])
    }).pipe(Effect.provide(storage))
  )
})

describe("a deletion while the tokens are renewed", () => {
  const deletedMeanwhile = (changes: Partial<StoredGrant>) =>
    Effect.gen(function* () {
      const { answer, asked, revoked, services } = yield* node
      const place = yield* connectedUntil(null, changes)
      const caller = yield* Effect.fork(Effect.flip(take(services, place, 30_000)))
      yield* Deferred.await(asked)
      const rows = yield* SecretRows
      yield* (yield* AuditTrail).change(
        commandLine,
        Effect.as(rows.deleteConnection(place.workspaceId, place.connectionId, 0), unchanged(undefined))
      )
      yield* Deferred.succeed(answer, rotated)
      assert.strictEqual((yield* Fiber.join(caller))._tag, "connection_unusable")
      return revoked
    })

  it.effect("ends the new grant where the user's server takes that", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* deletedMeanwhile({}), ["refresh-2"])
    }).pipe(Effect.provide(storage))
  )

  it.effect("sends the new tokens to no address that the manifest has named since the user gave them", () =>
    Effect.gen(function* () {
      const { revocationUrl: _, ...before } = server
      assert.deepStrictEqual(yield* deletedMeanwhile({ server: before }), [])
    }).pipe(Effect.provide(storage))
  )
})

describe("a deletion whose answer was lost", () => {
  /** The first change of the audit trail after `connected` does this. */
  const deleting = (change: (trail: AuditTrail["Type"]) => AuditTrail["Type"]["change"]) =>
    Effect.gen(function* () {
      const trail = yield* AuditTrail
      let isLost = false
      const sometimes: AuditTrail["Type"] = {
        ...trail,
        change: (by, work) => Effect.suspend(() => (isLost ? change(trail)(by, work) : trail.change(by, work)))
      }
      const { revoked, services } = yield* Effect.provideService(node, AuditTrail, sometimes)
      const { connectionId, workspaceId } = yield* connected
      isLost = true
      const gone = Context.get(services, Connections).delete(workspaceId, connectionId, commandLine)
      return { gone, revoked }
    })

  it.effect("ends the grant at the provider where it has happened", () =>
    Effect.gen(function* () {
      const { gone, revoked } = yield* deleting(
        (trail) => (by, work) => Effect.zipRight(trail.change(by, work), new StorageUncertain())
      )
      assert.strictEqual(yield* gone, "confirmed")
      assert.deepStrictEqual(revoked, ["refresh-1"])
    }).pipe(Effect.provide(storage))
  )

  it.effect("leaves the grant as it is where it has not happened", () =>
    Effect.gen(function* () {
      const { gone, revoked } = yield* deleting(() => () => new StorageUncertain())
      assert.strictEqual((yield* Effect.flip(gone))._tag, "storage_uncertain")
      assert.deepStrictEqual(revoked, [])
    }).pipe(Effect.provide(storage))
  )
})

describe("a deletion whose caller goes away", () => {
  /** The row is deleted, and the provider has been asked to end the grant. The caller is interrupted then. */
  const abandoned = Effect.gen(function* () {
    const { revocation, revoked, services, stop } = yield* node
    const { connectionId, workspaceId } = yield* connected
    const asked = yield* Deferred.make<void>()
    const answer = yield* Deferred.make<void, ServerUnavailable>()
    yield* Ref.set(revocation, Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(answer)))
    const caller = yield* Effect.fork(Context.get(services, Connections).delete(workspaceId, connectionId, commandLine))
    yield* Deferred.await(asked)
    yield* Fiber.interrupt(caller)
    return { answer, revoked, stop }
  })

  it.effect("ends the grant at the provider all the same, and a node that stops waits for it", () =>
    Effect.gen(function* () {
      const { answer, revoked, stop } = yield* abandoned
      const stopping = yield* stop
      assert.strictEqual((yield* Fiber.poll(stopping))._tag, "None")
      yield* Deferred.succeed(answer, undefined)
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(revoked, ["refresh-1"])
    }).pipe(Effect.provide(storage))
  )

  it.effect("tells the operator when the provider did not confirm it", () =>
    Effect.gen(function* () {
      const { answer, stop } = yield* abandoned
      yield* Deferred.fail(answer, new ServerUnavailable({ reason: "timeout", word: "deadline" }))
      yield* Fiber.join(yield* stop)
    }).pipe(
      (work) =>
        withLogLines((lines) =>
          Effect.map(work, () =>
            assert.strictEqual(lines.filter(({ message }) => message.includes("did not confirm the end")).length, 1)
          )
        ),
      Effect.provide(storage)
    )
  )
})

describe("a way back from the provider", () => {
  const redirectUri = "https://gateway.test/console/connect/callback"
  /** A browser that has come back; its code is with the provider. */
  const coming = Effect.gen(function* () {
    const { answer, asked, revoked, services, stop } = yield* node
    const { workspaceId } = yield* newWorkspace
    const authorizations = Context.get(services, ConnectionAuthorizations)
    const begun = yield* authorizations.begin({ workspaceId, provider, label: "mine", expiresAt: null }, commandLine)
    const browser = Redacted.make("browser")
    const callback = yield* authorizations.leave(begun.link, { browser, provider, redirectUri })
    const finish = yield* Effect.fork(authorizations.finish(browser, callback, () => Effect.succeed(provider)))
    yield* Deferred.await(asked)
    return { answer, finish, revoked, stop, place: { workspaceId, connectionId: begun.connectionId } }
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

  const busy = new StorageBusy({ retryAfterSeconds: 1 })
  /** A storage whose inserts of connections go as they are told, one after the other, and then as they should. */
  const inserting = <A, E, R>(
    insert: (rows: SecretRows["Type"], nth: number) => SecretRows["Type"]["insertConnection"],
    work: Effect.Effect<A, E, R>
  ) =>
    Effect.gen(function* () {
      const rows = yield* SecretRows
      let times = 0
      const insertConnection: typeof rows.insertConnection = (connection, sealed) =>
        Effect.suspend(() => insert(rows, (times += 1))(connection, sealed))
      return yield* Effect.provideService(work, SecretRows, { ...rows, insertConnection })
    })

  it.effect("makes the connection, although the storage is busy when the code is exchanged", () =>
    Effect.gen(function* () {
      const { answer, finish, place, revoked } = yield* inserting(
        (rows, nth) => (nth <= 2 ? () => Effect.fail(busy) : rows.insertConnection),
        coming
      )
      yield* Deferred.succeed(answer, rotated)
      yield* settled
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(finish)).connectionId, place.connectionId)
      assert.strictEqual(yield* refreshTokenOf(place), "refresh-2")
      assert.deepStrictEqual(revoked, [])
    }).pipe(Effect.provide(storage))
  )

  it.effect("makes one connection, although the answer to its insert was lost", () =>
    Effect.gen(function* () {
      const { answer, finish, place } = yield* inserting(
        (rows, nth) => (connection, sealed) =>
          Effect.zipLeft(rows.insertConnection(connection, sealed), nth === 1 ? new StorageUncertain() : Effect.void),
        coming
      )
      yield* Deferred.succeed(answer, rotated)
      yield* settled
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(finish)
      const all = yield* (yield* SecretRows).connections(place.workspaceId, { limit: 10, after: null })
      assert.deepStrictEqual(
        all.map(({ connectionId }) => connectionId),
        [place.connectionId]
      )
    }).pipe(Effect.provide(storage))
  )

  it.effect("that the storage never takes leaves no grant behind at the provider", () =>
    Effect.gen(function* () {
      const { answer, finish, place, revoked } = yield* inserting(() => () => Effect.fail(busy), coming)
      yield* Deferred.succeed(answer, rotated)
      yield* settled
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Effect.flip(Fiber.join(finish)))._tag, "storage_busy")
      assert.deepStrictEqual(revoked, ["refresh-2"])
      assert.isNull(yield* (yield* SecretRows).connection(place.workspaceId, place.connectionId))
    }).pipe(Effect.provide(storage))
  )

  it.effect("of which nobody knows whether it made a connection leaves the grant as it is", () =>
    Effect.gen(function* () {
      const { answer, finish, revoked } = yield* inserting(
        (_, nth) => () => Effect.fail(nth === 1 ? new StorageUncertain() : busy),
        coming
      )
      yield* Deferred.succeed(answer, rotated)
      yield* settled
      yield* TestClock.adjust("1 minute")
      yield* Effect.flip(Fiber.join(finish))
      assert.deepStrictEqual(revoked, [])
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
