// Finds compiled files that no import of the package reaches: what only the bundled programs use is in their bundle.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ts from "typescript"

/** What a module takes or passes on, in any way. The compiler's own list lacks `export * as name from`. */
const namedBy = (text) => [
  ...ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName),
  ...ts
    .createSourceFile("module.ts", text, ts.ScriptTarget.Latest)
    .statements.flatMap((statement) =>
      ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined
        ? [statement.moduleSpecifier.text]
        : []
    )
]

/** The paths of the package's own that a module names. */
export const pathsNamedBy = (file) =>
  [...new Set(namedBy(readFileSync(file, "utf8")))]
    .filter((name) => name.startsWith("."))
    .map((name) => join(dirname(file), name))

/** Of these files, those that cannot be reached from these entries. Types name other types by the name of the code. */
export const unreached = (files, entries) => {
  const reached = new Set()
  const visit = (path, from) => {
    const file = from.endsWith(".d.ts") ? path.replace(/\.js$/, ".d.ts") : path
    if (reached.has(file) || !existsSync(file)) return
    reached.add(file)
    for (const next of pathsNamedBy(file)) visit(next, file)
  }
  for (const entry of entries) visit(entry, entry)
  return files.filter((file) => !reached.has(file))
}
