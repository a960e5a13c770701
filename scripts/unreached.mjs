// Finds compiled files that no import of the package reaches: what only the bundled programs use is in their bundle.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ts from "typescript"

/** The paths of the package's own that a module names. */
const named = (file) =>
  ts
    .preProcessFile(readFileSync(file, "utf8"), true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => join(dirname(file), fileName))

/** Of these files, those that cannot be reached from these entries. Types name other types by the name of the code. */
export const unreached = (files, entries) => {
  const reached = new Set()
  const visit = (path, from) => {
    const file = from.endsWith(".d.ts") ? path.replace(/\.js$/, ".d.ts") : path
    if (reached.has(file) || !existsSync(file)) return
    reached.add(file)
    for (const next of named(file)) visit(next, file)
  }
  for (const entry of entries) visit(entry, entry)
  return files.filter((file) => !reached.has(file))
}
