// docs/security.md promises nothing without a test that exists.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { rowsOf } from "./tables.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(join(root, "docs/security.md"), "utf8")

describe("docs/security.md", () => {
  it("names only tests that exist", () => {
    const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file)
    assert.isAbove(named.length, 20)
    assert.deepStrictEqual(
      named.filter((file) => !existsSync(join(root, file))),
      []
    )
  })

  it("gives every promise at least one test", () => {
    const promises = rowsOf(page, "What is promised, and the test of it")
    assert.isAbove(promises.length, 15)
    assert.deepStrictEqual(
      promises.filter(([, tests = ""]) => !/`test\/[^`]+\.(test|suite)\.ts`/.test(tests)).map(([promise]) => promise),
      []
    )
  })

  it("is linked from the README", () => {
    assert.include(readFileSync(join(root, "README.md"), "utf8"), "(docs/security.md)")
  })
})
