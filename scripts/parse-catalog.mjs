// Parses the YAML of the built-in catalog once, when the program is built: src/layers/catalog/ParsedAhead.ts tells why.
// A text with a mistake is left out; who reads the catalog is told of it.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseDocument } from "yaml"

const textsIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8"))
    .sort()

/** JSON: what each text of the folder holds, by the text's digest. */
export const parsedCatalog = (folder) =>
  JSON.stringify(
    Object.fromEntries(
      textsIn(folder).flatMap((text) => {
        const document = parseDocument(text)
        if (document.errors.length > 0) return []
        return [[createHash("sha256").update(text).digest("base64url"), document.toJS()]]
      })
    )
  )
