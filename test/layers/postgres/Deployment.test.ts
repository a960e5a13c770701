/** What keeps production apart from development, and one node's sealing keys from another's, on real Postgres. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Layer, Redacted, TestClock, Schema } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { Accounts } from "../../../src/services/Accounts.js"
import { Connections } from "../../../src/services/Connections.js"
import { PlatformKeys } from "../../../src/services/PlatformKeys.js"
import { AuditTrail } from "../../../src/services/AuditTrail.js"
import { Sessions } from "../../../src/services/Sessions.js"
import { Sealing } from "../../../src/services/Sealing.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { publicUrlProblem, readConfig } from "../../../src/layers/node/Config.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { ensureDemoWorkspace, tokenFile } from "../../../src/layers/accounts/DemoWorkspace.js"
import { enterDeployment } from "../../../src/layers/postgres/Deployment.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { assertSecretsOpen, SealingPg } from "../../../src/layers/postgres/SealingPg.js"
import { SecretsPg } from "../../../src/layers/compose/SecretsOnPostgres.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { newWorkspace } from "../../support/sharedDatabase.js"
import { signInTo } from "../../support/signIn.js"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { rowOf } from "../../../src/layers/postgres/database/Rows.js"

const withEnvironment = (entries: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(entries))))
const key = (fill: number) => Buffer.alloc(32, fill).toString("base64")
const production = { NODE_ENV: "production", DATABASE_URL: "postgres://nowhere/db" }

describe("GATEWAY_PUBLIC_URL", () => {
  it.effect("is asked for at the start where links would name an address that leads nobody here", () =>
    Effect.gen(function* () {
      const told = (entries: Readonly<Record<string, string>>) =>
        Effect.map(withEnvironment(entries)(readConfig), publicUrlProblem)
      for (const HOST of ["0.0.0.0", "::", "0:0:0:0:0:0:0:0"]) {
        assert.include(yield* told({ HOST }), "set GATEWAY_PUBLIC_URL", HOST)
        assert.isNull(yield* told({ HOST, GATEWAY_PUBLIC_URL: "https://gateway.example" }), HOST)
      }
      assert.isNull(yield* told({}))
      // What `gateway doctor` calls wrong, the start warns of.
      const here = { ...production, GATEWAY_SEALING_KEYS: `k1:${key(1)}` }
      assert.include(
        yield* told({ ...here, GATEWAY_PUBLIC_URL: "http://127.0.0.1:8080" }),
        "only this machine can reach"
      )
      assert.isNull(yield* told({ HOST: "::1" }))
      assert.strictEqual((yield* withEnvironment({ HOST: "::1" })(readConfig)).publicUrl, "http://[::1]:8080")
    })
  )
})

describe("NODE_ENV", () => {
  it.effect("takes production, development and test, and nothing that only looks like one of them", () =>
    Effect.gen(function* () {
      for (const [mode, expected] of [
        ["production", true],
        ["development", false],
        ["test", false]
      ] as const) {
        const config = yield* withEnvironment({ ...production, NODE_ENV: mode })(readConfig)
        assert.deepStrictEqual([config.production, config.fixtures], [expected, !expected])
      }
      assert.isFalse((yield* withEnvironment({})(readConfig)).production)
      for (const mode of ["Production", "prod", "production ", "PRODUCTION", "staging", ""]) {
        const refused = yield* Effect.flip(withEnvironment({ ...production, NODE_ENV: mode })(readConfig))
        assert.include(String(refused), "NODE_ENV")
      }
    })
  )
})

describe("sealing keys and the database", () => {
  const start = (keys: string) =>
    withEnvironment({ GATEWAY_SEALING_KEYS: keys })(Layer.build(SealingPg({ keyFile: null })))

  it.scoped(
    "a key id is one key for ever, on every node: other bytes under a known id stop the start, and the message shows none of them",
    () =>
      Effect.gen(function* () {
        yield* start(`k1:${key(1)}`)
        yield* start(`k2:${key(2)},k1:${key(1)}`)
        for (const wrong of [`k1:${key(3)}`, `k3:${key(3)},k2:${key(4)}`]) {
          const refused = yield* Effect.flip(start(wrong))
          assert.strictEqual(refused._tag, "SealingKeyMismatch")
          for (const fill of [1, 2, 3, 4]) assert.notInclude(String(refused), key(fill))
        }
        // What was refused has changed nothing.
        yield* start(`k1:${key(1)},k2:${key(2)}`)
        const { query, sql } = yield* Database
        const row = yield* rowOf(Schema.Struct({ text: Schema.String }))(
          query(sql`select string_agg(row_to_json(k)::text, '') as text from sealing_keys k`)
        )
        for (const fill of [1, 2])
          for (const spelling of ["base64", "hex"] as const)
            assert.notInclude(row?.text ?? "", Buffer.alloc(32, fill).toString(spelling))
      }).pipe(Effect.provide([testDatabase(), NodeContext.layer]))
  )

  it.scoped("of two nodes that start at once with different bytes, one starts", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        [1, 2].map((fill) => Effect.either(start(`k1:${key(fill)}`))),
        { concurrency: 2 }
      )
      assert.lengthOf(answers.filter(Either.isRight), 1)
    }).pipe(Effect.provide([testDatabase(), NodeContext.layer]))
  )

  it.scoped(
    "a node without a key that usable secrets are sealed with does not start, and the message names the key and what to do",
    () =>
      Effect.gen(function* () {
        const nodeWith = (keys: string) =>
          withEnvironment({ GATEWAY_SEALING_KEYS: keys })(
            Effect.map(start(keys), (context) => Layer.succeedContext(context))
          )
        const before = yield* nodeWith(`k1:${key(1)}`)
        const after = yield* nodeWith(`k2:${key(2)}`)
        const secretsOf = (node: Layer.Layer<Sealing>) => Layer.provide(SecretsPg([]), Layer.merge(node, IdsCrypto))
        const opens = (node: Layer.Layer<Sealing>) => Effect.provide(assertSecretsOpen, node)
        const { workspaceId } = yield* newWorkspace
        yield* opens(after)

        const made = yield* Effect.gen(function* () {
          const connections = yield* Connections
          const make = (expiresAt: number | null) =>
            connections.create(
              { workspaceId, providerId: "p", label: "mine", secret: Redacted.make("s"), expiresAt },
              commandLine
            )
          yield* make(1_000)
          yield* (yield* PlatformKeys).set("p", Redacted.make("s"), commandLine)
          return yield* make(null)
        }).pipe(Effect.provide(secretsOf(before)))
        yield* TestClock.setTime(1_000)

        const refused = yield* Effect.flip(opens(after))
        if (refused._tag !== "SealingKeysMissing") return assert.fail(refused._tag)
        assert.deepStrictEqual([refused.keyIds, refused.secrets], [["k1"], 2])
        for (const word of ["GATEWAY_SEALING_KEYS", "k1", "gateway secrets rotate"])
          assert.include(refused.message, word)
        for (const fill of [1, 2]) assert.notInclude(refused.message, key(fill))

        // With both keys it starts; so it does without the old one once nothing usable is sealed with it.
        yield* opens(yield* nodeWith(`k2:${key(2)},k1:${key(1)}`))
        yield* Effect.provide(
          Effect.flatMap(Connections, (connections) => connections.delete(workspaceId, made.connectionId, commandLine)),
          secretsOf(after)
        )
        assert.strictEqual((yield* Effect.flip(opens(after)))._tag, "SealingKeysMissing")
        yield* Effect.provide(
          Effect.flatMap(PlatformKeys, (keys) => keys.set("p", Redacted.make("new"), commandLine)),
          secretsOf(after)
        )
        yield* opens(after)
      }).pipe(
        Effect.provide([Layer.provideMerge(AccountsPg, Layer.merge(IdsCrypto, testDatabase())), NodeContext.layer])
      )
  )

  it.scoped("in production no key is made: without configured ones the start fails, and no file appears", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(withEnvironment({})(Effect.provide(Sealing, SealingPg({ keyFile: null }))))
      assert.include(String(refused), "GATEWAY_SEALING_KEYS")
    }).pipe(Effect.provide([testDatabase(), NodeContext.layer]))
  )
})

describe("a database in production", () => {
  const storage = () => Layer.mergeAll(Layer.provideMerge(storagePg, testDatabase()), NodeContext.layer)

  it.scoped("refuses a node that was started for development, and development goes on in another", () =>
    Effect.gen(function* () {
      yield* enterDeployment(false)
      yield* enterDeployment(true)
      yield* enterDeployment(true)
      const refused = yield* Effect.flip(enterDeployment(false))
      assert.strictEqual(refused._tag, "DatabaseInProduction")
      assert.include(refused.message, "NODE_ENV")
    }).pipe(Effect.provide(storage()))
  )

  it.scoped("makes one demo workspace for nodes that start at once, with the credit of one", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folders = yield* Effect.replicateEffect(files.makeTempDirectoryScoped(), 4)
      // Each has its connection before they begin.
      const { query, sql } = yield* Database
      yield* Effect.forEach(folders, () => query(sql`select pg_sleep(0.2)`), { concurrency: "unbounded" })
      yield* Effect.forEach(folders, ensureDemoWorkspace, { concurrency: "unbounded", discard: true })
      const [only, ...others] = yield* (yield* Accounts).workspaces
      assert.deepStrictEqual([only?.name, others], ["demo", []])
      if (only !== undefined)
        assert.strictEqual((yield* (yield* Wallet).balance(only.workspaceId)).availableMicros, 100_000_000)
    }).pipe(Effect.provide(storage()))
  )

  it.scoped(
    "takes no token of the demo workspace and no session that development left in it, and leaves other tokens and later ones alone",
    () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const files = yield* FileSystem.FileSystem
        const folder = yield* files.makeTempDirectoryScoped()
        yield* ensureDemoWorkspace(folder)
        const left = Redacted.make((yield* files.readFileString(yield* tokenFile(folder))).trim())
        const { workspaceId } = yield* newWorkspace
        const made = yield* accounts.createToken(
          {
            workspaceId,
            label: "development",
            scopes: ["catalog:read"],
            monthlyLimitMicros: null,
            expiresAt: null
          },
          commandLine
        )
        const demo = (yield* accounts.authenticate(left)).workspaceId
        const token = { scopes: ["catalog:read"], monthlyLimitMicros: null, expiresAt: null } as const
        const byHand = yield* accounts.createToken({ ...token, workspaceId: demo, label: "mine" }, commandLine)
        const { query, sql } = yield* Database
        const sessions = query(sql`select 1 from sessions`)
        const signedIn = yield* signInTo(workspaceId, "owner")
        assert.lengthOf(yield* sessions, 1)
        yield* enterDeployment(true)
        for (const one of [left, byHand.token])
          assert.strictEqual((yield* Effect.flip(accounts.authenticate(one)))._tag, "token_revoked")
        yield* accounts.authenticate(made.token)
        assert.lengthOf(yield* sessions, 0)
        const trail = yield* (yield* AuditTrail).list({ action: "token.revoked" }, { limit: 10, after: null })
        assert.deepStrictEqual(
          trail.items.map(({ actor, workspaceId }) => [actor.kind, workspaceId]),
          [
            ["gateway", demo],
            ["gateway", demo]
          ]
        )
        // Later starts take nothing away.
        const later = yield* accounts.createToken({ ...token, workspaceId: demo, label: "development" }, commandLine)
        yield* (yield* Sessions).signIn(signedIn.member.memberId, {
          origin: { from: null, requestId: null },
          replaces: null
        })
        yield* enterDeployment(true)
        yield* accounts.authenticate(later.token)
        assert.lengthOf(yield* sessions, 1)
      }).pipe(Effect.provide(storage()))
  )
})
