import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Either, Layer, Redacted, TestClock, Schema } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { connectionsMax } from "../../../src/domain/limits/Access.js"
import { ProviderId } from "../../../src/domain/Manifest.js"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { AuditTrailPg } from "../../../src/layers/postgres/AuditTrailPg.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { SecretsOver } from "../../../src/layers/compose/Secrets.js"
import { SecretsPg } from "../../../src/layers/compose/SecretsOnPostgres.js"
import { SecretRows } from "../../../src/layers/secrets/SecretRows.js"
import { SecretRowsMemory } from "../../../src/layers/memory/SecretRowsMemory.js"
import { SecretRowsPg } from "../../../src/layers/postgres/SecretRowsPg.js"
import { Accounts } from "../../../src/services/Accounts.js"
import { AuditTrail } from "../../../src/services/AuditTrail.js"
import { ConnectionAuthorizations } from "../../../src/services/ConnectionAuthorizations.js"
import { Connections } from "../../../src/services/Connections.js"
import { Credentials } from "../../../src/services/Credentials.js"
import { PlatformKeys } from "../../../src/services/PlatformKeys.js"
import { SecretRotation } from "../../../src/services/SecretRotation.js"
import { endpoint } from "../../support/catalog.js"
import { testDatabase } from "../../support/postgres.js"
import { newWorkspace, sharedDatabase } from "../../support/sharedDatabase.js"
import { sealingOf, secretsSuite } from "../../services/Secrets.suite.js"
import { rowsOf } from "../../../src/layers/postgres/database/Rows.js"

secretsSuite("Secrets in memory", {
  rows: Layer.merge(
    SecretRowsMemory,
    Layer.provideMerge(Layer.merge(AccountsMemory, AuditTrailMemory), Layer.merge(IdsCrypto, MemoryStorageLayer))
  ),
  over: Layer.merge(SecretsOver, Layer.service(Accounts))
})
const database = sharedDatabase()
// Platform keys belong to no workspace, and a rotation is about all secrets: each test begins without any.
const noSecrets = Layer.effectDiscard(
  Effect.orDie(Effect.flatMap(Database, ({ sql, transact }) => transact(sql`truncate platform_keys, connections`)))
)
secretsSuite("Secrets in Postgres", {
  rows: Layer.mergeAll(SecretRowsPg, AccountsPg, AuditTrailPg, noSecrets).pipe(
    Layer.provideMerge(Layer.merge(IdsCrypto, database))
  ),
  over: Layer.merge(SecretsOver, Layer.service(Accounts))
})

describe("Secrets of two nodes", () => {
  const node = SecretsOver.pipe(
    Layer.provide([sealingOf("one", { one: 1 }), AuditTrailMemory]),
    Layer.provide([IdsCrypto, MemoryStorageLayer])
  )
  const provider = {
    id: ProviderId.make("p"),
    name: "P",
    baseUrl: "https://p.test",
    mock: false,
    auth: { type: "bearer" },
    ownKey: true,
    platformKey: true,
    fixed: [],
    facts: {}
  } as const

  it.effect("a key that one node sets is seen by the other within seconds", () =>
    Effect.gen(function* () {
      const here = yield* Credentials
      yield* Effect.provide(
        Effect.flatMap(PlatformKeys, (there) => there.set("p", Redacted.make("s"), commandLine)),
        node
      )
      assert.isFalse((yield* here.access(null)).of(provider).hasPlatformKey)
      yield* TestClock.adjust("3 seconds")
      assert.isTrue((yield* here.access(null)).of(provider).hasPlatformKey)
    }).pipe(Effect.provide(node), Effect.provide(SecretRowsMemory))
  )
})

