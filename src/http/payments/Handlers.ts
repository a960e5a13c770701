/** Takes the events of payment processors: body, signature, and the answer. What they mean is decided elsewhere. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Effect, type Layer } from "effect"
import { ValidationError } from "../../domain/ApiErrors.js"
import { webhookBytesMax, webhookToleranceSeconds } from "../../domain/limits/Workspaces.js"
import { PaymentEvents } from "../../services/PaymentEvents.js"
import { RateLimiter } from "../../services/RateLimiter.js"
import { TopUpReports } from "../../services/TopUpReports.js"
import { Api } from "../Api.js"
import type { Open } from "../Auth.js"
import { rawBody } from "../Body.js"
import { spendPublic } from "../RequestRate.js"
import { stateOf } from "../RequestState.js"
import { served, type Served } from "../serving/Endpoints.js"
import { HttpSettings } from "../Settings.js"

const unsigned = ValidationError.of(
  "stripe-signature",
  `must be a signature of this body by Stripe, made with the gateway's webhook secret within the last ${webhookToleranceSeconds / 60} minutes`
)

export const PaymentsHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "payments">,
  never,
  HttpSettings | Open | PaymentEvents | RateLimiter | TopUpReports | Served
> = HttpApiBuilder.group(Api, "payments", (handlers) =>
  served(
    Effect.gen(function* () {
      const events = yield* PaymentEvents
      const limiter = yield* RateLimiter
      const reports = yield* TopUpReports
      const { trustProxy } = yield* HttpSettings
      /** A sender who is not the processor runs out of the bucket of their address; the processor itself has none. */
      const spend = (request: HttpServerRequest.HttpServerRequest) =>
        spendPublic(limiter, request, trustProxy, stateOf(request))
      return handlers.handleRaw(
        "stripeEvent",
        Effect.fnUntraced(function* ({ headers, request }) {
          const body = yield* Effect.tapError(rawBody(request, webhookBytesMax), () => spend(request))
          const found = yield* events.read({ body, signature: headers["stripe-signature"] }).pipe(
            Effect.tapErrorTag("billing_unavailable", (error) =>
              // Anybody can send this, so it counts before it is written to the log.
              error.missing === undefined
                ? Effect.void
                : Effect.zipRight(spend(request), Effect.logWarning(`An event was refused. ${error.message}`))
            )
          )
          switch (found._tag) {
            case "Unsigned":
              yield* spend(request)
              return yield* unsigned
            case "Ignored":
              return { received: true as const, outcomes: [found.why] }
            case "Reports":
              return { received: true as const, outcomes: yield* Effect.forEach(found.reports, reports.report) }
          }
        })
      )
    }),
    Context.pick()
  )
)
