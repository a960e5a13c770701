import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, type Redacted } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { Accounts } from "../../../src/services/Accounts.js"
import { Tokens } from "../../../src/services/Tokens.js"
import { tokensSuite } from "../../services/Tokens.suite.js"
import { storagePg, storagePgByClock } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

tokensSuite("Tokens in Postgres", Layer.provide(storagePgByClock, sharedDatabase()))

describe("Tokens of two nodes over one Postgres", () => {
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
