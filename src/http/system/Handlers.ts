/** Health, metrics and documentation. Touches no money and no storage, except through the readiness checks. */
import { HttpApiBuilder, HttpServerResponse, type HttpApiGroup } from "@effect/platform"
import { Effect, Option, type Layer } from "effect"
import { Catalog } from "../../services/Catalog.js"
import { Draining } from "../../services/Draining.js"
import { Api } from "../Api.js"
import type { Open } from "../Auth.js"
import { answering } from "../Exchange.js"
import { openApiDocument } from "../OpenApi.js"
import { docsHeaders, docsPage } from "./DocsPage.js"
import { exposition } from "./Exposition.js"
import { ReadinessChecks } from "./Readiness.js"

const checkMillis = 1_000

export const SystemHandlers: Layer.Layer<HttpApiGroup.ApiGroup<"provider-gateway", "system">, never, Catalog | Draining | Open> = HttpApiBuilder.group(Api, "system", (handlers) =>
  Effect.gen(function*() {
    const catalog = yield* Catalog
    const draining = yield* Draining
    const checks = yield* ReadinessChecks
    const document = openApiDocument(Api)
    const documentText = JSON.stringify(document)
    const page = docsPage(document)
    const alive = HttpServerResponse.text("{\"status\":\"ok\"}", { contentType: "application/json" })

    const readiness = Effect.gen(function*() {
      const named = { serving: Effect.map(draining.begun, (begun) => !begun), catalog: Effect.isSuccess(catalog.revision), ...checks }
      const results = yield* Effect.all(
        Object.entries(named).map(([name, check]) =>
          Effect.timeoutOption(check, checkMillis).pipe(Effect.map((answer) => [name, Option.getOrElse(answer, () => false)] as const))),
        { concurrency: "unbounded" }
      )
      const ready = results.every(([, well]) => well)
      return { status: ready ? 200 : 503, body: { status: ready ? "ready" : "not_ready", checks: Object.fromEntries(results) } }
    })

    return handlers
      .handle("livez", answering(() => Effect.succeed(alive)))
      .handle("readyz", answering(() =>
        Effect.map(readiness, ({ body, status }) => HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json" }))))
      .handle("metrics", answering(() =>
        Effect.map(exposition, (text) => HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" }))))
      .handle("openapi", answering(() => Effect.succeed(HttpServerResponse.text(documentText, { contentType: "application/json" }))))
      .handle("docs", answering(() =>
        Effect.succeed(HttpServerResponse.text(page, {
          contentType: "text/html; charset=utf-8",
          headers: docsHeaders
        }))))
  }))
