// What a start says that cannot be: to a program in its log, to a person in plain lines.
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, type Console, Effect, Logger } from "effect"
import { StorageTimeout } from "../../../src/domain/StorageErrors.js"
import { serve, tellFailedStart } from "../../../src/layers/compose/Starting.js"

const wrong = new Map([
  ["HOST", ""],
  ["PORT", "door"],
  ["GATEWAY_CATALOG", "/nowhere/at/all"]
])
const lines = [
  "HOST must be an IP address or the name of a host, without a port or brackets, such as 0.0.0.0 or :: (it is empty)",
  'PORT must be a whole number from 0 to 65535 (it is "door")',
  'GATEWAY_CATALOG must name folders that this process can read; /nowhere/at/all is none (it is "/nowhere/at/all")'
]

/** What is written where, and the failure. */
const toldBy = <E>(start: Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const console = yield* Effect.console
    const [out, err]: readonly [Array<string>, Array<string>] = [[], []]
    const { message } = yield* start.pipe(
      Effect.flip,
      Effect.map((error) => ({ message: error instanceof Error ? error.message : "" })),
      Effect.withConsole({
        ...console,
        log: (text: string) => Effect.sync(() => void out.push(text)),
        error: (text: string) => Effect.sync(() => void err.push(text)),
        unsafe: { ...console.unsafe, log: (text: string) => void out.push(text) }
      } satisfies Console.Console)
    )
    return { out, err, message }
  })

const told = (terminal: boolean) =>
  Effect.withConfigProvider(toldBy(serve({ welcomes: true, terminal })), ConfigProvider.fromMap(wrong))

describe("a start with wrong settings", () => {
  it.effect("tells a person each of them in a line, the catalog's folders among them", () =>
    Effect.gen(function* () {
      const { err, message, out } = yield* told(true)
      assert.strictEqual(message, lines.join("\n"))
      assert.deepStrictEqual(err, [["The gateway could not start:", ...lines.map((line) => `  ${line}`)].join("\n")])
      assert.deepStrictEqual(out, [])
    })
  )

  it.effect("speaks of no key where the storage did not do something in time", () =>
    Effect.gen(function* () {
      const start = Effect.fail(new StorageTimeout({ retryAfterSeconds: 1 })).pipe(tellFailedStart(true))
      const { err } = yield* toldBy(start)
      assert.match(err.join(), /The database is there, but did not do it in time/)
      assert.notInclude(err.join(), "key")
    })
  )

  it.effect("tells a program in one line of JSON", () =>
    Effect.gen(function* () {
      const { err, out } = yield* told(false)
      assert.lengthOf(out, 1)
      const { cause, logLevel, message } = JSON.parse(out[0] ?? "")
      assert.deepStrictEqual([logLevel, message], ["FATAL", "The gateway could not start"])
      for (const line of lines) assert.include(cause, line)
      assert.deepStrictEqual(err, [])
    })
  )
})

describe("a start with a name that is no setting", () => {
  it.effect("warns of it in one line, with the one that may be meant", () =>
    Effect.gen(function* () {
      const misspelt = new Map([...wrong, ["GATEWAY_INFLIGHT_LIMITS", "5"]])
      const start = toldBy(serve({ welcomes: true, terminal: true }))
      const { out } = yield* Effect.withConfigProvider(start, ConfigProvider.fromMap(misspelt))
      const { logLevel, message } = JSON.parse(out[0] ?? "")
      assert.deepStrictEqual(
        [out.length, logLevel, message],
        [
          1,
          "WARN",
          "GATEWAY_INFLIGHT_LIMITS is no setting of this gateway, and nothing reads it; did you mean GATEWAY_INFLIGHT_LIMIT?"
        ]
      )
    })
  )
})

describe("a start that fails with right settings", () => {
  const failing = (terminal: boolean) =>
    Effect.fail(new Error("The database cannot be used\ncheck DATABASE_URL")).pipe(
      tellFailedStart(terminal),
      Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleLog(Logger.jsonLogger)))
    )

  it.effect("tells a person why in plain words, and once", () =>
    Effect.gen(function* () {
      const { err, out } = yield* toldBy(failing(true))
      assert.deepStrictEqual(err, ["The gateway could not start:\n  The database cannot be used\n  check DATABASE_URL"])
      assert.deepStrictEqual(out, [])
    })
  )

  it.effect("speaks of no key where the storage did not do something in time", () =>
    Effect.gen(function* () {
      const start = Effect.fail(new StorageTimeout({ retryAfterSeconds: 1 })).pipe(tellFailedStart(true))
      const { err } = yield* toldBy(start)
      assert.match(err.join(), /The database is there, but did not do it in time/)
      assert.notInclude(err.join(), "key")
    })
  )

  it.effect("tells a program in one line of JSON", () =>
    Effect.gen(function* () {
      const { err, out } = yield* toldBy(failing(false))
      assert.lengthOf(out, 1)
      assert.include(JSON.parse(out[0] ?? "").cause, "The database cannot be used; check DATABASE_URL")
      assert.deepStrictEqual(err, [])
    })
  )
})
