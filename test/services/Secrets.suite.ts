/** What connections, platform keys, their rotation and the credentials of calls promise, over every storage. */
import { assert, it } from "@effect/vitest"
import { Effect, HashMap, Layer, Logger, Redacted, TestClock } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { type Auth, ProviderId } from "../../src/domain/Manifest.js"
import { SealingAesGcm, type SealingKeys } from "../../src/layers/secrets/SealingAesGcm.js"
import type { Secrets } from "../../src/layers/compose/Secrets.js"
import type { Accounts } from "../../src/services/Accounts.js"
import { Connections } from "../../src/services/Connections.js"
import { Credentials } from "../../src/services/Credentials.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import type { Sealing } from "../../src/services/Sealing.js"
import { SecretRotation } from "../../src/services/SecretRotation.js"
import { withLogLines } from "../support/logLines.js"
import { newWorkspace } from "../support/sharedDatabase.js"

const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const keys = (current: string, ids: Readonly<Record<string, number>>): SealingKeys => ({
  current,
  byId: new Map(Object.entries(ids).map(([id, byte]) => [id, key(byte)]))
})
export const sealingOf = (current: string, ids: Readonly<Record<string, number>>): Layer.Layer<Sealing> =>
  SealingAesGcm(keys(current, ids))

const providerOf = (auth: Auth, changes: { readonly ownKey?: boolean; readonly platformKey?: boolean } = {}) => ({
  id: ProviderId.make("acme-mail"),
  name: "Acme Mail",
  baseUrl: "https://mail.test",
  mock: false,
  auth,
  ownKey: true,
  platformKey: true,
  fixed: [],
  facts: {},
  ...changes
})
const bearer = providerOf({ type: "bearer" })

type Services = Secrets | Accounts
/** Storage that outlives the layers on top, so that they can be built again with other keys. */
export type Storage<S> = { readonly rows: Layer.Layer<S>; readonly over: Layer.Layer<Services, never, S | Sealing> }

