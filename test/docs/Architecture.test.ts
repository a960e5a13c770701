// ARCHITECTURE.md leads to code that exists: every path on the page, and every symbol of its tables of rules.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { assert, describe, it } from "vitest"
import { rowsOf } from "./tables.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")

/** The names that a module exports, types included. */
const exportsOf = (file: string): ReadonlySet<string> => {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, false)
  const names = source.statements.flatMap((statement): ReadonlyArray<string> => {
    if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined) {
      return ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name }) => name.text)
        : [statement.exportClause.name.text]
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
    return "name" in statement && statement.name !== undefined ? [(statement.name as ts.Identifier).text] : []
  })
  return new Set(names)
}

const folders = ["src", "test", "docs", "bench", "chaos", "catalog", "eslint", "examples", "scripts"]
/** Every file and folder of the repository, from its root. */
const everything = folders.flatMap((folder) => [
  folder,
  ...readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
])
const names = new Set([...everything.map((path) => basename(path)), ...readdirSync(root)])

/** A path from the root or from `src`; `<name>` and `*` stand for any name. A bare file name is one of any folder. */
const exists = (path: string): boolean => {
  const plain = path.replace(/\/(\*\*)?$/, "")
  if (!plain.includes("/")) return names.has(plain)
  const pattern = plain
    .split(/<[^>]+>|\*+/)
    .map((text) => text.replaceAll(".", "\\."))
    .join("[^/]+")
  const shape = new RegExp(`^(src/)?${pattern}$`)
  return everything.some((each) => shape.test(each))
}

const extension = /\.(ts|js|mjs|md|ya?ml|json)$/
const isPath = (text: string): boolean =>
  /^[\w.*<>-]+(\/[\w.*<>-]+)*\/?$/.test(text) &&
  (extension.test(text) ||
    new RegExp(`^(${[...folders, "domain", "services", "layers", "http", "cli"].join("|")})/`).test(text))

describe("ARCHITECTURE.md", () => {
  it("names only paths that exist", () => {
    const named = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text).filter(isPath)
    assert.isAbove(named.length, 60)
    assert.deepStrictEqual(
      named.filter((path) => !exists(path)),
      []
    )
  })

  it("and the other pages name only paths that exist", () => {
    const pages = [
      "README.md",
      ...readdirSync(join(root, "docs"))
        .filter((name) => name.endsWith(".md"))
        .map((name) => `docs/${name}`)
    ]
    const gone = pages.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/`([^`\n]+)`/g)]
        .map(([, text = ""]) => text)
        .filter(
          (text) =>
            isPath(text) && text.includes("/") && /^(src|test|bench|chaos|domain|services|layers|http)\//.test(text)
        )
        .filter((path) => !exists(path))
        .map((path) => `${file}: ${path}`)
    )
    assert.deepStrictEqual(gone, [])
  })

  it("lists every file of the domain by its subject", () => {
    const listed = rowsOf(page, "The domain by subject").flatMap(([, files = ""]) => files.match(/\w+\.ts/g) ?? [])
    const files = readdirSync(join(root, "src/domain"), { encoding: "utf8", recursive: true })
    assert.sameMembers(
      listed,
      files.filter((file) => file.endsWith(".ts")).map((file) => basename(file))
    )
  })

  it("and contributing.md names every file of the storages, which a new one is made after", () => {
    const contributing = readFileSync(join(root, "docs/contributing.md"), "utf8")
    const [, section = ""] = contributing.split("\n## A new storage\n")
    const patterns = [...section.matchAll(/`(\w[\w*]*\.ts)`/g)].map(
      ([, name = ""]) => new RegExp(`^${name.replace(".", "\\.").replace("*", "\\w+")}$`)
    )
    const files = ["memory", "postgres"].flatMap((room) =>
      readdirSync(join(root, "src/layers", room)).filter((name) => name.endsWith(".ts"))
    )
    assert.deepStrictEqual(
      files.filter((name) => !patterns.some((pattern) => pattern.test(name))),
      []
    )
    assert.deepStrictEqual(
      patterns.filter((pattern) => !files.some((name) => pattern.test(name))).map(({ source }) => source),
      []
    )
  })

  it("says of each rule where it is: an export of a file", () => {
    const [, chapter = ""] = page.split("\n## Rules and where they are\n")
    const subjects = [...(chapter.split("\n## ")[0] ?? "").matchAll(/^### (.+)$/gm)].map(([, subject = ""]) => subject)
    const rows = subjects.flatMap((subject) => rowsOf(page, subject))
    const rules = rows.map(([rule = "", place = ""]) => ({
      rule,
      places: [...place.matchAll(/`(src\/[^`]+)` `(\w+)`/g)].map(([, file = "", symbol = ""]) => ({ file, symbol }))
    }))
    assert.isAbove(rules.length, 100)
    assert.deepStrictEqual(
      rules.filter(({ places }) => places.length === 0).map(({ rule }) => rule),
      [],
      "each place is written as `src/file.ts` `symbol`"
    )
    const known = new Map<string, ReadonlySet<string>>()
    const isThere = (file: string, symbol: string): boolean => {
      if (!existsSync(join(root, file))) return false
      const symbols = known.get(file) ?? exportsOf(file)
      known.set(file, symbols)
      return symbols.has(symbol)
    }
    const gone = rules.flatMap(({ places }) => places.filter(({ file, symbol }) => !isThere(file, symbol)))
    assert.deepStrictEqual(gone, [])
  })
})
