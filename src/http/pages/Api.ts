/** The pages that anybody may read without signing in: what this is, the documentation and the reference. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { isObject, type JsonObject } from "../../domain/Json.js"
import { productName, productVersion } from "../../domain/Product.js"
import { Access } from "../Access.js"
import { Open } from "../Auth.js"
import { Wire } from "../Envelope.js"
import { field } from "../Fields.js"
import { description } from "./About.js"
import { guides } from "./Guides.js"

const pageExample = `<!doctype html><title>${productName}</title>`
const page = HttpApiSchema.Text({ contentType: "text/html" }).annotations({
  description: "The page",
  examples: [pageExample]
})

const link = (what: string, path: string) => field(Schema.String, what, `https://gateway.example.com${path}`)

const About = Schema.Struct({
  name: field(Schema.String, "What this software is called", productName),
  version: field(Schema.String, "Its version", productVersion),
  description: field(Schema.String, "What it is", description),
  links: Schema.Struct({
    docs: link("The documentation, for people", "/docs"),
    reference: link("Every route, for people", "/docs/reference"),
    openapi: link("The OpenAPI document", "/openapi.json"),
    llms: link("The gateway in one text, for language models", "/llms.txt"),
    console: link("The console, for people", "/console"),
    publicCatalog: link("The catalog, without a token", "/v1/public-catalog"),
    health: link("Whether this node takes requests", "/readyz")
  }).annotations({ description: "Where to go on" })
}).annotations({ identifier: "About", description: "What this is, and where to go on" })

/** Any other name is answered 404, not 400. */
const GuideName = Schema.String.annotations({
  jsonSchema: { type: "string", enum: guides.map(({ name }) => name) }
})

/** The library knows one content type for each status. */
const alsoAsPage = ({ responses, ...operation }: JsonObject): JsonObject => {
  const all = isObject(responses) ? responses : {}
  const found = isObject(all["200"]) ? all["200"] : {}
  const content = isObject(found["content"]) ? found["content"] : {}
  const html = { schema: { type: "string", description: "The page", examples: [pageExample] } }
  return { ...operation, responses: { ...all, 200: { ...found, content: { ...content, "text/html": html } } } }
}

export class PagesApi extends HttpApiGroup.make("pages", { topLevel: true })
  .add(
    HttpApiEndpoint.get("home", "/")
      .addSuccess(About)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "What this is, and where to go on")
      .annotate(OpenApi.Description, "A page where Accept prefers text/html to JSON, as browsers do; else JSON.")
      .annotate(OpenApi.Transform, alsoAsPage)
  )
  .add(
    HttpApiEndpoint.get("docs", "/docs")
      .addSuccess(page)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "The documentation as a page")
      .annotate(
        OpenApi.Description,
        "The guides, all routes, and all error codes: the page has a place for each, such as /docs#not_found. It loads nothing from elsewhere."
      )
  )
  .add(
    HttpApiEndpoint.get("docsReference", "/docs/reference")
      .addSuccess(page)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "The reference as a page")
      .annotate(OpenApi.Description, "This document for people. It loads nothing from elsewhere.")
  )
  .add(
    HttpApiEndpoint.get("docsGuide", "/docs/:guide")
      .setPath(Schema.Struct({ guide: field(GuideName, "The name of the guide", "client") }))
      .addSuccess(page)
      .addError(Wire.NotFound)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "A guide as a page")
      .annotate(
        OpenApi.Description,
        "One of the pages of `docs/`, for those who use or run a gateway. It loads nothing from elsewhere."
      )
  )
  .add(
    // The start of the documentation, as a person may type it.
    HttpApiEndpoint.get("docsSlashed", "/docs/")
      .addSuccess(page)
      .annotate(Access, "public")
      .annotate(OpenApi.Exclude, true)
  )
  .add(
    // What the reference loads. It is no part of the interface, so the document leaves it out.
    HttpApiEndpoint.get("docsFile", "/docs/files/:file")
      .setPath(Schema.Struct({ file: Schema.String }))
      .addSuccess(HttpApiSchema.Uint8Array())
      .addError(Wire.NotFound)
      .annotate(Access, "public")
      .annotate(OpenApi.Exclude, true)
  )
  .annotate(OpenApi.Description, "Pages for people that need no token")
  .middleware(Open) {}
