/**
 * What lint must find and must leave alone: the project's own rules over short texts, each as if it stood in the file
 * that is named.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Linter } from "eslint"
import tseslint from "typescript-eslint"
import { afterAll, assert, describe, it } from "vitest"
import lint from "../../eslint.config.js"
import openLookup from "../../eslint/openLookup.js"
import { root } from "../support/program.js"

const linter = new Linter({ configType: "flat", cwd: root })
/** Without what needs types, which are those of a whole project. */
const untyped = lint.map(({ languageOptions = {}, rules = {}, ...others }) => {
  const { parserOptions: _, ...options } = languageOptions
  return { ...others, languageOptions: options, rules: { ...rules, "gateway/open-lookup": "off" as const } }
})

/** The names of the project's own and restricting rules that find something. */
const found = (file: string, code: string): ReadonlyArray<string> =>
  linter.verify(code, untyped, join(root, file)).flatMap(({ fatal, message, ruleId }) => {
    if (fatal === true) assert.fail(`${code}: ${message}`)
    return ruleId?.startsWith("gateway/") || ruleId?.startsWith("no-restricted-") ? [ruleId] : []
  })
const isFound = (file: string, ...codes: ReadonlyArray<string>) => {
  for (const code of codes) assert.isAbove(found(file, code).length, 0, `${file}: ${code}`)
}
const isLeftAlone = (file: string, ...codes: ReadonlyArray<string>) => {
  for (const code of codes) assert.deepStrictEqual(found(file, code), [], `${file}: ${code}`)
}

describe("imports", () => {
  it("of the domain are effect and the domain", () => {
    const file = "src/domain/runs/Probe.ts"
    for (const from of ["pg", "undici", "fs", "node:fs", "@effect/platform/HttpApi", "effect-of-others"])
      isFound(file, `import "${from}"`)
    for (const from of ["../../cli/Money.js", "../../../chaos/Nodes.js", "../../services/Runs.js", "../../main.js"])
      isFound(file, `import { a } from "${from}"`)
    isLeftAlone(file, 'import { Effect } from "effect"', 'import "effect/Chunk"', 'import { a } from "../Ids.js"')
  })

  it("of services are effect, the domain and services", () => {
    const file = "src/services/Probe.ts"
    for (const from of ["pg", "crypto", "node:crypto", "../cli/Money.js", "../layers/node/Config.js", "../http/Api.js"])
      isFound(file, `import { a } from "${from}"`)
    isLeftAlone(file, 'import { Effect } from "effect"', 'import { a } from "../domain/Ids.js"', 'import "./Runs.js"')
  })

  it("of http and of the rooms of layers point one way", () => {
    isFound("src/http/Probe.ts", 'import "../cli/Money.js"', 'import "../layers/node/Config.js"', 'import "../main.js"')
    isLeftAlone("src/http/Probe.ts", 'import "../services/Runs.js"', 'import "../PackagedFiles.js"')
    isFound("src/layers/runs/Probe.ts", 'import "../../cli/Money.js"', 'import "../memory/Ids.js"')
    isFound("src/layers/runs/Probe.ts", 'import "../../http/Api.js"')
    isLeftAlone("src/layers/runs/Probe.ts", 'import "../node/Config.js"', 'import "./parts/Lease.js"', 'import "pg"')
    isFound("src/layers/postgres/leases/Probe.mjs", 'import "../../memory/Ids.js"')
    isLeftAlone("src/layers/compose/Probe.ts", 'import "../../http/Server.js"', 'import "../postgres/Database.js"')
    isFound("src/cli/Probe.ts", 'import "../http/Api.js"', 'import "../../test/support/program.js"')
    isFound("src/main.ts", 'import "./cli/Money.js"', 'import "./client/index.js"')
  })

  it("of the client are its own, and nobody else has it", () => {
    isFound("src/client/Probe.ts", 'import "effect"', 'import "node:fs"', 'import "../domain/Ids.js"')
    isLeftAlone("src/client/Probe.ts", 'import "./Errors.js"')
    isFound("src/cli/Probe.ts", 'import "../client/index.js"')
    isLeftAlone("src/cli/Probe.ts", 'import "./client/Agents.js"')
  })

  it("are seen in every form", () => {
    isFound(
      "src/services/Probe.ts",
      'export { a } from "../http/Api.js"',
      'export * from "../http/Api.js"',
      'const later = () => import("../http/Api.js")',
      'type Api = import("../http/Api.js").Api',
      'import type { Api } from "../http/Api.js"',
      "const later = (name: string) => import(name)",
      'import "./../http/Api.js"'
    )
    isLeftAlone("src/services/Probe.ts", 'const later = () => import("./Runs.js")', "export const a = 1")
  })

  it("name no index of a large package", () => {
    isFound("src/http/Probe.ts", 'import { HttpApi } from "@effect/platform"')
    isFound("test/http/Probe.test.ts", 'import { HttpApi } from "@effect/platform"')
    isLeftAlone("src/http/Probe.ts", 'import * as HttpApi from "@effect/platform/HttpApi"')
  })
})

