// docs/configuration.md is true: every setting that exists stands there with its default and the values that it takes.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigProvider, Effect, Either } from "effect"
import { assert, describe, it } from "vitest"
import { connectionsMax, membersMax, secretCharsMax, tokenLineMax } from "../../src/domain/limits/Access.js"
import { callsPerProviderMax } from "../../src/domain/limits/Nodes.js"
import {
  bodyBytesMax,
  bodyPiecesMax,
  discardBytesMax,
  headerBytesMax,
  headersMillisMax,
  keepAliveMillis,
  lingerMillis,
  pipelinedAtOnceMax,
  pipelinedWaitingMax,
  requestMillisMax,
  serviceAgentCharsMax,
  serviceAgentsMax
} from "../../src/domain/limits/Requests.js"
import { queueMillisMax } from "../../src/domain/limits/Runs.js"
import { reasonCharsMax } from "../../src/domain/limits/Workspaces.js"
import { readConfig } from "../../src/layers/node/Config.js"
import { secretSettings } from "../../src/layers/node/ConfigValues.js"
import { root } from "../support/program.js"
import { rowsOf, settingRows, settingsListed } from "./tables.js"

const page = readFileSync(join(root, "docs/configuration.md"), "utf8")

const read = (settings: Readonly<Record<string, string>>) =>
  Effect.runSync(
    Effect.either(Effect.withConfigProvider(readConfig, ConfigProvider.fromMap(new Map(Object.entries(settings)))))
  )

/** What the program says of a value that no setting takes; null where it takes this one. */
const complaint = (name: string): string | null => {
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }
  const config = read({ ...collector, [name]: "?" })
  return Either.isRight(config) ? null : config.left.message
}

const digits = (text: string) => Number(text).toLocaleString("en-US", { maximumFractionDigits: 3 })

/** The values of a setting as the page writes them, out of the complaint; null where that only describes a form. */
const takenFrom = (says: string | null): string | null => {
  if (says === null) return null
  if (says.includes("must be on or off")) return "on or off"
  const [, least, most, others] = / from (\d+) to (\d+)(?:, or (\w+))?/.exec(says) ?? []
  if (least !== undefined && most !== undefined)
    return `${digits(least)} to ${digits(most)}${others === undefined ? "" : `, \`${others}\``}`
  const atLeast = / of at least ([\d.]+)/.exec(says)?.[1]
  if (atLeast !== undefined) return `at least ${digits(atLeast)}`
  const words = /must be one of ([\w, ]+)$/.exec(says)?.[1]
  return words === undefined
    ? null
    : words
        .split(", ")
        .map((word) => `\`${word}\``)
        .join(", ")
}

describe("docs/configuration.md", () => {
  it("lists every setting that the program reads, and no other", () => {
    const texts = readdirSync(join(root, "src/layers"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(root, "src/layers", name), "utf8"))
    const names = texts.flatMap((text) =>
      [
        ...text.matchAll(
          /(?:Config\.\w+|address|amount|atLeast|burst|databaseUrl|days|exported|guardedAddress|hostsAndPorts|list|millis|nonEmpty|number|onOff|oneOf|ownAddress|parsed|perSecond|secret|secretLike|whole|word)\(\s*"([A-Z][A-Z_]+)"/g
        )
      ].map(([, name]) => name)
    )
    assert.sameMembers([...new Set(names)], [...settingsListed()])
  })

  it("says the defaults that an empty environment has", () => {
    const config: { readonly [name: string]: unknown } = { ...Either.getOrThrow(read({})) }
    const fieldOf = (name: string) =>
      name
        .replace(/^GATEWAY_/, "")
        .toLowerCase()
        .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    const wrong = settingRows().flatMap(([name = "", said = ""]) => {
      const value = config[fieldOf(name)]
      if (typeof value !== "number" && typeof value !== "boolean" && typeof value !== "string") return []
      const text = typeof value === "boolean" ? (value ? "on" : "off") : String(value)
      return said.replaceAll("`", "").startsWith(text) ? [] : [`${name} is ${text}, not ${said}`]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("says the values that the program takes, wherever it names them", () => {
    const compared = settingRows().flatMap(([name = "", , said = ""]) => {
      const taken = takenFrom(complaint(name))
      return taken === null ? [] : [{ name, said, taken }]
    })
    assert.isAbove(compared.length, 35)
    assert.deepStrictEqual(
      compared.filter(({ said, taken }) => said !== taken),
      []
    )
  })

  it("says what a list of names may be, and which other words are switches", () => {
    const agents = settingRows().find(([name]) => name === "GATEWAY_SERVICE_AGENTS")?.[2] ?? ""
    assert.include(agents, `at most ${serviceAgentsMax}, each of at most ${serviceAgentCharsMax} characters`)
    const [on = "", off = ""] = (/takes (.*?), or (.*?)\./.exec(page) ?? []).slice(1)
    for (const [words, is] of [
      [`on ${on}`, true],
      [`off ${off}`, false]
    ] as const)
      for (const word of words.match(/\w+/g)?.filter((each) => each !== "and") ?? [])
        assert.strictEqual(Either.getOrThrow(read({ GATEWAY_BILLING: word })).billing, is, word)
  })

  it("names every secret", () => {
    const listed = [...page.matchAll(/^- `([A-Z_]+)`$/gm)].map(([, name = ""]) => name)
    assert.sameMembers(listed, [...secretSettings])
  })

  it("says the limits that no setting changes", () => {
    const seconds = (millis: number) => `${millis / 1000} s`
    const values = [
      `${headerBytesMax / 1024} KiB, sent within ${seconds(headersMillisMax)}`,
      `sent within ${seconds(requestMillisMax)}`,
      `${bodyBytesMax / 2 ** 20} MiB, in at most ${bodyPiecesMax.toLocaleString("en-US")} chunks`,
      `read up to ${discardBytesMax / 2 ** 20} MiB`,
      `read for ${seconds(lingerMillis)} at most, and a client that sends more than ${discardBytesMax / 2 ** 20} MiB`,
      `closed after ${seconds(keepAliveMillis)}`,
      `${pipelinedAtOnceMax} are worked on at once and ${pipelinedWaitingMax.toLocaleString("en-US")} more may wait`,
      `${queueMillisMax / 60_000} minutes`,
      String(callsPerProviderMax),
      String(tokenLineMax),
      `${digits(String(membersMax))} each`,
      digits(String(connectionsMax)),
      `${digits(String(secretCharsMax))} characters`,
      `${reasonCharsMax} characters`
    ]
    const said = rowsOf(page, "Limits that no setting changes").map(([, value = ""]) => value)
    assert.lengthOf(said, values.length)
    for (const [at, value] of values.entries()) assert.isTrue(said[at]?.startsWith(value), `${said[at]}, not ${value}`)
    assert.include(page, `At most ${callsPerProviderMax} of them may call the same address`)
  })
})
