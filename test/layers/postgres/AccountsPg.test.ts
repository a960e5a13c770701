import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { Accounts } from "../../../src/services/Accounts.js"
import { testDatabase } from "../../support/postgres.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"
import { accountsSuite } from "../../services/Accounts.suite.js"
import { rowOf } from "../../../src/layers/postgres/database/Rows.js"

const storage = Layer.merge(IdsCrypto, testDatabase())
accountsSuite("AccountsPg", Layer.provide(AccountsPg, Layer.merge(IdsCrypto, sharedDatabase())))

describe("AccountsPg storage", () => {
  it.effect("keeps the digest of a token and nothing that it could be made from", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { query, sql } = yield* Database
      const { workspaceId } = yield* accounts.createWorkspace("acme", commandLine)
      const { token } = yield* accounts.createToken(
        {
          workspaceId,
          label: "a",
          scopes: ["catalog:read"],
          monthlyLimitMicros: null,
          expiresAt: null
        },
        commandLine
      )
      const row = yield* rowOf(Schema.Struct({ text: Schema.String }))(
        query(sql`select row_to_json(t)::text as text from tokens t`)
      )
      // The secret is what follows the prefix and the id.
      assert.notInclude(row?.text ?? Redacted.value(token), Redacted.value(token).slice(30, 78))
    }).pipe(Effect.provide(Layer.provideMerge(AccountsPg, storage)))
  )

  it.effect("has the uses of tokens when a node stops before their minute is over", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const used = yield* Effect.scoped(
        Effect.gen(function* () {
          const accounts = Context.get(yield* Layer.build(AccountsPg), Accounts)
          const { workspaceId } = yield* accounts.createWorkspace("acme", commandLine)
          const { token, tokenId } = yield* accounts.createToken(
            { workspaceId, label: "a", scopes: ["catalog:read"], monthlyLimitMicros: null, expiresAt: null },
            commandLine
          )
          yield* accounts.authenticate(token)
          assert.deepStrictEqual(yield* query(sql`select token_id from token_last_uses`), [])
          return tokenId
        })
      )
      assert.deepStrictEqual(yield* query(sql`select token_id from token_last_uses`), [{ token_id: used }])
    }).pipe(Effect.provide(storage))
  )

  it.effect("creates the wallet of a workspace with it", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* (yield* Accounts).createWorkspace("acme", commandLine)
      const { query, sql } = yield* Database
      assert.deepStrictEqual(yield* query(sql`select workspace_id, available_micros from wallets`), [
        { workspace_id: workspaceId, available_micros: 0 }
      ])
    }).pipe(Effect.provide(Layer.provideMerge(AccountsPg, storage)))
  )
})