export const secretsSuite = <S>(name: string, storage: Storage<S>) =>
  describe(name, () => {
    const withKeys = (sealing: Layer.Layer<Sealing>) => Layer.provide(storage.over, sealing)
    const test = (title: string, work: Effect.Effect<void, unknown, Services>) =>
      it.effect(title, () => Effect.provide(work, Layer.provide(withKeys(sealingOf("one", { one: 1 })), storage.rows)))
    const workspace = Effect.map(newWorkspace, ({ workspaceId }) => workspaceId)

    test(
      "a connection is used by the workspace that made it, and its secret is only in what a call takes",
      Effect.gen(function* () {
        const connections = yield* Connections
        const workspaceId = yield* workspace
        const made = yield* connections.create(
          {
            workspaceId,
            providerId: "acme-mail",
            label: "mine",
            secret: Redacted.make("canary-s3cret"),
            expiresAt: null
          },
          commandLine
        )
        assert.notInclude(JSON.stringify(made), "canary-s3cret")
        assert.deepStrictEqual(yield* connections.get(workspaceId, made.connectionId), made)
        assert.deepStrictEqual(yield* connections.list(workspaceId, { limit: 10, after: null }), {
          items: [made],
          next: null
        })
        const { connection, secret } = yield* connections.use(workspaceId, made.connectionId)
        assert.deepStrictEqual(connection, made)
        assert.strictEqual(Redacted.value(secret), "canary-s3cret")
      })
    )

    test(
      "variables of a connection are kept with it, go to its calls, and end with it",
      Effect.gen(function* () {
        const connections = yield* Connections
        const credentials = yield* Credentials
        const platformKeys = yield* PlatformKeys
        const workspaceId = yield* workspace
        const shops = {
          ...bearer,
          baseUrl: "https://{shop}.test",
          variables: { shop: { pattern: "[a-z]+", description: "The shop.", examples: ["acme"] as const } }
        }
        const make = (variables: Readonly<Record<string, string>>) =>
          connections.create(
            {
              workspaceId,
              providerId: "acme-mail",
              label: "mine",
              secret: Redacted.make("s"),
              expiresAt: null,
              variables
            },
            commandLine
          )
        const made = yield* make({ shop: "acme" })
        assert.deepStrictEqual(made.variables, { shop: "acme" })
        assert.deepStrictEqual(yield* connections.get(workspaceId, made.connectionId), made)
        assert.deepStrictEqual((yield* connections.list(workspaceId, { limit: 10, after: null })).items, [made])
        const resolve = (connectionId: string | null) =>
          credentials.resolve({ workspaceId, provider: shops, connectionId })
        const own = yield* resolve(null)
        assert.deepStrictEqual(own._tag === "None" ? null : own.variables, { shop: "acme" })
        const none = yield* make({})
        assert.notProperty(none, "variables")
        assert.strictEqual((yield* Effect.flip(resolve(none.connectionId)))._tag, "connection_invalid")
        yield* connections.delete(workspaceId, none.connectionId, commandLine)
        yield* connections.delete(workspaceId, made.connectionId, commandLine)
        yield* platformKeys.set("acme-mail", Redacted.make("p"), commandLine, { shop: "ours" })
        const platform = yield* resolve(null)
        assert.deepStrictEqual(platform._tag === "None" ? null : platform.variables, { shop: "ours" })
        assert.deepStrictEqual(
          (yield* platformKeys.list).map(({ variables }) => variables),
          [{ shop: "ours" }]
        )
        yield* platformKeys.set("acme-mail", Redacted.make("p"), commandLine)
        assert.strictEqual((yield* Effect.flip(resolve(null)))._tag, "platform_auth_incompatible")
        yield* platformKeys.remove("acme-mail", commandLine)
      })
    )

    test(
      "a private key and a JSON key of several lines are kept in one, and other lines are refused",
      Effect.gen(function* () {
        const connections = yield* Connections
        const workspaceId = yield* workspace
        const make = (secret: string) =>
          connections.create(
            { workspaceId, providerId: "acme-mail", label: "mine", secret: Redacted.make(secret), expiresAt: null },
            commandLine
          )
        const kept = (secret: string) =>
          Effect.gen(function* () {
            const { connectionId } = yield* make(secret)
            return Redacted.value((yield* connections.use(workspaceId, connectionId)).secret)
          })
        assert.strictEqual(
          yield* kept("-----BEGIN PRIVATE KEY-----\r\nAAAA\nBBBB\n-----END PRIVATE KEY-----\n"),
          "-----BEGIN PRIVATE KEY-----\\nAAAA\\nBBBB\\n-----END PRIVATE KEY-----"
        )
        assert.strictEqual(yield* kept('{\n  "private_key": "a\\nb"\n}\n'), '{"private_key":"a\\nb"}')
        // A number in it may have more digits than JavaScript keeps.
        assert.strictEqual(yield* kept('{\n"app": 12345678901234567890}'), '{"app":12345678901234567890}')
        for (const secret of ["a\nb", "{\nb", "-----BEGIN X\nb", '{"a":\n"\u0001"}'])
          assert.strictEqual((yield* Effect.flip(make(secret)))._tag, "validation_error")
      })
    )

    test(
      "another workspace's connection is no connection",
      Effect.gen(function* () {
        const connections = yield* Connections
        const credentials = yield* Credentials
        const { connectionId } = yield* connections.create(
          {
            workspaceId: yield* workspace,
            providerId: "acme-mail",
            label: "mine",
            secret: Redacted.make("s"),
            expiresAt: null
          },
          commandLine
        )
        const other = yield* workspace
        assert.strictEqual((yield* Effect.flip(connections.get(other, connectionId)))._tag, "not_found")
        assert.strictEqual((yield* Effect.flip(connections.delete(other, connectionId, commandLine)))._tag, "not_found")
        assert.strictEqual(
          (yield* Effect.flip(credentials.resolve({ workspaceId: other, provider: bearer, connectionId })))._tag,
          "connection_not_found"
        )
        assert.strictEqual(
          (yield* Effect.flip(credentials.resolve({ workspaceId: other, provider: bearer, connectionId: "con_x" })))
            ._tag,
          "connection_not_found"
        )
      })
    )

    test(
      "a deleted connection is gone from the list and unusable, and an expired one is unusable",
      Effect.gen(function* () {
        const connections = yield* Connections
        const credentials = yield* Credentials
        const workspaceId = yield* workspace
        const make = (expiresAt: number | null) =>
          connections.create(
            {
              workspaceId,
              providerId: "acme-mail",
              label: "mine",
              secret: Redacted.make("s"),
              expiresAt
            },
            commandLine
          )
        const deleted = yield* make(null)
        const expiring = yield* make(1000)
        yield* connections.delete(workspaceId, deleted.connectionId, commandLine)
        assert.strictEqual(
          (yield* Effect.flip(connections.delete(workspaceId, deleted.connectionId, commandLine)))._tag,
          "not_found"
        )
        assert.strictEqual((yield* Effect.flip(connections.get(workspaceId, deleted.connectionId)))._tag, "not_found")
        assert.deepStrictEqual((yield* connections.list(workspaceId, { limit: 10, after: null })).items, [expiring])
        assert.deepStrictEqual((yield* credentials.access(workspaceId)).of(bearer), {
          hasPlatformKey: false,
          hasConnection: true
        })
        yield* TestClock.setTime(1000)
        assert.deepStrictEqual((yield* credentials.access(workspaceId)).of(bearer), {
          hasPlatformKey: false,
          hasConnection: false
        })
        for (const { connectionId } of [deleted, expiring]) {
          assert.strictEqual(
            (yield* Effect.flip(credentials.resolve({ workspaceId, provider: bearer, connectionId })))._tag,
            "connection_unusable"
          )
        }
      })
    )

    test(
      "a connection needs a label, a secret of one line and an expiry in the future",
      Effect.gen(function* () {
        const connections = yield* Connections
        const workspaceId = yield* workspace
        const right = {
          workspaceId,
          providerId: "acme-mail",
          label: "mine",
          secret: Redacted.make("s"),
          expiresAt: null
        }
        for (const wrong of [
          { label: " " },
          { secret: Redacted.make("") },
          { secret: Redacted.make("a\r\nx: y") },
          { expiresAt: 0 }
        ]) {
          const error = yield* Effect.flip(connections.create({ ...right, ...wrong }, commandLine))
          assert.strictEqual(error._tag, "validation_error")
          assert.strictEqual(error._tag === "validation_error" && error.details[0].field, Object.keys(wrong)[0])
        }
      })
    )

    test(
      "the list goes newest first over its pages",
      Effect.gen(function* () {
        const connections = yield* Connections
        const workspaceId = yield* workspace
        const made = yield* Effect.replicateEffect(
          connections.create(
            {
              workspaceId,
              providerId: "acme-mail",
              label: "mine",
              secret: Redacted.make("s"),
              expiresAt: null
            },
            commandLine
          ),
          3
        )
        const first = yield* connections.list(workspaceId, { limit: 2, after: null })
        const second = yield* connections.list(workspaceId, { limit: 2, after: first.next })
        assert.deepStrictEqual([...first.items, ...second.items], made.reverse())
        assert.isNull(second.next)
      })
    )

    test(
      "a call uses the connection that is named, else the newest own one, else the platform's key",
      Effect.gen(function* () {
        const connections = yield* Connections
        const platformKeys = yield* PlatformKeys
        const credentials = yield* Credentials
        const workspaceId = yield* workspace
        const resolve = (connectionId: string | null = null) =>
          Effect.map(credentials.resolve({ workspaceId, provider: bearer, connectionId }), (found) =>
            found._tag === "None" ? "none" : `${found._tag} ${Redacted.value(found.secret)}`
          )
        assert.strictEqual((yield* Effect.flip(resolve()))._tag, "platform_key_missing")
        yield* platformKeys.set("acme-mail", Redacted.make("p1"), commandLine)
        yield* platformKeys.set("acme-mail", Redacted.make("p2"), commandLine)
        assert.strictEqual(yield* resolve(), "Platform p2")
        const make = (secret: string) =>
          connections.create(
            {
              workspaceId,
              providerId: "acme-mail",
              label: "mine",
              secret: Redacted.make(secret),
              expiresAt: null
            },
            commandLine
          )
        const older = yield* make("c1")
        yield* make("c2")
        assert.strictEqual(yield* resolve(), "Connection c2")
        assert.strictEqual(yield* resolve(older.connectionId), "Connection c1")
      })
    )

    test(
      "what a provider does not allow is refused: own keys, platform keys, other providers' connections",
      Effect.gen(function* () {
        const connections = yield* Connections
        const platformKeys = yield* PlatformKeys
        const credentials = yield* Credentials
        const workspaceId = yield* workspace
        yield* platformKeys.set("acme-mail", Redacted.make("p"), commandLine)
        const { connectionId } = yield* connections.create(
          {
            workspaceId,
            providerId: "acme-mail",
            label: "mine",
            secret: Redacted.make("c"),
            expiresAt: null
          },
          commandLine
        )
        const platformOnly = providerOf({ type: "bearer" }, { ownKey: false })
        assert.strictEqual(
          (yield* credentials.resolve({ workspaceId, provider: platformOnly, connectionId: null }))._tag,
          "Platform"
        )
        assert.strictEqual(
          (yield* Effect.flip(credentials.resolve({ workspaceId, provider: platformOnly, connectionId })))._tag,
          "credential_denied"
        )
        assert.deepStrictEqual((yield* credentials.access(workspaceId)).of(platformOnly), {
          hasPlatformKey: true,
          hasConnection: false
        })
        const ownOnly = providerOf({ type: "bearer" }, { platformKey: false })
        const stranger = yield* workspace
        assert.strictEqual(
          (yield* Effect.flip(credentials.resolve({ workspaceId: stranger, provider: ownOnly, connectionId: null })))
            ._tag,
          "connection_not_found"
        )
        assert.deepStrictEqual((yield* credentials.access(stranger)).of(ownOnly), {
          hasPlatformKey: false,
          hasConnection: false
        })
        const elsewhere = { ...bearer, id: ProviderId.make("other-mail") }
        assert.strictEqual(
          (yield* Effect.flip(credentials.resolve({ workspaceId, provider: elsewhere, connectionId })))._tag,
          "credential_denied"
        )
      })
    )

    test(
      "a provider that wants its key where the gateway cannot put it is the gateway's error, whoever has a key",
      Effect.gen(function* () {
        const workspaceId = yield* workspace
        const credentials = yield* Credentials
        for (const platformKey of [true, false]) {
          const provider = providerOf({ type: "unsupported", placement: "a client certificate" }, { platformKey })
          const refused = yield* Effect.flip(credentials.resolve({ workspaceId, provider, connectionId: null }))
          if (refused._tag !== "credential_placement_unsupported") return assert.fail(refused._tag)
          assert.strictEqual(refused.whoseError, "gateway")
          assert.match(refused.message, /wants its key as a client certificate, which this gateway cannot do/)
        }
      })
    )

    test(
      "a key of the wrong kind is the gateway's error when it is the platform's and the customer's when it is theirs",
      Effect.gen(function* () {
        const workspaceId = yield* workspace
        const credentials = yield* Credentials
        const basic = providerOf({ type: "basic", passwordless: false })
        yield* (yield* PlatformKeys).set("acme-mail", Redacted.make("user-only"), commandLine)
        const resolve = credentials.resolve({ workspaceId, provider: basic, connectionId: null })
        assert.strictEqual((yield* Effect.flip(resolve))._tag, "platform_auth_incompatible")
        const create = (secret: string) =>
          Effect.flatMap(Connections, (connections) =>
            connections.create(
              {
                workspaceId,
                providerId: "acme-mail",
                label: "mine",
                secret: Redacted.make(secret),
                expiresAt: null
              },
              commandLine
            )
          )
        yield* create("user-only")
        assert.strictEqual((yield* Effect.flip(resolve))._tag, "connection_invalid")
        yield* create("user:password")
        assert.strictEqual((yield* resolve)._tag, "Connection")
      })
    )

    test(
      "a provider without authentication needs no key",
      Effect.gen(function* () {
        const found = yield* (yield* Credentials).resolve({
          workspaceId: yield* workspace,
          provider: providerOf({ type: "none" }),
          connectionId: null
        })
        assert.deepStrictEqual(found, { _tag: "None" })
      })
    )

    test(
      "platform keys are listed without their secrets, and a removed one is missing at once",
      Effect.gen(function* () {
        const platformKeys = yield* PlatformKeys
        const credentials = yield* Credentials
        yield* platformKeys.set("b", Redacted.make("canary-s3cret"), commandLine)
        yield* platformKeys.set("acme-mail", Redacted.make("canary-s3cret"), commandLine)
        assert.deepStrictEqual(yield* platformKeys.list, [
          { providerId: "acme-mail", sealedWith: "one", createdAt: 0 },
          { providerId: "b", sealedWith: "one", createdAt: 0 }
        ])
        assert.deepStrictEqual((yield* credentials.access(null)).of(bearer), {
          hasPlatformKey: true,
          hasConnection: false
        })
        yield* platformKeys.remove("acme-mail", commandLine)
        assert.strictEqual((yield* Effect.flip(platformKeys.remove("acme-mail", commandLine)))._tag, "not_found")
        assert.deepStrictEqual((yield* credentials.access(null)).of(bearer), {
          hasPlatformKey: false,
          hasConnection: false
        })
        assert.isNull(yield* platformKeys.use("acme-mail"))
      })
    )

    it.effect("a key that cannot be opened is told once, however often it is asked for, and again when it can be", () =>
      Effect.gen(function* () {
        const made = yield* Effect.gen(function* () {
          yield* (yield* PlatformKeys).set("acme-mail", Redacted.make("p"), commandLine)
          return yield* (yield* Connections).create(
            {
              workspaceId: yield* workspace,
              providerId: "acme-mail",
              label: "mine",
              secret: Redacted.make("c"),
              expiresAt: null
            },
            commandLine
          )
        }).pipe(Effect.provide(withKeys(sealingOf("one", { one: 1 }))))
        yield* withLogLines((lines) =>
          Effect.gen(function* () {
            const told = () =>
              lines.flatMap(({ level, message }) => (message.includes("opened") ? [`${level} ${message}`] : []))
            const platformKeys = yield* PlatformKeys
            for (let time = 0; time < 3; time += 1) {
              yield* Effect.flip((yield* Connections).use(made.workspaceId, made.connectionId))
              assert.isNull(yield* platformKeys.use("acme-mail"))
            }
            assert.deepStrictEqual(told(), [
              "ERROR a connection's secret cannot be opened",
              "ERROR a platform key cannot be opened"
            ])
            yield* platformKeys.set("acme-mail", Redacted.make("q"), commandLine)
            for (let time = 0; time < 3; time += 1) assert.isNotNull(yield* platformKeys.use("acme-mail"))
            assert.deepStrictEqual(told().slice(2), ["WARN a platform key can be opened again"])
          })
        ).pipe(Effect.provide(withKeys(sealingOf("two", { two: 2 }))))
      }).pipe(Effect.provide(storage.rows))
    )

    it.effect("after a rotation the new sealing key alone opens everything, and before it both are needed", () =>
      Effect.gen(function* () {
        const made = yield* Effect.gen(function* () {
          const workspaceId = yield* workspace
          yield* (yield* PlatformKeys).set("acme-mail", Redacted.make("p"), commandLine)
          return yield* (yield* Connections).create(
            {
              workspaceId,
              providerId: "acme-mail",
              label: "mine",
              secret: Redacted.make("c"),
              expiresAt: null
            },
            commandLine
          )
        }).pipe(Effect.provide(withKeys(sealingOf("one", { one: 1 }))))
        const use = Effect.gen(function* () {
          const { secret } = yield* (yield* Connections).use(made.workspaceId, made.connectionId)
          const platform = yield* (yield* PlatformKeys).use("acme-mail")
          return [Redacted.value(secret), platform === null ? null : Redacted.value(platform.secret)]
        })
        const reseal = Effect.flatMap(SecretRotation, (rotation) => rotation.reseal(commandLine))
        const logged: Array<string> = []
        const log = Logger.replace(
          Logger.defaultLogger,
          Logger.make(
            ({ annotations, logLevel, message }) =>
              void logged.push(
                `${logLevel.label} ${String(message)} ${String(HashMap.unsafeGet(annotations, "sealingKey"))}`
              )
          )
        )
        const unopened = yield* Effect.flip(Effect.provide(use, withKeys(sealingOf("two", { two: 2 })))).pipe(
          Effect.provide(log)
        )
        if (unopened._tag !== "connection_unusable") return assert.fail(unopened._tag)
        assert.isNull(
          yield* Effect.provide(
            Effect.flatMap(PlatformKeys, (platform) => platform.use("acme-mail")),
            withKeys(sealingOf("two", { two: 2 }))
          ).pipe(Effect.provide(log))
        )
        assert.deepStrictEqual(logged, [
          "ERROR a connection's secret cannot be opened one",
          "ERROR a platform key cannot be opened one"
        ])
        // The customer's connection is as good as it was: a new one is not what helps.
        assert.deepStrictEqual([unopened.whoseError, unopened.retryable], ["gateway", false])
        assert.include(unopened.retryHint, "operator")
        assert.notInclude(unopened.message, "new connection")
        const waiting = Effect.flatMap(SecretRotation, (rotation) => rotation.waiting)
        assert.deepStrictEqual(yield* Effect.provide(waiting, withKeys(sealingOf("two", { two: 2 }))), {
          currentKeyId: "two",
          secrets: 0,
          unreadable: 2,
          refused: null
        })
        assert.deepStrictEqual(yield* Effect.provide(waiting, withKeys(sealingOf("two", { two: 2, one: 1 }))), {
          currentKeyId: "two",
          secrets: 2,
          unreadable: 0,
          refused: null
        })
        // To a customer, a key that is there but cannot be opened is not one that nobody has set.
        const workspaceId = yield* Effect.provide(workspace, withKeys(sealingOf("two", { two: 2 })))
        const refused = yield* Effect.flatMap(Credentials, (credentials) =>
          Effect.flip(credentials.resolve({ workspaceId, provider: bearer, connectionId: null }))
        ).pipe(Effect.provide(withKeys(sealingOf("two", { two: 2 }))), Effect.provide(log))
        assert.strictEqual(refused._tag, "platform_key_missing")
        assert.include(refused.message, "cannot use its key now")
        assert.notInclude(refused.message, "none is set")
        assert.deepStrictEqual(yield* Effect.provide(reseal, withKeys(sealingOf("two", { two: 2 }))), {
          resealed: 0,
          unreadable: 2
        })
        assert.deepStrictEqual(yield* Effect.provide(reseal, withKeys(sealingOf("two", { two: 2, one: 1 }))), {
          resealed: 2,
          unreadable: 0
        })
        assert.deepStrictEqual(yield* Effect.provide(reseal, withKeys(sealingOf("two", { two: 2, one: 1 }))), {
          resealed: 0,
          unreadable: 0
        })
        assert.deepStrictEqual(yield* Effect.provide(use, withKeys(sealingOf("two", { two: 2 }))), ["c", "p"])
      }).pipe(Effect.provide(storage.rows))
    )
  })
