import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MembersMemory } from "../../../src/layers/memory/MembersMemory.js"
import { MemoryStorage, MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { SessionsMemory } from "../../../src/layers/memory/SessionsMemory.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
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
