// docs/cli.md is true: every command stands there with every option that its help has, and nothing else does.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../support/program.js"
import { commandOf, commandRows } from "./tables.js"

/** The lines of all commands in the help, which another test holds against what the program prints. */
const help = readFileSync(join(root, "test/golden/files/cli-help.txt"), "utf8")
  .split(/^\$ gateway /m)
  .slice(1, 3)
  .join("")
const typed = [...help.matchAll(/^ {2}- (\S.*)$/gm)].map(([, line = ""]) => line)
const names = typed.map(commandOf)
/** A group such as `runs` is no command. */
const lines = typed.filter((line) => !names.some((name) => name.startsWith(`${line} `)))

const optionsOf = (line: string): ReadonlyArray<string> =>
  [...new Set(line.match(/--[a-z-]+/g))].filter((option) => option !== "--json").sort()
const optionsOfHelp = new Map(lines.map((line) => [commandOf(line), optionsOf(line)]))

describe("docs/cli.md", () => {
  it("lists every command with its options, and no other", () => {
    assert.isAbove(lines.length, 40)
    const listed = new Map(commandRows().map(([line = ""]) => [commandOf(line), optionsOf(line)]))
    assert.sameMembers([...listed.keys()], [...optionsOfHelp.keys()])
    for (const [name, options] of listed) assert.deepStrictEqual(options, optionsOfHelp.get(name), name)
  })

  it("says which commands take no --json", () => {
    const without = lines.filter((line) => !line.includes("[--json]")).map(commandOf)
    assert.deepStrictEqual(without, ["mcp"])
    assert.include(readFileSync(join(root, "docs/cli.md"), "utf8"), "Every command but `mcp` takes `--json`")
  })
})
