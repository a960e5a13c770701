import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { readConfig } from "../../../src/layers/node/Config.js"
import { fileOf, secret, secretSettings } from "../../../src/layers/node/ConfigValues.js"
import { settingNames } from "../../../src/layers/node/ConfigShown.js"
import { unknownInWords, unknownSettings } from "../../../src/layers/node/UnknownSettings.js"
import { sealingKeys } from "../../../src/layers/secrets/SealingAesGcm.js"
import { temporaryFolder } from "../../support/folders.js"

const configOf = (entries: { readonly [name: string]: string }) =>
  Effect.withConfigProvider(readConfig, ConfigProvider.fromMap(new Map(Object.entries(entries))))

const folderOfTest = temporaryFolder("gateway-config-")
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

/** What each setting cannot be, and what is said of it. */
const wrongValues: Readonly<Record<string, readonly [value: string, says: RegExp]>> = {
  NODE_ENV: ["producton", /^must be one of production, development, test \(it is "producton"\)$/],
  GATEWAY_ROLE: ["boss", /^must be one of all, api, worker \(it is "boss"\)$/],
  HOST: ["", /^must be an IP address or the name of a host, without a port .* \(it is empty\)$/],
  DATABASE_URL: ["mysql://u:canary@h/db", /^must be the address of a Postgres, such as postgres:\/\/user@host/],
  GATEWAY_LISTEN_URL: ["canary", /^must be the address of a Postgres, such as postgres:\/\/user@host/],
  GATEWAY_EGRESS_ALLOW: [
    "127.0.0.1:80,http://h:1",
    /^must be host:port pairs .* IPv6 in brackets; entry 2, "http:\/\/h:1", is none \(it is "127/
  ],
  PORT: ["door", /^must be a whole number from 0 to 65535 \(it is "door"\)$/],
  GATEWAY_POOLER_PREPARES: ["maybe", /^must be on or off \(it is "maybe"\)$/],
  GATEWAY_DATABASE_CONNECTIONS: ["3", /^must be a whole number of connections from 4 to 1000 \(it is "3"\)$/],
  GATEWAY_RATE_BURST: ["0", /^must be a whole number of requests from 1 to 1000000000 \(it is "0"\)$/],
  GATEWAY_RATE_PER_SECOND: ["10/s", /^must be a number of requests a second of at least 0\.001 \(it is "10\/s"\)$/],
  GATEWAY_RATES: ["both", /^must be one of local, shared /],
  GATEWAY_PUBLIC_RATE_BURST: ["1.5", /^must be a whole number of requests from 1 /],
  GATEWAY_PUBLIC_RATE_PER_SECOND: ["0", /^must be a number of requests a second of at least 0\.001 /],
  GATEWAY_PUBLIC_TOTAL_RATE_BURST: ["many", /^must be a whole number of requests from 1 /],
  GATEWAY_PUBLIC_TOTAL_RATE_PER_SECOND: ["Infinity", /^must be a number of requests a second of at least 0\.001 /],
  GATEWAY_INFLIGHT_LIMIT: ["-1", /^must be a whole number of runs from 1 to 1000000 /],
  GATEWAY_FIXTURES: ["", /^must be on or off \(it is empty\)$/],
  GATEWAY_FIXTURE_PORT: ["70000", /^must be a whole number from 0 to 65535 /],
  GATEWAY_FIXTURE_ORIGIN: ["127.0.0.1:9000", /^must be an http or https address, such as .* \(it is "127/],
  GATEWAY_PROCESSES: ["all", /^must be a whole number from 1 to \d+, or auto \(it is "all"\)$/],
  GATEWAY_DISPATCH_SLOTS: ["0x10", /^must be a whole number of runs from 1 to 100000 /],
  GATEWAY_NORMALIZED: ["ON", /^must be on or off /],
  GATEWAY_INLINE_RESULT_BYTES: ["1MB", /^must be a whole number of bytes from 1024 to 16777216 /],
  GATEWAY_BILLING: ["2", /^must be on or off /],
  GATEWAY_STRIPE_SECRET_KEY: [
    "canary",
    /^must be a secret or restricted key of Stripe, such as sk_test_… or rk_live_…$/
  ],
  GATEWAY_STRIPE_WEBHOOK_SECRET: ["canary", /^must be a signing secret of Stripe, whsec_…, or several /],
  GATEWAY_OIDC_ISSUER: ["http://people.example", /^must be https, or http on loopback \(it is "http:/],
  GATEWAY_STRIPE_API_BASE: ["ftp://u:canary@stripe.example", /^must be an http or https address, .*example\.com$/],
  GATEWAY_PUBLIC_URL: ["gateway.example.com", /^must be an http or https address, .* \(it is "gateway\.example/],
  GATEWAY_TRUST_PROXY: ["10.0.0.1", /^must be on or off /],
  GATEWAY_SERVICE_AGENTS: [
    "x".repeat(500),
    /^must be at most \d+ names of at most \d+ characters \(it is "x{100}…"\)$/
  ],
  GATEWAY_RESOLVE_TWO_PERSON_USD: ["-5", /^must not be negative /],
  GATEWAY_CREDIT_ASK_USD: ["1e3", /^must be dollars with at most six decimals, such as 12\.50 /],
  GATEWAY_LEDGER_CHECK_SECONDS: ["1m", /^must be a whole number of seconds from 0 to 86400 \(it is "1m"\)$/],
  GATEWAY_HISTORY_DAYS: ["0", /^must be a whole number of days from 1 to 36500 /],
  GATEWAY_RESULT_DAYS: ["29", /^must be a whole number of days from 30 to 36500: for 30 days a repeated /],
  GATEWAY_RUN_DAYS: ["1y", /^must be a whole number of days from 30 to 36500: for 30 days a repeated /],
  GATEWAY_STOP_PAUSE_MILLIS: ["5s", /^must be a whole number of milliseconds from 0 to 600000 \(it is "5s"\)$/],
  GATEWAY_DRAIN_MILLIS: ["", /^must be a whole number of milliseconds from 0 to 600000 \(it is empty\)$/],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["collector:4318", /^must be an http or https address \(it is "collector:4318"\)$/],
  OTEL_EXPORTER_OTLP_HEADERS: ["canary", /^must be name=value pairs .*percent-encoded$/],
  OTEL_EXPORTER_OTLP_PROTOCOL: ["grpc", /^must be http\/json, .* \(it is "grpc"\)$/],
  OTEL_EXPORTER_OTLP_TIMEOUT: ["10s", /^must be a whole number of milliseconds from 1 to 3600000 /],
  OTEL_RESOURCE_ATTRIBUTES: ["novalue", /^must be name=value pairs /],
  OTEL_TRACES_EXPORTER: ["jaeger", /^must be one of otlp, none /],
  OTEL_METRICS_EXPORTER: ["prometheus", /^must be one of otlp, none /],
  OTEL_LOGS_EXPORTER: ["console", /^must be one of otlp, none /],
  OTEL_TRACES_SAMPLER: ["sometimes", /^must be one of always_on, /],
  OTEL_TRACES_SAMPLER_ARG: ["1.5", /^must be a number from 0 to 1 \(it is "1\.5"\)$/],
  OTEL_METRIC_EXPORT_INTERVAL: ["10", /^must be a whole number of milliseconds from 100 to 3600000 /],
  OTEL_SDK_DISABLED: ["perhaps", /^must be on or off /],
  GATEWAY_LOG_LEVEL: ["loud", /^must be one of debug, info, warning, error /],
  GATEWAY_FAULT_POINT: ["somewhere", /^must begin with one of /]
}
/** Any text is one; what it leads to is found out later. */
const anyText = [
  "GATEWAY_DATA_DIR",
  "GATEWAY_CATALOG",
  "GATEWAY_OIDC_CLIENT_ID",
  "GATEWAY_OIDC_CLIENT_SECRET",
  "GATEWAY_OIDC_SCOPES",
  "GATEWAY_ARCHIVE_DIR",
  "OTEL_SERVICE_NAME",
  // Wrong keys are told by those who start with them.
  "GATEWAY_SEALING_KEYS"
]
/** What another setting needs to be read. */
const client = { GATEWAY_OIDC_CLIENT_ID: "us", GATEWAY_OIDC_CLIENT_SECRET: "canary" }
const beside: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GATEWAY_OIDC_ISSUER: client,
  GATEWAY_STRIPE_SECRET_KEY: { GATEWAY_STRIPE_WEBHOOK_SECRET: "whsec_1" },
  GATEWAY_STRIPE_WEBHOOK_SECRET: { GATEWAY_STRIPE_SECRET_KEY: "sk_test_1" },
  ...Object.fromEntries(
    Object.keys(wrongValues)
      .filter(
        (name) => name.startsWith("OTEL_") && name !== "OTEL_EXPORTER_OTLP_ENDPOINT" && name !== "OTEL_SDK_DISABLED"
      )
      .map((name) => [name, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }])
  )
}

describe("a wrong setting", () => {
  it("has a line in this test, whichever it is", () => {
    assert.sameMembers([...Object.keys(wrongValues), ...anyText], [...settingNames])
  })

  it.effect("is told by its name, what it must be and what it is, in one line", () =>
    Effect.forEach(Object.entries(wrongValues), ([name, [value, says]]) =>
      Effect.gen(function* () {
        const { lines } = yield* Effect.flip(configOf({ ...beside[name], [name]: value }))
        assert.lengthOf(lines, 1, name)
        assert.strictEqual(lines[0]?.slice(0, name.length + 1), `${name} `)
        assert.match(lines[0]?.slice(name.length + 1) ?? "", says)
        assert.notInclude(lines[0], "canary")
      })
    )
  )

  it.effect("is told with all others that are wrong", () =>
    Effect.gen(function* () {
      const { OTEL_SDK_DISABLED: _, ...others } = wrongValues
      const entries = Object.fromEntries(Object.entries(others).map(([name, [value]]) => [name, value]))
      const { lines } = yield* Effect.flip(configOf({ ...entries, ...client }))
      assert.sameMembers(
        lines.map((line) => line.split(" ")[0] ?? ""),
        Object.keys(others)
      )
    })
  )

  it.effect("is told with what lacks beside another", () =>
    Effect.gen(function* () {
      const { lines } = yield* Effect.flip(
        configOf({ GATEWAY_ARCHIVE_DIR: "/a", GATEWAY_OIDC_CLIENT_ID: "us", GATEWAY_LISTEN_URL: "postgres://h/db" })
      )
      assert.deepStrictEqual(lines, [
        "DATABASE_URL is needed beside GATEWAY_LISTEN_URL: it is the pooler, and the other the database behind it",
        "GATEWAY_OIDC_ISSUER is needed beside the other GATEWAY_OIDC settings",
        "GATEWAY_OIDC_CLIENT_SECRET is needed beside the other GATEWAY_OIDC settings",
        "GATEWAY_RUN_DAYS is needed beside GATEWAY_ARCHIVE_DIR: without it no run leaves the database"
      ])
    })
  )
})

describe("what lacks or contradicts", () => {
  it.effect("is told beside another setting of its group that is wrong by itself", () =>
    Effect.gen(function* () {
      const { lines } = yield* Effect.flip(
        configOf({
          GATEWAY_STRIPE_SECRET_KEY: "sk_test_1",
          GATEWAY_STRIPE_API_BASE: "ftp://stripe.example",
          GATEWAY_HISTORY_DAYS: "0",
          GATEWAY_RESULT_DAYS: "60",
          GATEWAY_RUN_DAYS: "30",
          GATEWAY_OIDC_ISSUER: "people.example"
        })
      )
      assert.sameMembers(
        lines.map((line) => line.split(/:| \(it is/)[0] ?? ""),
        [
          "GATEWAY_STRIPE_API_BASE must be an http or https address, such as https",
          "GATEWAY_STRIPE_WEBHOOK_SECRET is needed beside GATEWAY_STRIPE_SECRET_KEY",
          "GATEWAY_HISTORY_DAYS must be a whole number of days from 1 to 36500",
          "GATEWAY_RESULT_DAYS must be at most GATEWAY_RUN_DAYS, which is 30",
          "GATEWAY_OIDC_ISSUER must be an http or https address, such as https",
          "GATEWAY_OIDC_CLIENT_ID is needed beside the other GATEWAY_OIDC settings",
          "GATEWAY_OIDC_CLIENT_SECRET is needed beside the other GATEWAY_OIDC settings"
        ]
      )
    })
  )
})

describe("an address that others see", () => {
  it.effect("holds no password, query or fragment, and what stands there is not told", () =>
    Effect.forEach(
      [
        ["https://u:canary@gateway.example", "must hold no user name and no password"],
        ["https://canary@gateway.example", "must hold no user name and no password"],
        ["https://gateway.example/?token=canary", "must have no query and no fragment"],
        ["https://gateway.example/?", "must have no query and no fragment"],
        ["https://gateway.example/#a", 'must have no query and no fragment (it is "https://gateway.example/#a")']
      ] as const,
      ([given, says]) =>
        Effect.gen(function* () {
          const { lines } = yield* Effect.flip(configOf({ GATEWAY_PUBLIC_URL: given }))
          assert.deepStrictEqual(lines, [`GATEWAY_PUBLIC_URL ${says}`])
        })
    )
  )
})

describe("GATEWAY_EGRESS_ALLOW", () => {
  it.effect("takes names and addresses with a port, in the form in which addresses are compared", () =>
    Effect.gen(function* () {
      const given = " Internal.example:8080, 127.1:80 ,[0:0:0:0:0:0:0:1]:65535,my_host:1,"
      assert.deepStrictEqual((yield* configOf({ GATEWAY_EGRESS_ALLOW: given })).egressAllow, [
        "internal.example:8080",
        "127.0.0.1:80",
        "[::1]:65535",
        "my_host:1"
      ])
    })
  )

  it.effect("says which entry is none, and shows none that may hold a password", () =>
    Effect.gen(function* () {
      for (const entry of ["localhost", "127.0.0.1:99999", "h:0", "*", "*:80", "a b:1", "::1:80", "h:1/x", "[::1]"]) {
        const [line = ""] = (yield* Effect.flip(configOf({ GATEWAY_EGRESS_ALLOW: `one:1,${entry}` }))).lines
        assert.include(line, `entry 2, ${JSON.stringify(entry)}, is none`)
      }
      const [line = ""] = (yield* Effect.flip(configOf({ GATEWAY_EGRESS_ALLOW: "u:canary@h:1" }))).lines
      assert.match(line, /; entry 1 is none$/)
    })
  )
})

describe("HOST", () => {
  it.effect("is an address or a name, without a port", () =>
    Effect.gen(function* () {
      for (const host of ["0.0.0.0", "::", "::1", "localhost", "my-host.example", "node_1"])
        assert.strictEqual((yield* configOf({ HOST: host })).host, host)
      for (const host of ["0.0.0.0:8080", "[::]", "http://h", " ", "a b", "-"])
        assert.match((yield* Effect.flip(configOf({ HOST: host }))).message, /^HOST must be an IP address or /)
    })
  )
})

describe("a name that is no setting", () => {
  const told = (provider: ConfigProvider.ConfigProvider) => Effect.withConfigProvider(unknownSettings, provider)

  it.effect("is told with the one that was meant; what others have put there is not", () =>
    Effect.gen(function* () {
      const given = new Map([
        ["GATEWAY_RESULT_DAY", "30"],
        ["GATEWAY_PORT", "tcp://10.0.0.7:8080"],
        ["GATEWAY_SERVICE_HOST", "10.0.0.7"],
        ["GATEWAY_PORT_8080_TCP_ADDR", "10.0.0.7"],
        ["GATEWAY_DATABASE_URL", "postgres://h/db"],
        ["GATEWAY_XYZZY", "1"],
        ["GATEWAY_TOKEN", "canary"],
        ["GATEWAY_SEALING_KEYS_FILE", "/keys"],
        ["OTHER_RESULT_DAY", "30"],
        ["PORT", "8080"]
      ])
      const found = [
        { name: "GATEWAY_DATABASE_URL", nearest: "DATABASE_URL" },
        { name: "GATEWAY_RESULT_DAY", nearest: "GATEWAY_RESULT_DAYS" },
        { name: "GATEWAY_XYZZY", nearest: null }
      ]
      for (const pathDelim of [".", "_"])
        assert.deepStrictEqual(yield* told(ConfigProvider.fromMap(given, { pathDelim, seqDelim: "," })), found)
      assert.strictEqual(
        unknownInWords(found[1]!),
        "GATEWAY_RESULT_DAY is no setting of this gateway, and nothing reads it; did you mean GATEWAY_RESULT_DAYS?"
      )
      assert.notInclude(unknownInWords(found[2]!), "did you mean")
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
        assert.strictEqual(
          refused.message,
          `GATEWAY_LOG_LEVEL must be one of debug, info, warning, error (it is ${text === "" ? "empty" : `"${text}"`})`
        )
      }
    })
  )
})