describe("what code of src takes from effect", () => {
  const file = "src/layers/node/Probe.ts"

  it("is configuration", () => {
    isFound(
      file,
      "process.env.A",
      'process["env"]',
      "globalThis.process.env",
      "const { env } = process",
      "const { env: found } = process",
      'import { env } from "node:process"',
      "const here = process"
    )
    isLeftAlone(file, "process.argv", "process.pid", "const { env } = settings", 'import { argv } from "node:process"')
  })

  it("is time", () => {
    isFound(
      file,
      "Date.now()",
      "const now = Date.now",
      'Date["now"]()',
      "globalThis.Date.now()",
      "const { now } = Date",
      "Date()",
      "new Date()",
      "new globalThis.Date()"
    )
    isLeftAlone(file, "new Date(millis)", "Date.parse(text)", "Date.UTC(2000, 0)")
  })

  it("is chance", () => {
    isFound(file, "Math.random()", "const { random } = Math", "const chance = Math.random", 'Math["random"]()')
    isLeftAlone(file, "Math.max(1, 2)", "const { max } = Math")
  })

  it("is waiting", () => {
    isFound(
      file,
      "setTimeout(end, 1)",
      "setInterval(end, 1)",
      "globalThis.setTimeout(end, 1)",
      "const later = setTimeout",
      'import { setTimeout as sleep } from "node:timers/promises"',
      'import { setInterval } from "node:timers"'
    )
    isLeftAlone(file, "server.setTimeout(1)", "clearTimeout(timer)")
  })

  it("is failing, and addresses and rows are read in one place", () => {
    isFound(file, 'throw new Error("")', "URL.canParse(text)", "sql<{ id: string }>`select id`")
    isLeftAlone(file, "sql`select id`", "new URL(text)")
  })

  it("is none of these in the client but configuration", () => {
    isFound("src/client/Probe.ts", "process.env.A")
    isLeftAlone("src/client/Probe.ts", "Date.now()", "Math.random()", "setTimeout(end, 1)", 'throw new Error("")')
  })
})

describe("a test that shares its process", () => {
  const file = "test/domain/Probe.test.ts"

  it("changes nothing of it", () => {
    isFound(
      file,
      'process.env["A"] = "b"',
      'process.env.A = "b"',
      'import { env } from "node:process"\nenv["A"] = "b"',
      'Object.assign(process.env, { A: "b" })',
      'Reflect.deleteProperty(process.env, "A")',
      "delete process.env.A",
      "delete process.env[name]",
      'vi.spyOn(process, "exit")',
      'vi.spyOn(process.stdout, "write")',
      'vi.spyOn(console, "log")',
      'vi.stubEnv("A", "b")',
      'v8.setFlagsFromString("--expose-gc")',
      "setFlagsFromString(flags)",
      "undici.setGlobalDispatcher(agent)",
      "process.umask(0)",
      'import { umask } from "node:process"',
      'process.on("SIGTERM", end)',
      "Date.now = () => 0",
      "globalThis.fetch = answer"
    )
    isLeftAlone(
      file,
      'process.env["A"]',
      "({ ...process.env })",
      'import { argv } from "node:process"',
      'vi.spyOn(service, "run")',
      "Object.assign(settings, { a: 1 })"
    )
  })

  it("does what it likes where it has its own", () => {
    isLeftAlone("test/examples/Examples.test.ts", 'process.env["A"] = "b"', 'vi.spyOn(process, "exit")')
  })
})

