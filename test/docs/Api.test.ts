/** `docs/api.md` is what the OpenAPI document says, and a reader finds every route, error and link on it. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { runFailures } from "../../src/domain/RunFailures.js"
import { openApiDocument } from "../../src/http/OpenApi.js"
import { apiPage, type Document } from "./apiPage.js"
import { anchorsOf, linksOf } from "./pages.js"
import { rowsOf } from "./tables.js"

const file = fileURLToPath(new URL("../../docs/api.md", import.meta.url))
const document = openApiDocument() as unknown as Document
const made = apiPage(document, new Set(runFailures.map(({ code }) => code)))
if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, made)
const page = readFileSync(file, "utf8")

describe("the page of the HTTP API", () => {
  it("is docs/api.md, made anew by npm run docs:api", () => {
    assert.strictEqual(page, made)
  })

  it("has every route once, in the order of the groups", () => {
    const headed = [...page.matchAll(/^### `([A-Z]+ \/\S*)`$/gm)].map(([, name = ""]) => name)
    const routes = document.tags.flatMap((tag) =>
      Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item)
          .filter(([, { tags }]) => tags.includes(tag.name))
          .map(([method]) => `${method.toUpperCase()} ${path}`)
      )
    )
    assert.deepStrictEqual(headed, routes)
  })

  it("links to its own places only where they are", () => {
    const anchors = anchorsOf("docs/api.md")
    const own = linksOf("docs/api.md").filter((link) => link.file === "docs/api.md")
    assert.isAbove(own.length, 50)
    assert.deepStrictEqual(
      own.filter(({ anchor }) => anchor === null || !anchors.has(anchor)).map(({ written }) => written),
      []
    )
  })

  it("has no cell that is too long to read", () => {
    const cells = page.split("\n").flatMap((line) => (line.startsWith("|") ? line.slice(1, -1).split(" | ") : []))
    assert.deepStrictEqual(
      cells.filter((cell) => cell.length > 260),
      []
    )
  })
})

describe("the table of the members of fallback in docs/running.md", () => {
  it("has each member of the document with its default and its bounds", () => {
    const running = readFileSync(new URL("../../docs/running.md", import.meta.url), "utf8")
    const rows = rowsOf(running, "The members of `fallback`")
    const { properties = {} } = document.components.schemas["Fallback"] ?? {}
    assert.deepStrictEqual(
      rows.map(([name, said]) => [name, said]),
      Object.entries(properties).map(([name, { default: value }]) => [
        `\`${name}\``,
        value === undefined ? "none" : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``
      ])
    )
    const meaning = (member: string) => rows.find(([name]) => name === `\`${member}\``)?.[2] ?? ""
    const { exclude = {}, maxAttempts = {}, prefer = {} } = properties
    assert.include(meaning("maxAttempts"), `${maxAttempts.minimum} to ${maxAttempts.maximum}`)
    assert.include(meaning("exclude"), `at most ${exclude.maxItems}`)
    for (const word of prefer.enum ?? [])
      if (word !== prefer.default) assert.include(meaning("prefer"), `\`${String(word)}\``)
  })
})
