import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Either, Layer, type Redacted } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { personActing } from "../../../src/domain/Member.js"
import { Accounts } from "../../../src/services/Accounts.js"
import { Members } from "../../../src/services/Members.js"
import { Sessions } from "../../../src/services/Sessions.js"
import { Tokens } from "../../../src/services/Tokens.js"
import { tokensSuite } from "../../services/Tokens.suite.js"
import { storagePg, storagePgByClock } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { signInTo } from "../../support/signIn.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

tokensSuite("Tokens in Postgres", Layer.provide(storagePgByClock, sharedDatabase()))

describe("Tokens of two nodes over one Postgres", () => {
  it.live("a token that a person makes while they are removed with their tokens is revoked too, or not made", () =>
    Effect.gen(function* () {
      const here = yield* Layer.build(Layer.fresh(storagePg))
      const there = yield* Layer.build(Layer.fresh(storagePg))
      const [accounts, members] = [Context.get(here, Accounts), Context.get(there, Members)]
      const { workspaceId } = yield* accounts.createWorkspace("two nodes", commandLine)
      const asked = { label: "a", scopes: ["runs:read"] } as const
      for (let round = 0; round < 20; round += 1) {
        const { member, session } = yield* Effect.provide(signInTo(workspaceId, "member"), here)
        const caller = yield* Context.get(here, Sessions).principal(session, workspaceId)
        const by = personActing(member, { from: null, requestId: null })
        const [made, removed] = yield* Effect.all(
          [
            Effect.either(Context.get(here, Tokens).create(caller, asked, by)),
            members.remove(workspaceId, member.memberId, { revokeTokens: true }, commandLine)
          ],
          { concurrency: 2 }
        )
        if (Either.isLeft(made)) {
          assert.strictEqual(made.left._tag, "forbidden")
          assert.deepStrictEqual(removed.tokens, [])
        } else {
          assert.deepStrictEqual(removed.tokens, [made.right.token.tokenId])
          assert.strictEqual((yield* Effect.flip(accounts.authenticate(made.right.secret)))._tag, "token_revoked")
        }
      }
    }).pipe(Effect.scoped, Effect.provide(testDatabase()))
  )

  it.effect("what one node revokes or renews, the other refuses from the next request on", () =>
    Effect.gen(function* () {
      const here = yield* Layer.build(Layer.fresh(storagePg))
      const there = yield* Layer.build(Layer.fresh(storagePg))
      const [accounts, tokens] = [Context.get(here, Accounts), Context.get(here, Tokens)]
      const { workspaceId } = yield* accounts.createWorkspace("two nodes", commandLine)
      const asked = { label: "a", scopes: ["account:manage"], monthlyLimitMicros: null, expiresAt: null } as const
      const { token: first, tokenId } = yield* accounts.createToken({ ...asked, workspaceId }, commandLine)
      const caller = yield* accounts.authenticate(first)
      const answerThere = (secret: Redacted.Redacted<string>) =>
        Effect.match(Context.get(there, Accounts).authenticate(secret), {
          onSuccess: () => "works",
          onFailure: ({ _tag }) => _tag
        })
      assert.strictEqual(yield* answerThere(first), "works")
      const { secret: second } = yield* tokens.rotate(caller, tokenId, 0, commandLine)
      assert.deepStrictEqual([yield* answerThere(first), yield* answerThere(second)], ["unauthorized", "works"])
      const child = yield* tokens.create(caller, asked, {
        kind: "token",
        tokenId,
        workspaceId,
        from: null,
        requestId: null
      })
      assert.strictEqual(yield* answerThere(child.secret), "works")
      yield* tokens.revoke(caller, tokenId, commandLine)
      assert.deepStrictEqual(
        [yield* answerThere(second), yield* answerThere(child.secret)],
        ["token_revoked", "token_revoked"]
      )
    }).pipe(Effect.scoped, Effect.provide(testDatabase()))
  )
})
