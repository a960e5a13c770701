import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { readConfig } from "../../../src/layers/node/Config.js"

const configOf = (entries: { readonly [name: string]: string }) =>
  Effect.withConfigProvider(readConfig, ConfigProvider.fromMap(new Map(Object.entries(entries))))

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
