// A document that is being read, with the provider that it describes and the report that takes the notes about it.
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"
import { readUrl } from "../../../domain/Url.js"
import { importedIdCharsMax, slug } from "./ImportedOperation.js"
import type { ReportBuilder } from "./ImportReport.js"
import { listOf, textOf } from "./OpenApiParts.js"
import { inlineSchema, type SchemaUse } from "./OpenApiSchemas.js"

export interface Reading {
  readonly document: JsonObject
  readonly file: string
  readonly report: ReportBuilder
  readonly providerId: string
  readonly providerName: string
  /** The schema with its references written out; what was cut is noted for the operation. */
  readonly schemaIn: (id: string, value: Json | undefined, use?: SchemaUse) => JsonObject
}

const addressOf = (server: JsonObject): string =>
  textOf(server["url"]).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variables = server["variables"]
    const variable = isObject(variables) ? member(variables, name) : undefined
    return (isObject(variable) ? textOf(variable["default"]) : "") || whole
  })

/** The first address of these servers; one with https comes before one without. */
export const serverOf = (servers: Json | undefined): string => {
  const addresses = listOf(servers).filter(isObject).map(addressOf)
  const [first = ""] = addresses
  return first.startsWith("http:")
    ? (addresses.find((address) => address === `https${first.slice(4)}`) ?? first)
    : first
}

export const readingOf = (document: JsonObject, report: ReportBuilder, file: string): Reading => {
  const info = document["info"]
  const title = (isObject(info) ? textOf(info["title"]).trim() : "") || slug(file) || "unnamed"
  const server = serverOf(document["servers"])
  const host = readUrl(server)?.hostname.replace(/^(?:www|api)\./, "") ?? ""
  return {
    document,
    file,
    report,
    providerId: (host !== "" && host.includes(".") ? host : slug(title)).slice(0, importedIdCharsMax),
    providerName: title,
    schemaIn: (id, value, use) => {
      const { cut, schema } = inlineSchema(document, value, use)
      for (const what of cut) report.note("changed", id, what)
      return schema
    }
  }
}
