import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { readConfig } from "../../../src/layers/node/Config.js"
import { fileOf, secret, secretSettings } from "../../../src/layers/node/ConfigValues.js"
import { sealingKeys } from "../../../src/layers/secrets/SealingAesGcm.js"

const configOf = (entries: { readonly [name: string]: string }) =>
  Effect.withConfigProvider(readConfig, ConfigProvider.fromMap(new Map(Object.entries(entries))))

const folderOfTest = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-config-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)
const root = fileURLToPath(new URL("../../../src", import.meta.url))

describe("every secret setting", () => {
  it.scoped("comes from its variable or from a file, and not from both", () =>
    Effect.gen(function* () {
      const folder = yield* folderOfTest
      const [file, empty] = [join(folder, "secret"), join(folder, "empty")]
      writeFileSync(file, "from the file\n")
      writeFileSync(empty, "\n")
      for (const name of secretSettings) {
        const from = (entries: Record<string, string>) =>
          Effect.withConfigProvider(secret(name), ConfigProvider.fromMap(new Map(Object.entries(entries))))
        const text = Effect.map((found: Option.Option<Redacted.Redacted>) => Option.map(found, Redacted.value))
        assert.deepStrictEqual(yield* text(from({})), Option.none())
        assert.deepStrictEqual(yield* text(from({ [name]: "given" })), Option.some("given"))
        assert.deepStrictEqual(yield* text(from({ [fileOf(name)]: file })), Option.some("from the file"))
        assert.deepStrictEqual(yield* text(from({ [name]: "", [fileOf(name)]: file })), Option.some("from the file"))
        const both = String(yield* Effect.flip(from({ [name]: "given", [fileOf(name)]: file })))
        assert.include(both, `${name}_FILE`)
        assert.match(both, new RegExp(`${name}.*both set; set one of them`))
        assert.match(String(yield* Effect.flip(from({ [fileOf(name)]: empty }))), /_FILE.*is empty/)
      }
    })
  )

  it("is read by that one rule", () => {
    const readers = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && /Config\.redacted\(/.test(readFileSync(join(root, name), "utf8"))
    )
    assert.deepStrictEqual(readers, ["layers/node/ConfigValues.ts"])
    assert.strictEqual(
      readFileSync(join(root, "layers/node/ConfigValues.ts"), "utf8").split("Config.redacted(").length,
      2
    )
  })

  it.scoped("is used where it comes from a file: the database and the sealing keys", () =>
    Effect.gen(function* () {
      const folder = yield* folderOfTest
      writeFileSync(join(folder, "url"), "postgres://somewhere/else\n")
      writeFileSync(join(folder, "keys"), `x:${Buffer.alloc(32).toString("base64")}\n`)
      const { databaseUrl } = yield* configOf({ NODE_ENV: "production", DATABASE_URL_FILE: join(folder, "url") })
      assert.deepStrictEqual(Option.map(databaseUrl, Redacted.value), Option.some("postgres://somewhere/else"))
      const keys = yield* sealingKeys({ keyFile: null }).pipe(
        Effect.withConfigProvider(
          ConfigProvider.fromMap(new Map([["GATEWAY_SEALING_KEYS_FILE", join(folder, "keys")]]))
        ),
        Effect.provide(NodeContext.layer)
      )
      assert.strictEqual(keys.current, "x")
    })
  )
})

describe("a database behind a pooler", () => {
  it.effect("is named beside the pooler, never alone", () =>
    Effect.gen(function* () {
      const both = yield* configOf({ DATABASE_URL: "postgres://pooler/db", GATEWAY_LISTEN_URL: "postgres://server/db" })
      assert.deepStrictEqual(Option.map(both.listenUrl, Redacted.value), Option.some("postgres://server/db"))
      assert.isFalse(both.poolerPrepares)
      const alone = yield* Effect.flip(configOf({ GATEWAY_LISTEN_URL: "postgres://server/db" }))
      assert.include(String(alone), "DATABASE_URL")
      assert.include(String(alone), "is needed beside GATEWAY_LISTEN_URL")
    })
  )
})

const stripe = { GATEWAY_STRIPE_SECRET_KEY: "sk_test_1", GATEWAY_STRIPE_WEBHOOK_SECRET: "whsec_1, whsec_2" }

