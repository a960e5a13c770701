// A document that is being read, with the provider that it describes and the report that takes the notes about it.
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { importedIdCharsMax, slug } from "./ImportedOperation.js"
import type { ReportBuilder } from "./ImportReport.js"
import { textOf } from "./OpenApiParts.js"
import { hostOf, namesInPaths, noServer, serverOf } from "./OpenApiServers.js"
import { inlineSchema, type SchemaUse } from "./OpenApiSchemas.js"

export interface Reading {
  readonly document: JsonObject
  readonly file: string
  readonly report: ReportBuilder
  readonly providerId: string
  readonly providerName: string
  /** Names that a variable of an address must not have. */
  readonly reserved: ReadonlySet<string>
  /** The scopes that its operations ask for, by the name of the scheme. */
  readonly scopes: ReadonlyMap<string, ReadonlyArray<string>>
  /** The schema with its references written out; what was cut is noted for the operation. */
  readonly schemaIn: (id: string, value: Json | undefined, use?: SchemaUse) => JsonObject
}

export const readingOf = (document: JsonObject, report: ReportBuilder, file: string): Reading => {
  const info = document["info"]
  const title = (isObject(info) ? textOf(info["title"]).trim() : "") || slug(file) || "unnamed"
  const reserved = namesInPaths(document)
  const server = serverOf(document["servers"], reserved) ?? noServer
  const host = hostOf(server).replace(/^(?:www|api)\./, "")
  return {
    document,
    file,
    report,
    providerId: (host !== "" && host.includes(".") ? host : slug(title)).slice(0, importedIdCharsMax),
    providerName: title,
    reserved,
    scopes: new Map(),
    schemaIn: (id, value, use) => {
      const { cut, schema } = inlineSchema(document, value, use)
      for (const what of cut) report.note("changed", id, what)
      return schema
    }
  }
}
