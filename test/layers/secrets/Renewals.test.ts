/** The rows under connections, renewals and authorizations: one node at a time renews, a way back is taken once. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, TestClock } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { ConnectionId } from "../../../src/domain/Ids.js"
import type { StorageError } from "../../../src/domain/StorageErrors.js"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { SecretRowsMemory } from "../../../src/layers/memory/SecretRowsMemory.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { AuditTrailPg } from "../../../src/layers/postgres/AuditTrailPg.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { DatabaseNow } from "../../../src/layers/postgres/database/Now.js"
import { SecretRowsPg } from "../../../src/layers/postgres/SecretRowsPg.js"
import { SecretRows } from "../../../src/layers/secrets/SecretRows.js"
import type { Accounts } from "../../../src/services/Accounts.js"
import { AuditTrail, type Changing, unchanged } from "../../../src/services/AuditTrail.js"
import { eventually } from "../../support/eventually.js"
import { newWorkspace, sharedDatabase } from "../../support/sharedDatabase.js"

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const facts = { scopes: ["files.read"], accessUntil: 1, renewable: true, refused: null }
const sealed = { keyId: "one", bytes: bytes("sealed") }

const suite = (name: string, rows: Layer.Layer<Accounts | AuditTrail | SecretRows>) =>
  describe(name, () => {
    it.effect(
      "one at a time holds a renewal, a lost one is known as interrupted, and no newer secret is replaced",
      () =>
        Effect.gen(function* () {
          const { workspaceId } = yield* newWorkspace
          const stored = yield* SecretRows
          const trail = yield* AuditTrail
          const place = { workspaceId, connectionId: ConnectionId.make(`con_${"7".repeat(26)}`) }
          const connection = {
            ...place,
            providerId: "p",
            label: "mine",
            createdAt: 1,
            expiresAt: null,
            oauth: facts
          }
          yield* trail.change(commandLine, Effect.as(stored.insertConnection(connection, sealed), unchanged(undefined)))
          const claim = (holder: string, millis: number) =>
            Effect.map(stored.claimRenewal(place, holder, millis), (found) =>
              found === null ? null : [found.claimed, found.interrupted]
            )
          const both = yield* Effect.all([claim("a", 60_000), claim("b", 60_000)], { concurrency: "unbounded" })
          assert.deepStrictEqual(
            [...both].sort((left, right) => Number(left?.[0]) - Number(right?.[0])),
            [
              [false, false],
              [true, false]
            ]
          )
          const [winner, loser] = both[0]?.[0] === true ? ["a", "b"] : ["b", "a"]
          const next = { ...sealed, bytes: bytes("next") }
          const other = { ...sealed, bytes: bytes("other") }
          assert.isFalse(yield* stored.storeRenewed(place, { holder: loser!, before: other }, next, facts))
          assert.isTrue(
            yield* stored.storeRenewed(place, { holder: winner!, before: sealed }, next, { ...facts, accessUntil: 2 })
          )
          const kept = yield* stored.connection(workspaceId, place.connectionId)
          assert.deepStrictEqual(kept?.connection.oauth, { ...facts, accessUntil: 2 })
          assert.strictEqual(Buffer.from(kept?.sealed?.bytes ?? []).toString(), "next")
          // A node that dies leaves its lease behind; who comes after it knows.
          assert.deepStrictEqual(yield* claim("dies", 0), [true, false])
          assert.deepStrictEqual(yield* claim("after", 60_000), [true, true])
          assert.isFalse(yield* stored.storeRenewed(place, { holder: "dies", before: sealed }, other, facts))
          const refused = { ...facts, renewable: false, refused: { at: 3, reason: "over" } }
          const refuse = (holder: string, before = next) =>
            trail.change(commandLine, Effect.map(stored.refuseRenewal(place, { holder, before }, refused), unchanged))
          assert.isFalse(yield* refuse("dies"))
          // One that lives, and comes late with the tokens that followed these, takes the renewal from nobody.
          assert.isTrue(yield* stored.storeRenewed(place, { holder: "dies", before: next }, other, facts))
          assert.deepStrictEqual(yield* claim("another", 60_000), [false, false])
          assert.isFalse(yield* refuse("after", next))
          assert.isTrue(yield* refuse("after", other))
          assert.deepStrictEqual(yield* claim("last", 60_000), [true, false])
          assert.deepStrictEqual(
            (yield* stored.newestConnection(workspaceId, "p", 0))?.connection.oauth?.refused,
            refused.refused
          )
          yield* trail.change(
            commandLine,
            Effect.as(stored.deleteConnection(workspaceId, place.connectionId, 4), unchanged(undefined))
          )
          assert.isNull(yield* claim("late", 60_000))
          assert.isFalse(yield* stored.storeRenewed(place, { holder: "last", before: other }, next, facts))
        }).pipe(Effect.provide(rows))
    )

    it.effect("the lease of a renewal ends by the clock of the storage", () =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const stored = yield* SecretRows
        const place = { workspaceId, connectionId: ConnectionId.make(`con_${"5".repeat(26)}`) }
        const connection = { ...place, providerId: "p", label: "mine", createdAt: 1, expiresAt: null, oauth: facts }
        yield* (yield* AuditTrail).change(
          commandLine,
          Effect.as(stored.insertConnection(connection, sealed), unchanged(undefined))
        )
        const claimed = (holder: string) =>
          Effect.map(stored.claimRenewal(place, holder, 45_000), (found) => found?.claimed)
        assert.isTrue(yield* claimed("first"))
        yield* TestClock.adjust(44_999)
        assert.isFalse(yield* claimed("second"))
        yield* TestClock.adjust(1)
        assert.isTrue(yield* claimed("second"))
      }).pipe(Effect.provide(rows))
    )

    it.effect("a connection is inserted once, and its deletion tells what it held then", () =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const stored = yield* SecretRows
        const change = <A>(work: Effect.Effect<A, StorageError, Changing>) =>
          Effect.flatMap(AuditTrail, (trail) => trail.change(commandLine, Effect.map(work, unchanged)))
        const place = { workspaceId, connectionId: ConnectionId.make(`con_${"6".repeat(26)}`) }
        const connection = { ...place, providerId: "p", label: "mine", createdAt: 1, expiresAt: null, oauth: facts }
        assert.isTrue(yield* change(stored.insertConnection(connection, sealed)))
        assert.isFalse(yield* change(stored.insertConnection({ ...connection, label: "again" }, sealed)))
        const gone = yield* change(stored.deleteConnection(workspaceId, place.connectionId, 2))
        assert.deepStrictEqual(gone?.connection, connection)
        assert.deepStrictEqual(
          [gone?.sealed?.keyId, Buffer.from(gone?.sealed?.bytes ?? []).toString()],
          ["one", "sealed"]
        )
        assert.isNull((yield* stored.connection(workspaceId, place.connectionId))?.sealed)
        assert.isNull(yield* change(stored.deleteConnection(workspaceId, place.connectionId, 3)))
      }).pipe(Effect.provide(rows))
    )

    it.effect("of each workspace and provider, it tells until when one of its connections can be used", () =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const stored = yield* SecretRows
        const trail = yield* AuditTrail
        const refused = { ...facts, refused: { at: 3, reason: "over" } }
        const made = [
          { providerId: "ends", expiresAt: 5, oauth: null },
          { providerId: "ends", expiresAt: 9, oauth: facts },
          { providerId: "ends", expiresAt: 7, oauth: null },
          { providerId: "stays", expiresAt: 5, oauth: null },
          { providerId: "stays", expiresAt: null, oauth: null },
          { providerId: "refused", expiresAt: null, oauth: refused },
          { providerId: "partly", expiresAt: 5, oauth: facts },
          { providerId: "partly", expiresAt: null, oauth: refused },
          { providerId: "deleted", expiresAt: null, oauth: null }
        ].map((each, at) => ({
          ...each,
          workspaceId,
          connectionId: ConnectionId.make(`con_${String(at).repeat(26)}`),
          label: "mine",
          createdAt: 1
        }))
        const gone = made[8]?.connectionId ?? ""
        yield* trail.change(
          commandLine,
          Effect.as(
            Effect.zipRight(
              Effect.forEach(made, (each) => stored.insertConnection(each, sealed)),
              stored.deleteConnection(workspaceId, gone, 2)
            ),
            unchanged(undefined)
          )
        )
        const expiries = yield* stored.lastExpiries([workspaceId])
        assert.deepStrictEqual(expiries.map(({ expiresAt, providerId }) => [providerId, expiresAt]).sort(), [
          ["ends", 9],
          ["partly", 5],
          ["stays", null]
        ])
        const counted = yield* trail.change(commandLine, Effect.map(stored.countConnections(workspaceId), unchanged))
        assert.strictEqual(counted, 8)
      }).pipe(Effect.provide(rows))
    )

    it.effect("a way back is taken once, in time, by the browser that left first", () =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const stored = yield* SecretRows
        const trail = yield* AuditTrail
        const [link, browser, other, state, settings] = ["link", "browser", "other", "state", "settings"].map((text) =>
          bytes(`${text} ${workspaceId}`)
        ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
        const row = {
          linkDigest: link,
          workspaceId,
          connectionId: ConnectionId.make(`con_${"8".repeat(26)}`),
          providerId: "p",
          label: "mine",
          connectionExpiresAt: null,
          begunBy: commandLine,
          createdAt: 1_000,
          expiresAt: 2_000
        }
        yield* trail.change(commandLine, Effect.as(stored.insertAuthorization(row), unchanged(undefined)))
        assert.strictEqual((yield* stored.authorization(link, 1_999))?.label, "mine")
        assert.isNull(yield* stored.authorization(link, 2_000))
        const leaving = { browserDigest: browser, stateDigest: state, settingsDigest: settings }
        assert.isFalse(yield* stored.leaveAuthorization(link, leaving, 2_000))
        assert.isTrue(yield* stored.leaveAuthorization(link, leaving, 1_500))
        assert.isFalse(yield* stored.leaveAuthorization(link, { ...leaving, browserDigest: other }, 1_500))
        assert.isTrue(yield* stored.leaveAuthorization(link, leaving, 1_500))
        assert.isNull(yield* stored.takeAuthorization(state, other, 1_500))
        assert.isNull(yield* stored.takeAuthorization(state, browser, 2_000))
        const taken = yield* Effect.all(
          [stored.takeAuthorization(state, browser, 1_500), stored.takeAuthorization(state, browser, 1_500)],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(taken.filter((each) => each !== null).length, 1)
        const [found] = taken.filter((each) => each !== null)
        assert.deepStrictEqual(found?.row.begunBy, commandLine)
        assert.deepStrictEqual(Buffer.from(found?.settingsDigest ?? []), Buffer.from(settings))
        assert.isNull(yield* stored.authorization(link, 1_500))
      }).pipe(Effect.provide(rows))
    )
  })

suite(
  "Renewals in memory",
  Layer.merge(
    SecretRowsMemory,
    Layer.provideMerge(Layer.merge(AccountsMemory, AuditTrailMemory), Layer.merge(IdsCrypto, MemoryStorageLayer))
  )
)
const postgres = Layer.mergeAll(SecretRowsPg, AccountsPg, AuditTrailPg).pipe(
  Layer.provideMerge(Layer.merge(IdsCrypto, sharedDatabase()))
)
suite(
  "Renewals in Postgres",
  Layer.provide(
    postgres,
    // Postgres cannot be told what time it is, so its clock is that of the test.
    Layer.succeed(
      DatabaseNow,
      Effect.map(Clock.currentTimeMillis, (millis) => `${millis}::bigint`)
    )
  )
)

describe("Claims of a renewal in Postgres", () => {
  const connected = Effect.gen(function* () {
    const { workspaceId } = yield* newWorkspace
    const stored = yield* SecretRows
    const place = { workspaceId, connectionId: ConnectionId.make(`con_${"9".repeat(26)}`) }
    const connection = { ...place, providerId: "p", label: "mine", createdAt: 1, expiresAt: null, oauth: facts }
    yield* (yield* AuditTrail).change(
      commandLine,
      Effect.as(stored.insertConnection(connection, sealed), unchanged(undefined))
    )
    return { place, stored }
  })

  it.effect("one that is held is read and neither written nor locked", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { place, stored } = yield* connected
      const version = query(
        sql`select ctid::text, xmin::text, xmax::text from connections where workspace_id = ${place.workspaceId} and connection_id = ${place.connectionId}`
      )
      assert.isTrue((yield* stored.claimRenewal(place, "first", 60_000))?.claimed)
      const before = yield* version
      const found = yield* stored.claimRenewal(place, "second", 60_000)
      assert.deepStrictEqual([found?.claimed, found?.interrupted, found?.row.connection.oauth], [false, false, facts])
      assert.strictEqual(Buffer.from(found?.row.sealed?.bytes ?? []).toString(), "sealed")
      assert.deepStrictEqual(yield* version, before)
    }).pipe(Effect.provide(postgres))
  )

  it.effect("one that waits for the row gets the tokens that were stored meanwhile", () =>
    Effect.gen(function* () {
      const { query, sql, transact } = yield* Database
      const { place, stored } = yield* connected
      // The lease is over, so the second may claim, while the first still stores what it got.
      assert.isTrue((yield* stored.claimRenewal(place, "first", 0))?.claimed)
      const begin = yield* Effect.makeLatch()
      const second = yield* Effect.fork(begin.whenOpen(stored.claimRenewal(place, "second", 60_000)))
      // A transaction goes on seeing the activity that it saw first, until it is told to look again.
      const waiting = Effect.zipRight(
        query(sql`select pg_stat_clear_snapshot()`),
        query(
          sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%renewed_by%'`
        )
      )
      yield* transact(
        Effect.gen(function* () {
          assert.isTrue(
            yield* stored.storeRenewed(
              place,
              { holder: "first", before: sealed },
              { ...sealed, bytes: bytes("next") },
              facts
            )
          )
          yield* begin.open
          // One that fails meanwhile waits no more.
          yield* Effect.raceFirst(
            eventually(waiting, (rows) => rows.length > 0),
            Fiber.await(second)
          )
        })
      )
      const found = yield* Fiber.join(second)
      assert.deepStrictEqual([found?.claimed, found?.interrupted], [true, false])
      assert.strictEqual(Buffer.from(found?.row.sealed?.bytes ?? []).toString(), "next")
    }).pipe(Effect.provide(postgres))
  )
})
