// Every statement of the contract has a test that exists, and docs/contract.md says which.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { contractPage, readStatements, root, shownBy, testNames } from "./statements.js"

const statements = readStatements()
const page = join(root, "docs/contract.md")
if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, contractPage(statements))

describe("the table of the contract's statements", () => {
  it("gives every statement at least one test, and says each once", () => {
    const all = statements.documents.flatMap(({ name, sections }) =>
      sections.flatMap((section) =>
        section.statements.map((each) => ({ ...each, at: `${name}, ${section.title}: ${each.says}` }))
      )
    )
    assert.isAbove(all.length, 150)
    assert.deepStrictEqual(
      all.filter(({ tests }) => tests.length === 0).map(({ at }) => at),
      []
    )
    assert.strictEqual(new Set(all.map(({ at }) => at)).size, all.length)
  })

  it("names only tests that exist", () => {
    const namesIn = new Map<string, ReadonlySet<string>>()
    const missing = shownBy(statements).filter(({ file, name }) => {
      const names =
        namesIn.get(file) ??
        (existsSync(join(root, file)) ? testNames(readFileSync(join(root, file), "utf8")) : new Set<string>())
      namesIn.set(file, names)
      return !names.has(name)
    })
    assert.deepStrictEqual(
      missing.map(({ file, name, says }) => `${file} has no test "${name}" (${says})`),
      []
    )
  })

  it("is docs/contract.md, made anew by npm run docs:contract", () => {
    assert.strictEqual(readFileSync(page, "utf8"), contractPage(statements))
  })

  it("is linked from the index of the docs", () => {
    assert.include(readFileSync(join(root, "docs", "README.md"), "utf8"), "(contract.md)")
  })
})

describe("the names of tests in a source", () => {
  it("are found however a test is made, and nothing else is taken for one", () => {
    const source = [
      'it("plain", () => 1)',
      'it.scopedLive("live", () => 1)',
      'it.effect.each([[1], [2]])("each", () => 1)',
      "it(`of ${what} here`, () => 1)",
      "it(`whole`, () => 1)",
      'test("suite", () => 1)',
      'describe("group", () => { it("inner", () => submit("not one")) })',
      '// it("in a comment", () => 1)',
      'const text = "it(\\"in a text\\", () => 1)"'
    ].join("\n")
    assert.deepStrictEqual(
      [...testNames(source)],
      ["plain", "live", "each", "of ${what} here", "whole", "suite", "inner"]
    )
  })
})
