// The deliberate defects of `npm run mutations` still apply: each edit's text stands exactly once in its file. Whether
// tests notice the defects, only that command can tell.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, describe, it } from "vitest"

interface Defect {
  readonly name: string
  readonly edits: ReadonlyArray<readonly [file: string, text: string, replacement: string]>
  readonly tests: ReadonlyArray<string>
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const { defects }: { readonly defects: ReadonlyArray<Defect> } = await import(
  pathToFileURL(join(root, "chaos/mutations/defects.mjs")).href
)

describe("the deliberate defects", () => {
  it("change a text that stands exactly once in a file that exists", () => {
    assert.isAbove(defects.length, 40)
    const stale = defects.flatMap(({ edits, name }) =>
      edits
        .map(([file, text]) => ({
          name,
          file,
          text,
          times: existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8").split(text).length - 1 : 0
        }))
        .filter(({ times }) => times !== 1)
    )
    assert.deepStrictEqual(stale, [])
  })

  it("name tests that exist", () => {
    const tests = new Set(defects.flatMap((defect) => defect.tests))
    assert.deepStrictEqual(
      [...tests].filter((file) => !existsSync(join(root, file))),
      []
    )
  })
})
