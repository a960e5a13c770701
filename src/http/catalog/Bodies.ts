/** The catalog's answers as JSON texts. Rows keep their text: the catalog gives the same row object while nothing about it changes. */
import { HttpServerResponse } from "@effect/platform"
import type { CatalogRow } from "../../domain/CatalogView.js"

const texts = new WeakMap<CatalogRow, string>()

const textOf = (row: CatalogRow): string => {
  const known = texts.get(row)
  if (known !== undefined) return known
  const text = JSON.stringify(row)
  texts.set(row, text)
  return text
}

/** An answer whose rows are under `endpoints`. */
export const rowsResponse = <A extends { readonly endpoints: ReadonlyArray<CatalogRow> }>(
  { endpoints, ...rest }: A, headers: { readonly [name: string]: string } = {}
): HttpServerResponse.HttpServerResponse => {
  let rows = ""
  for (const row of endpoints) rows += rows === "" ? textOf(row) : `,${textOf(row)}`
  return HttpServerResponse.text(`{"endpoints":[${rows}],${JSON.stringify(rest).slice(1)}`, { contentType: "application/json", headers })
}
