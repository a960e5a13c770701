// The README's tables are true: every setting and every command that exists stands there, and nothing else does.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Console, Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { run } from "../../src/cli/Gateway.js"
import { ScreenOfProcess } from "../../src/cli/Screen.js"
import { SecretInput } from "../../src/cli/SecretInput.js"
import { readConfig } from "../../src/layers/node/Config.js"
import { rowsOf } from "./tables.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")
const firstCells = (heading: string) => rowsOf(readme, heading).map(([cell = ""]) => cell.replaceAll("`", ""))

describe("README.md", () => {
  it("lists every setting that the program reads, and no other", () => {
    const texts = readdirSync(join(root, "src/layers"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(root, "src/layers", name), "utf8"))
    const read = texts.flatMap((text) =>
      [
        ...text.matchAll(
          /(?:Config\.\w+|address|amount|atLeast|burst|databaseUrl|days|exported|guardedAddress|hostsAndPorts|list|millis|nonEmpty|number|onOff|oneOf|ownAddress|parsed|perSecond|secret|secretLike|whole|word)\(\s*"([A-Z][A-Z_]+)"/g
        )
      ].map(([, name]) => name)
    )
    assert.sameMembers([...new Set(read)], firstCells("Configuration"))
  })

  it("says the defaults that an empty environment has", () => {
    const config: { readonly [name: string]: unknown } = Effect.runSync(
      Effect.withConfigProvider(readConfig, ConfigProvider.fromMap(new Map()))
    ) as never
    const fieldOf = (name: string) =>
      name
        .replace(/^GATEWAY_/, "")
        .toLowerCase()
        .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    const wrong = rowsOf(readme, "Configuration").flatMap(([name = "", said = ""]) => {
      const value = config[fieldOf(name.replaceAll("`", ""))]
      if (typeof value !== "number" && typeof value !== "boolean" && typeof value !== "string") return []
      const text = typeof value === "boolean" ? (value ? "on" : "off") : String(value)
      return said.replaceAll("`", "").startsWith(text) ? [] : [`${name} is ${text}, not ${said}`]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("lists every command, and no other", async () => {
    const printed: Array<string> = []
    const console = Effect.runSync(Console.consoleWith(Effect.succeed))
    await Effect.runPromise(
      run(["--help"], Layer.die("no service is needed for help")).pipe(
        Effect.withConsole({ ...console, log: (...words) => Effect.sync(() => void printed.push(words.join(" "))) }),
        Effect.provide([
          NodeContext.layer,
          ScreenOfProcess,
          Layer.succeed(SecretInput, { read: Effect.die("no secret is asked for") })
        ])
      )
    )
    const lines = printed
      .join("\n")
      .split("\n")
      .map((line) => /^\s*- ([a-z-]+(?: [a-z-]+)?)(?= |$)/.exec(line)?.[1] ?? "")
    const commands = lines.filter((line) => line !== "" && !lines.some((other) => other.startsWith(`${line} `)))
    assert.sameMembers(
      commands,
      firstCells("Command line").map((cell) => /^[a-z-]+(?: [a-z-]+)?(?= |$)/.exec(cell)?.[0] ?? cell)
    )
  })
})
