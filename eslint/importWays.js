// Holds imports to the ways that eslint.config.js allows a folder, however they are written: `import`, `export … from`,
// `import()`, `import("…").Type`. A place that is not named there cannot be imported, so a new one is named first.
import { dirname, relative, resolve, sep } from "node:path"

/** A path of the repository, with `/` and without its ending. */
const placeOf = (root, file) =>
  relative(root, file)
    .split(sep)
    .join("/")
    .replace(/\.(?:[cm]?[jt]s)$/, "")

/** @type {import("eslint").Rule.RuleModule} */
export default {
  meta: {
    type: "problem",
    docs: { description: "Import only from where the folder may import from" },
    messages: {
      way: "{{from}} may not import {{what}}: {{why}} (see eslint.config.js).",
      unnamed: "Name what is imported, so that it can be checked."
    },
    schema: [
      {
        type: "object",
        properties: {
          from: { type: "string" },
          /** Folders, which end with `/`, and single files, without an ending. */
          to: { type: "array", items: { type: "string" } },
          /** Packages and modules of Node, with everything below them; any where it is left out. */
          packages: { type: "array", items: { type: "string" } },
          why: { type: "string" }
        },
        required: ["from", "to", "why"],
        additionalProperties: false
      }
    ]
  },
  create(context) {
    const [{ from, packages, to, why }] = context.options
    const isAllowed = (source) => {
      if (!source.startsWith("."))
        return packages === undefined || packages.some((name) => source === name || source.startsWith(`${name}/`))
      const place = placeOf(context.cwd, resolve(dirname(context.filename), source))
      return to.some((way) => (way.endsWith("/") ? `${place}/`.startsWith(way) : place === way))
    }
    const look = (node) => {
      if (node === null || node === undefined) return
      if (typeof node.value !== "string") context.report({ node, messageId: "unnamed" })
      else if (!isAllowed(node.value)) context.report({ node, messageId: "way", data: { from, what: node.value, why } })
    }
    return {
      ImportDeclaration: ({ source }) => look(source),
      ExportAllDeclaration: ({ source }) => look(source),
      ExportNamedDeclaration: ({ source }) => look(source),
      ImportExpression: ({ source }) => look(source),
      TSImportType: ({ source }) => look(source)
    }
  }
}