describe("a benchmark", () => {
  it("hands no environment of its own on", () => {
    isFound("bench/Probe.ts", "const env = { ...process.env, PORT: port }")
    isLeftAlone("bench/Probe.ts", 'process.env["DATABASE_URL"]', "const env = { ...settings }")
  })
})

describe("names that are only known at run time", () => {
  const place = mkdtempSync(join(tmpdir(), "gateway-lint-"))
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  /** Each of these in a function of its own; those that are found. */
  const foundOf = (codes: ReadonlyArray<string>): ReadonlyArray<string> => {
    const file = join(place, "Probe.ts")
    const text = codes.join("\n")
    writeFileSync(file, text)
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true }, files: [file] }))
    const config: Linter.Config = {
      files: ["**/*.ts"],
      languageOptions: {
        parser: tseslint.parser,
        parserOptions: { project: join(place, "tsconfig.json"), tsconfigRootDir: place }
      },
      plugins: { gateway: { rules: { "open-lookup": openLookup } } },
      rules: { "gateway/open-lookup": "error" }
    }
    const messages = new Linter({ configType: "flat", cwd: place }).verify(text, [config], file)
    return messages.map(({ fatal, line, message, ruleId }) => {
      if (fatal === true || ruleId === null) assert.fail(message)
      return codes[line - 1] ?? ""
    })
  }

  it("are looked up nowhere but in Members", () => {
    const open = [
      "export const a = (o: Record<string, number>, k: string) => o[k]",
      "export const b = (o: Record<string, number>, k: `on${string}`) => o[k]",
      "export const c = (o: object, k: string) => k in o",
      "export const d = (o: Record<string, number>, k: string) => { const { [k]: x } = o; return x }",
      'export const e = <T extends { name: string }>(o: Record<string, number>, k: T["name"]) => o[k]',
      "export const f = <R extends Record<string, number>>(o: R, k: keyof R) => o[k]",
      "export const g = <R extends Record<string, number>, K extends keyof R>(o: R, k: K) => o[k]",
      "export const h = <K extends string>(o: Record<string, number>, k: K) => o[k]",
      "export const i = (o: object, k: string) => Reflect.get(o, k)",
      "export const j = (o: object, k: string) => Reflect.set(o, k, 1)",
      "export const l = (o: object, k: string) => Reflect.has(o, k)",
      "export const m = (o: Record<string, number>, p: Record<string, number>) => { for (const k in o) p[k] = 1 }",
      'export const n = (o: Record<string, number>, k: "a" | (string & {})) => o[k]',
      "export const q = <T extends { a: string }>(o: Record<string, number>, k: T[keyof T]) => o[k as T[keyof T] & string]"
    ]
    assert.deepStrictEqual(foundOf(open), open)
  })

  it("are not those of a closed set, positions, and what a loop found in the object", () => {
    assert.deepStrictEqual(
      foundOf([
        'export const a = (o: { a: 1; b: 2 }, k: "a" | "b") => o[k]',
        "export const b = (o: ReadonlyArray<number>, k: number) => o[k]",
        "export const c = <T extends object>(o: T, k: keyof T) => o[k]",
        "export const d = <T extends object, K extends keyof T>(o: T, k: K) => o[k]",
        'export const e = <T extends { a: 1 }>(o: T, k: "a") => o[k]',
        "export const f = (o: Record<string, number>) => { let s = 0; for (const k in o) s += o[k]; return s }",
        "export const g = (o: object) => { for (const k in o) Reflect.get(o, k) }",
        'export const h = (o: object) => "a" in o',
        "export const i = (o: symbol, p: { [k: symbol]: number }) => p[o]"
      ]),
      []
    )
  })
})