it.effect("a workspace that has as many connections as it may gets no further one, and is told why", () =>
  Effect.gen(function* () {
    const rows = yield* SecretRows
    const full = { ...rows, countConnections: () => Effect.succeed(connectionsMax) }
    yield* Effect.gen(function* () {
      const { workspaceId } = yield* (yield* Accounts).createWorkspace("acme", commandLine)
      const refused = yield* Effect.flip(
        (yield* Connections).create(
          { workspaceId, providerId: "p", label: "mine", secret: Redacted.make("s"), expiresAt: null },
          commandLine
        )
      )
      const auth = {
        type: "oauth2_authorization_code",
        authorizationUrl: "https://p.test/auth",
        tokenUrl: "https://p.test/token"
      }
      const { provider } = endpoint({ id: "files", provider: { auth } })
      const input = { workspaceId, provider, label: "mine", expiresAt: null }
      yield* (yield* PlatformKeys).set(provider.id, Redacted.make("gateway:secret"), commandLine)
      const inBrowser = yield* Effect.flip((yield* ConnectionAuthorizations).begin(input, commandLine))
      for (const error of [refused, inBrowser])
        assert.deepStrictEqual(error._tag === "validation_error" && error.details, [
          { field: "label", message: "is one too many: 10000 connections at most, so delete one first" }
        ])
      assert.strictEqual((yield* (yield* Connections).list(workspaceId, { limit: 10, after: null })).items.length, 0)
    }).pipe(Effect.provide(SecretsOver), Effect.provideService(SecretRows, full))
  }).pipe(
    Effect.provide(
      Layer.mergeAll(AccountsMemory, AuditTrailMemory, SecretRowsMemory, sealingOf("one", { one: 1 })).pipe(
        Layer.provideMerge(Layer.merge(IdsCrypto, MemoryStorageLayer))
      )
    )
  )
)

it.effect("two connections at once do not both take the last room of a workspace", () =>
  Effect.gen(function* () {
    const rows = yield* SecretRows
    const { query, sql } = yield* Database
    const { workspaceId } = yield* newWorkspace
    const counted = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    const waitsForLock = Effect.repeat(query(sql`select from pg_locks where not granted`), {
      until: (waiting) => waiting.length > 0
    })
    const almostFull = SecretRows.of({
      ...rows,
      countConnections: (id) => Effect.map(rows.countConnections(id), (present) => present + connectionsMax - 1),
      // The first has found room. It goes on once the second waits for it, or has ended.
      insertConnection: (connection, sealed) =>
        connection.label === "first"
          ? Deferred.succeed(counted, undefined).pipe(
              Effect.zipRight(Effect.raceFirst(Deferred.await(ended), Effect.orDie(waitsForLock))),
              Effect.zipRight(rows.insertConnection(connection, sealed))
            )
          : rows.insertConnection(connection, sealed)
    })
    yield* Effect.gen(function* () {
      const connections = yield* Connections
      const make = (label: string) =>
        Effect.either(
          connections.create(
            { workspaceId, providerId: "p", label, secret: Redacted.make("s"), expiresAt: null },
            commandLine
          )
        )
      const second = Deferred.await(counted).pipe(
        Effect.zipRight(make("second")),
        Effect.ensuring(Deferred.succeed(ended, undefined))
      )
      const made = yield* Effect.all([make("first"), second], { concurrency: "unbounded" })
      assert.deepStrictEqual(made.map(Either.isRight), [true, false])
      assert.strictEqual((yield* connections.list(workspaceId, { limit: 10, after: null })).items.length, 1)
    }).pipe(Effect.provide(SecretsOver), Effect.provideService(SecretRows, almostFull))
  }).pipe(
    Effect.provide(
      Layer.mergeAll(AccountsPg, AuditTrailPg, SecretRowsPg, sealingOf("one", { one: 1 })).pipe(
        Layer.provideMerge(Layer.merge(IdsCrypto, testDatabase()))
      )
    )
  )
)

describe("Secrets in Postgres", () => {
  const layer = Layer.merge(SecretsPg([]), AccountsPg).pipe(
    Layer.provideMerge(Layer.mergeAll(IdsCrypto, testDatabase(), sealingOf("one", { one: 1 })))
  )

  it.effect("no row holds a secret in the clear, and a deleted connection holds none at all", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { workspaceId } = yield* (yield* Accounts).createWorkspace("acme", commandLine)
      const connections = yield* Connections
      const { connectionId } = yield* connections.create(
        {
          workspaceId,
          providerId: "p",
          label: "mine",
          secret: Redacted.make("canary-s3cret"),
          expiresAt: null
        },
        commandLine
      )
      yield* (yield* PlatformKeys).set("p", Redacted.make("canary-s3cret"), commandLine)
      const rows = yield* rowsOf(Schema.Struct({ sealed: Schema.instanceOf(Buffer) }))(
        query(sql`select sealed from connections union all select sealed from platform_keys`)
      )
      assert.lengthOf(rows, 2)
      for (const { sealed } of rows) assert.isFalse(sealed.includes("canary-s3cret"))
      yield* connections.delete(workspaceId, connectionId, commandLine)
      assert.deepStrictEqual(yield* query(sql`select sealed, key_id from connections`), [
        { sealed: null, key_id: null }
      ])
    }).pipe(Effect.provide(layer))
  )

  it.effect("a sealed secret that was moved to another row does not open", () =>
    Effect.gen(function* () {
      const { sql, transact } = yield* Database
      const accounts = yield* Accounts
      const connections = yield* Connections
      const victim = yield* accounts.createWorkspace("victim", commandLine)
      const thief = yield* accounts.createWorkspace("thief", commandLine)
      const make = (workspaceId: typeof thief.workspaceId) =>
        connections.create(
          { workspaceId, providerId: "p", label: "mine", secret: Redacted.make("s"), expiresAt: null },
          commandLine
        )
      const from = yield* make(victim.workspaceId)
      const to = yield* make(thief.workspaceId)
      yield* transact(
        sql`update connections set sealed = (select sealed from connections where connection_id = ${from.connectionId}) where connection_id = ${to.connectionId}`
      )
      assert.strictEqual(
        (yield* Effect.flip(connections.use(thief.workspaceId, to.connectionId)))._tag,
        "connection_unusable"
      )
    }).pipe(Effect.provide(layer))
  )
})

