// The pages lead to each other, also where they are read from the installed package or from a running gateway.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../support/program.js"
import { anchorsOf, linksOf, pages, withoutCode } from "./pages.js"

const manifest: { readonly files: ReadonlyArray<string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const isBelow = (file: string) => (folder: string) => file === folder || file.startsWith(`${folder}/`)
/** npm packs the README and the licence whatever `files` says. */
const isPacked = (file: string): boolean =>
  ["README.md", "LICENSE", ...manifest.files.filter((each) => !each.startsWith("!"))].some(isBelow(file)) &&
  !manifest.files.some((each) => each.startsWith("!") && isBelow(file)(each.slice(1)))

const links = pages.flatMap(linksOf)

describe("the pages", () => {
  it("link only to files that exist, and to headings that these have", () => {
    assert.isAbove(links.length, 40)
    const broken = links.filter(
      ({ anchor, file }) =>
        file !== null && (!existsSync(join(root, file)) || (anchor !== null && !anchorsOf(file).has(anchor)))
    )
    assert.deepStrictEqual(
      broken.map(({ page, written }) => `${page}: ${written}`),
      []
    )
  })

  it("of the package link to nothing and show nothing that the package lacks", () => {
    const packed = links.filter(({ page }) => isPacked(page))
    assert.isAbove(packed.length, 40)
    const missing = packed.filter(({ file, isPicture }) => (file === null ? isPicture : !isPacked(file)))
    assert.deepStrictEqual(
      missing.map(({ page, written }) => `${page}: ${written}`),
      []
    )
  })

  it("hold no HTML, which not every reader of Markdown shows", () => {
    // The table of the contract lists several tests in one cell.
    const written = pages
      .filter((page) => page !== "docs/contract.md")
      .flatMap((page) => (withoutCode(page).match(/<[a-z/!][^>]*>|&[a-z]+;/gi) ?? []).map((tag) => `${page}: ${tag}`))
    assert.deepStrictEqual(written, [])
  })
})