describe("the settings of Stripe", () => {
  it.effect("are a key and the secrets that sign events, or nothing", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone((yield* configOf({})).stripe))
      assert.isTrue(
        Option.isNone((yield* configOf({ GATEWAY_STRIPE_SECRET_KEY: "", GATEWAY_STRIPE_WEBHOOK_SECRET: "" })).stripe)
      )
      const { apiBase, secretKey, webhookSecrets } = Option.getOrThrow((yield* configOf(stripe)).stripe)
      assert.strictEqual(Redacted.value(secretKey), "sk_test_1")
      assert.deepStrictEqual(webhookSecrets.map(Redacted.value), ["whsec_1", "whsec_2"])
      assert.isTrue(Option.isNone(apiBase))
    })
  )

  it.scoped("come from files too, without the line break at the end", () =>
    Effect.gen(function* () {
      const folder = yield* folderOfTest
      const file = join(folder, "key")
      writeFileSync(file, "sk_live_1\n")
      const { GATEWAY_STRIPE_SECRET_KEY: _, ...rest } = stripe
      const given = { ...rest, GATEWAY_STRIPE_SECRET_KEY_FILE: file }
      const { secretKey } = Option.getOrThrow((yield* configOf(given)).stripe)
      assert.strictEqual(Redacted.value(secretKey), "sk_live_1")
      assert.match(String(yield* Effect.flip(configOf({ ...given, ...stripe }))), /both set; set one of them/)
      assert.match(
        String(yield* Effect.flip(configOf({ ...rest, GATEWAY_STRIPE_SECRET_KEY_FILE: join(folder, "no") }))),
        /GATEWAY_STRIPE_SECRET_KEY_FILE.*must name a file/
      )
    })
  )

  it.effect("stop the start when they cannot work, and are not told", () =>
    Effect.gen(function* () {
      for (const [wrong, says] of [
        [{ GATEWAY_STRIPE_WEBHOOK_SECRET: "" }, /GATEWAY_STRIPE_WEBHOOK_SECRET.*is needed beside/],
        [{ GATEWAY_STRIPE_SECRET_KEY: "" }, /GATEWAY_STRIPE_SECRET_KEY.*is needed beside/],
        [{ GATEWAY_STRIPE_SECRET_KEY: "pk_test_1" }, /must be a secret or restricted key/],
        [{ GATEWAY_STRIPE_WEBHOOK_SECRET: "whsec_1,secret" }, /must be a signing secret/],
        [{ GATEWAY_STRIPE_API_BASE: "http://stripe.example" }, /must be https, or http on loopback/]
      ] as const) {
        const refused = String(yield* Effect.flip(configOf({ ...stripe, ...wrong })))
        assert.match(refused, says)
        for (const value of ["sk_test_1", "whsec_1", "pk_test_1"]) assert.notInclude(refused, value)
      }
      for (const base of ["http://127.0.0.1:9", "http://[::1]:9", "http://localhost:9", "https://stripe.example"])
        assert.isTrue(
          Option.isSome(
            Option.getOrThrow((yield* configOf({ ...stripe, GATEWAY_STRIPE_API_BASE: base })).stripe).apiBase
          )
        )
    })
  )
})

describe("GATEWAY_LOG_LEVEL", () => {
  it.effect("is one of four levels, info where it is not set", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* configOf({})).logLevel.label, "INFO")
      for (const [text, label] of [
        ["debug", "DEBUG"],
        ["info", "INFO"],
        ["warning", "WARN"],
        ["error", "ERROR"]
      ] as const) {
        assert.strictEqual((yield* configOf({ GATEWAY_LOG_LEVEL: text })).logLevel.label, label)
      }
    })
  )

  it.effect("stops the start with the levels that there are when it is anything else", () =>
    Effect.gen(function* () {
      for (const text of ["", "INFO", "warn", "none"]) {
        const refused = yield* Effect.flip(configOf({ GATEWAY_LOG_LEVEL: text }))
        assert.match(String(refused), /at GATEWAY_LOG_LEVEL: .*must be one of debug, info, warning, error/)
      }
    })
  )
})
