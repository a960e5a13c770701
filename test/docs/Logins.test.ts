// docs/logins.md says which routes each scope opens, as the routes themselves do.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { scopes } from "../../src/domain/Scope.js"
import { apiRoutes } from "../../src/http/ApiRoutes.js"
import { rowsOf } from "./tables.js"

const page = readFileSync(new URL("../../docs/logins.md", import.meta.url), "utf8")

describe("docs/logins.md", () => {
  it("lists every scope with the routes that need it", () => {
    const routes = apiRoutes
    const expected = scopes.map((scope) => {
      const opened = routes
        .filter(({ access }) => access === scope)
        .map(({ method, path }) => `\`${method} ${path.replace(/:(\w+)/g, "{$1}")}\``)
      return [`\`${scope}\``, opened.join(", ")]
    })
    assert.deepStrictEqual(rowsOf(page, "What each scope allows"), expected)
  })
})
