/**
 * The routes beside the API: health, metrics, the OpenAPI document and its reference page (completions: section 1,
 * "Extra routes").
 */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../Access.js"
import { Open } from "../Auth.js"

const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotations({ identifier: "Health" })
export const Readiness = Schema.Struct({
  status: Schema.Literal("ready", "not_ready"),
  checks: Schema.Record({ key: Schema.String, value: Schema.Boolean }),
  reasons: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), {
    exact: true
  }).annotations({
    description: "Why a check says no; only on a node that is not ready"
  })
}).annotations({ identifier: "Readiness" })

export class SystemApi extends HttpApiGroup.make("system", { topLevel: true })
  .add(
    HttpApiEndpoint.get("livez", "/livez")
      .addSuccess(Health)
      .annotate(Access, "probe")
      .annotate(OpenApi.Summary, "The process is alive")
  )
  .add(
    HttpApiEndpoint.get("readyz", "/readyz")
      .addSuccess(Readiness)
      .addSuccess(
        Readiness.annotations({
          ...HttpApiSchema.annotations({ status: 503, description: "Not ready" }),
          identifier: "Readiness"
        })
      )
      .annotate(Access, "probe")
      .annotate(OpenApi.Summary, "The node can take requests")
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(HttpApiSchema.Text({ contentType: "text/plain" }))
      .annotate(Access, "probe")
      .annotate(OpenApi.Summary, "Metrics in the Prometheus text format")
  )
  .add(
    HttpApiEndpoint.get("openapi", "/openapi.json")
      .addSuccess(Schema.Object.annotations({ identifier: "OpenApiDocument", jsonSchema: { type: "object" } }))
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "This document")
  )
  .add(
    HttpApiEndpoint.get("docs", "/docs")
      .addSuccess(HttpApiSchema.Text({ contentType: "text/html" }))
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "The reference as a page")
  )
  .middleware(Open) {}
