import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MembersMemory } from "../../../src/layers/memory/MembersMemory.js"
import { MemoryStorage, MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { SessionsMemory } from "../../../src/layers/memory/SessionsMemory.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { AuditTrailPg } from "../../../src/layers/postgres/AuditTrailPg.js"
import { MembersPg } from "../../../src/layers/postgres/MembersPg.js"
import { SessionsPg } from "../../../src/layers/postgres/SessionsPg.js"
import { membersSuite } from "../../services/Members.suite.js"
import { newWorkspace, sharedDatabase } from "../../support/sharedDatabase.js"
import { Members } from "../../../src/services/Members.js"
import { Sessions } from "../../../src/services/Sessions.js"

membersSuite(
  "MembersMemory and SessionsMemory",
  Layer.merge(MembersMemory, SessionsMemory).pipe(
    Layer.provideMerge(Layer.merge(AccountsMemory, AuditTrailMemory)),
    Layer.provide([IdsCrypto, MemoryStorageLayer])
  )
)
membersSuite(
  "MembersPg and SessionsPg",
  Layer.merge(MembersPg, SessionsPg).pipe(
    Layer.provideMerge(Layer.merge(AccountsPg, AuditTrailPg)),
    Layer.provide([IdsCrypto, sharedDatabase()])
  )
)

it.live("cookies that are no session are looked up together, and take no connection each", () =>
  Effect.gen(function* () {
    const database = yield* Database
    let statements = 0
    const counting = Database.of({
      ...database,
      query: (statement) => {
        statements += 1
        return database.query(statement)
      }
    })
    yield* Effect.gen(function* () {
      const sessions = yield* Sessions
      const { workspaceId } = yield* newWorkspace
      const members = yield* Members
      const { memberId } = yield* members.add({ workspaceId, role: "owner", email: null, name: "Ada" }, commandLine)
      const origin = { from: "192.0.2.7", requestId: "req_test" }
      const { secret } = yield* sessions.signIn(memberId, { origin, replaces: null })
      const made = Array.from({ length: 200 }, () => Redacted.make(randomBytes(32).toString("base64url")))
      const before = statements
      const found = yield* Effect.forEach([...made, secret, ...made], (each) => sessions.find(each), {
        concurrency: "unbounded"
      })
      assert.isAtMost(statements - before, 4)
      assert.deepStrictEqual(
        found.flatMap((session) => session?.memberId ?? []),
        [memberId]
      )
    }).pipe(
      Effect.provide(Layer.merge(MembersPg, SessionsPg).pipe(Layer.provideMerge(AccountsPg))),
      Effect.provideService(Database, counting)
    )
  }).pipe(Effect.provide(Layer.merge(IdsCrypto, sharedDatabase())))
)

it.effect("a sign-in whose member is removed before its transaction makes no session, and no entry of the trail", () =>
  Effect.gen(function* () {
    const storage = yield* MemoryStorage
    const members = yield* Members
    const { workspaceId } = yield* newWorkspace
    const { memberId } = yield* members.add({ workspaceId, role: "owner", email: null, name: "Ada" }, commandLine)
    const removed = Effect.orDie(members.remove(workspaceId, memberId, { revokeTokens: false }, commandLine))
    const removedFirst = MemoryStorage.of({
      ...storage,
      transact: (work) => Effect.zipRight(removed, storage.transact(work))
    })
    const signIn = Effect.flatMap(Sessions, (sessions) =>
      sessions.signIn(memberId, { origin: { from: "192.0.2.7", requestId: "req_test" }, replaces: null })
    )
    const refused = yield* signIn.pipe(
      Effect.provide(SessionsMemory),
      Effect.provideService(MemoryStorage, removedFirst),
      Effect.flip
    )
    assert.strictEqual(refused._tag, "not_found")
    const { auditEntries, sessions } = yield* storage.read
    assert.deepStrictEqual([sessions, auditEntries.filter(({ action }) => action === "member.signed_in")], [[], []])
  }).pipe(
    Effect.provide(
      MembersMemory.pipe(
        Layer.provideMerge(AccountsMemory),
        Layer.provideMerge(Layer.merge(IdsCrypto, MemoryStorageLayer))
      )
    )
  )
)
