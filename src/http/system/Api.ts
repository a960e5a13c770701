/**
 * The routes beside the API: health, metrics and the OpenAPI document (completions: section 1, "Extra routes").
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { productName, productVersion } from "../../domain/Product.js"
import { field, optional } from "../Fields.js"
import { Access } from "../Access.js"
import { Open } from "../Auth.js"

const Health = Schema.Struct({
  status: field(Schema.Literal("ok"), "The process runs", "ok")
}).annotations({ identifier: "Health", description: "The process runs" })
const readiness = "Whether this node takes requests, and which checks say no"
const Readiness = Schema.Struct({
  status: field(Schema.Literal("ready", "not_ready"), "Whether this node takes requests", "ready"),
  checks: field(Schema.Record({ key: Schema.String, value: Schema.Boolean }), "What each check says", {
    serving: true,
    catalog: true,
    storage: true
  }),
  reasons: optional(
    field(
      Schema.Record({ key: Schema.String, value: Schema.String }),
      "Why a check says no; only on a node that is not ready",
      { storage: "The storage did not answer within 1000 ms" }
    )
  )
}).annotations({ identifier: "Readiness", description: readiness })

/** A page or text, of whatever length. */
const page = (contentType: string, description: string, example: string) =>
  HttpApiSchema.Text({ contentType }).annotations({ description, examples: [example] })

export class SystemApi extends HttpApiGroup.make("system", { topLevel: true })
  .add(
    HttpApiEndpoint.get("livez", "/livez")
      .addSuccess(Health)
      .annotate(Access, "probe")
      .annotate(OpenApi.Summary, "The process is alive")
      .annotate(OpenApi.Description, "For a supervisor that restarts dead processes. It looks at nothing else.")
  )
  .add(
    HttpApiEndpoint.get("readyz", "/readyz")
      .addSuccess(Readiness)
      .addSuccess(
        Readiness.annotations({
          ...HttpApiSchema.annotations({ status: 503, description: "Not ready" }),
          identifier: "Readiness",
          description: readiness
        })
      )
      .annotate(Access, "probe")
      .annotate(OpenApi.Summary, "The node can take requests")
      .annotate(
        OpenApi.Description,
        "For a load balancer: 503 while the node starts, stops or cannot reach its storage. An answer holds for a second."
      )
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(
        page("text/plain", "The metrics", "# TYPE gateway_ledger_drift_micros gauge\ngateway_ledger_drift_micros 0\n")
      )
      .annotate(Access, "probe")
      .annotate(OpenApi.Summary, "Metrics in the Prometheus text format")
      .annotate(
        OpenApi.Description,
        "For Prometheus, version 0.0.4 of the format. It tells of this node only, and needs no token: keep it inside."
      )
  )
  .add(
    HttpApiEndpoint.get("openapi", "/openapi.json")
      .addSuccess(
        Schema.Object.annotations({
          identifier: "OpenApiDocument",
          description: "An OpenAPI 3.1.0 document",
          jsonSchema: {
            type: "object",
            description: "An OpenAPI 3.1.0 document",
            examples: [{ openapi: "3.1.0", info: { title: productName, version: productVersion }, paths: {} }]
          }
        })
      )
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "This document")
      .annotate(OpenApi.Description, "The whole interface as OpenAPI 3.1.0, made from the code that serves it.")
  )
  .annotate(OpenApi.Description, "Health, metrics and this document")
  .middleware(Open) {}
