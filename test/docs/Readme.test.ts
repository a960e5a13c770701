// What the README says of settings and commands is what the pages with all of them say.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../support/program.js"
import { commandOf, commandRows, rowsOf, settingRows } from "./tables.js"

const readme = readFileSync(join(root, "README.md"), "utf8")
const optionsOf = (line: string): ReadonlyArray<string> => line.match(/--[a-z-]+/g) ?? []
const mostUsed = 10

describe("README.md", () => {
  it("has the most used settings, with the defaults of docs/configuration.md", () => {
    const rows = rowsOf(readme, "Configuration")
    assert.isAtMost(rows.length, mostUsed)
    assert.isNotEmpty(rows)
    const defaults = new Map(settingRows().map(([name = "", value = ""]) => [name, value]))
    for (const [name = "", value] of rows) assert.strictEqual(value, defaults.get(name.replaceAll("`", "")), name)
  })

  it("has the most used commands, with options that docs/cli.md has", () => {
    const rows = rowsOf(readme, "Command line")
    assert.isAtMost(rows.length, mostUsed)
    assert.isNotEmpty(rows)
    const lines = new Map(commandRows().map(([line = ""]) => [commandOf(line), line]))
    for (const [cell = ""] of rows) {
      const line = cell.replaceAll("`", "")
      assert.includeMembers([...optionsOf(lines.get(commandOf(line)) ?? "none")], [...optionsOf(line)], line)
    }
  })
})
