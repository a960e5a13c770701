/** Health, metrics and the OpenAPI document. Touches no money and no storage, except through the readiness checks. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Fiber, type Layer } from "effect"
import { readinessMillis } from "../../domain/limits/Nodes.js"
import { Catalog } from "../../services/Catalog.js"
import { Draining } from "../../services/Draining.js"
import { Api } from "../Api.js"
import type { Open } from "../Auth.js"
import { openApiDocument } from "../OpenApi.js"
import { served, type Served } from "../serving/Endpoints.js"
import { HttpSettings } from "../Settings.js"
import { MetricsText } from "./Exposition.js"
import { ReadinessChecks } from "./Readiness.js"

const checkMillis = 1_000

export const SystemHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "system">,
  never,
  Catalog | Draining | HttpSettings | Open | Served
> = HttpApiBuilder.group(Api, "system", (handlers) =>
  served(
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const draining = yield* Draining
      const checks = yield* ReadinessChecks
      const metrics = yield* MetricsText
      const { serverUrl } = yield* HttpSettings
      const documentText = JSON.stringify(openApiDocument({ serverUrl }))
      const alive = HttpServerResponse.text('{"status":"ok"}', { contentType: "application/json" })

      const silent = { storage: `The storage did not answer within ${checkMillis} ms` }
      const looked = Effect.timeoutTo(checks, {
        duration: checkMillis,
        onSuccess: (found) => found,
        onTimeout: () => silent
      })
      // The check runs apart from the requests that ask for it. So a client that hangs up takes the answer from nobody
      // else.
      const recent = yield* Effect.cachedWithTTL(
        Effect.flatMap(Effect.forkDaemon(Effect.interruptible(looked)), Fiber.join),
        readinessMillis
      )

      const readiness = Effect.gen(function* () {
        const reasons = {
          serving: (yield* draining.announced) ? "This node is stopping" : null,
          catalog: (yield* Effect.isSuccess(catalog.revision)) ? null : "The catalog is not loaded yet",
          ...(yield* recent)
        }
        const wrong = Object.entries(reasons).flatMap(([name, reason]) => (reason === null ? [] : [[name, reason]]))
        const well = Object.fromEntries(Object.entries(reasons).map(([name, reason]) => [name, reason === null]))
        return wrong.length === 0
          ? { status: 200, body: { status: "ready", checks: well } }
          : { status: 503, body: { status: "not_ready", checks: well, reasons: Object.fromEntries(wrong) } }
      })

      return handlers
        .handle("livez", () => Effect.succeed(alive))
        .handle("readyz", () =>
          Effect.map(readiness, ({ body, status }) =>
            HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json" })
          )
        )
        .handle("metrics", () =>
          Effect.map(metrics, (text) =>
            HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
          )
        )
        .handle("openapi", () =>
          Effect.succeed(HttpServerResponse.text(documentText, { contentType: "application/json" }))
        )
    }),
    Context.pick()
  )
)
