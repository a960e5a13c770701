/** A small OpenAPI document, and what an import makes of it. */
import type { Effect } from "effect"
import type { Endpoint } from "../../../src/domain/Manifest.js"
import { importOpenApi } from "../../../src/layers/catalog/import/ImportOpenApi.js"
import type { Imported } from "../../../src/layers/catalog/import/ImportReport.js"

export const head = `
openapi: 3.0.3
info: { title: Shop, version: "1" }
servers: [{ url: "https://api.shop.example/v1" }]
security: []
`
export const one = (paths: string, more = ""): Effect.Effect<Imported> =>
  importOpenApi([{ file: "shop.yaml", text: `${head}${more}paths:\n${paths}` }])
export const said = ({ report }: Imported, effect: string): ReadonlyArray<string> =>
  report.notes.filter((note) => note.effect === effect).map(({ message }) => message)
export const first = ({ endpoints, report }: Imported): Endpoint => {
  const [endpoint] = endpoints
  if (endpoint === undefined) throw new Error(`nothing was imported: ${JSON.stringify(report)}`)
  return endpoint
}
