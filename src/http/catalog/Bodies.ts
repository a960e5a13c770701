/**
 * The catalog's answers as JSON. Rows keep their bytes: the catalog gives the same row object while nothing about it
 * changes.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { CatalogRow } from "../../domain/CatalogRow.js"

const kept = new WeakMap<CatalogRow, Buffer>()

const bytesOf = (row: CatalogRow): Buffer => {
  const known = kept.get(row)
  if (known !== undefined) return known
  const bytes = Buffer.from(JSON.stringify(row))
  kept.set(row, bytes)
  return bytes
}

const opens: Buffer = Buffer.from('{"endpoints":[')
const comma: Buffer = Buffer.from(",")

/** The text of an answer whose rows are under `endpoints`. */
export const rowsBody = <A extends { readonly endpoints: ReadonlyArray<CatalogRow> }>({
  endpoints,
  ...rest
}: A): Buffer => {
  const parts: Array<Buffer> = [opens]
  for (const [at, row] of endpoints.entries()) {
    if (at > 0) parts.push(comma)
    parts.push(bytesOf(row))
  }
  parts.push(Buffer.from(`],${JSON.stringify(rest).slice(1)}`))
  return Buffer.concat(parts)
}

export const jsonResponse = (
  body: Buffer,
  headers: { readonly [name: string]: string } = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(body, { contentType: "application/json", headers })