it.scopedLive("a rotation waits until every node that runs has the new key", () =>
  Effect.gen(function* () {
    const { query, sql } = yield* Database
    const rotation = (current: string, ids: Readonly<Record<string, number>>) =>
      Effect.provide(SecretRotation, Layer.provide(SecretsPg([]), sealingOf(current, ids)))
    const both = { one: 1, two: 2 }
    yield* Effect.flatMap(PlatformKeys, (keys) => keys.set("p", Redacted.make("s"), commandLine)).pipe(
      Effect.provide(Layer.provide(SecretsPg([]), sealingOf("one", { one: 1 })))
    )
    // A node of the version before says nothing of its keys, and one that died long ago needs none.
    yield* query(sql`
      insert into nodes (node_id, role, version, host, sealing_keys, started_at, last_seen_at)
      select id, 'all', '0', 'h', keys, 1, (extract(epoch from now()) * 1000)::bigint - silent
      from (values ('lacks', array['one'], 0), ('has', array['one', 'two'], 0), ('old', null, 0), ('dead', array['one'], 3600000))
        as node (id, keys, silent)`)
    const { reseal, waiting } = yield* rotation("two", both)
    const refused = yield* Effect.flip(reseal(commandLine))
    assert.include(refused.message, "1 node that runs lacks the sealing key two")
    assert.deepStrictEqual((yield* waiting).refused?.message, refused.message)
    yield* query(sql`update nodes set sealing_keys = array['one', 'two'] where node_id = 'lacks'`)
    assert.isNull((yield* waiting).refused)
    assert.deepStrictEqual(yield* reseal(commandLine), { resealed: 1, unreadable: 0 })
  }).pipe(Effect.provide(Layer.mergeAll(IdsCrypto, testDatabase())))
)

it.effect("a rotation notes each secret that it sealed anew, with the keys before and after", () =>
  Effect.gen(function* () {
    const under = (sealing: ReturnType<typeof sealingOf>) => Layer.provide(SecretsOver, sealing)
    const { workspaceId } = yield* (yield* Accounts).createWorkspace("acme", commandLine)
    const { connectionId } = yield* Effect.gen(function* () {
      yield* (yield* PlatformKeys).set("p", Redacted.make("s"), commandLine)
      return yield* (yield* Connections).create(
        { workspaceId, providerId: "p", label: "own", secret: Redacted.make("t"), expiresAt: null },
        commandLine
      )
    }).pipe(Effect.provide(under(sealingOf("one", { one: 1 }))))
    yield* Effect.flatMap(SecretRotation, (rotation) => rotation.reseal(commandLine)).pipe(
      Effect.provide(under(sealingOf("two", { one: 1, two: 2 })))
    )
    const entries = yield* (yield* AuditTrail).list({}, { limit: 10, after: null })
    const found = entries.items.filter(({ action }) => action.endsWith("resealed"))
    const sealed = { before: { sealedWith: "one" }, after: { sealedWith: "two" } }
    assert.deepStrictEqual(
      found.map(({ action, after, before, subjectId }) => ({ action, subjectId, before, after })),
      [
        { action: "platform_key.resealed", subjectId: "p", ...sealed },
        { action: "connection.resealed", subjectId: connectionId, ...sealed }
      ]
    )
  }).pipe(
    Effect.provide(
      Layer.mergeAll(AccountsMemory, AuditTrailMemory, SecretRowsMemory).pipe(
        Layer.provideMerge(Layer.merge(IdsCrypto, MemoryStorageLayer))
      )
    )
  )
)
