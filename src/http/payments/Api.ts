/** Where payment processors deliver their events (extensions: section 10). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { webhookToleranceSeconds } from "../../domain/limits/Workspaces.js"
import { reportOutcomes } from "../../domain/PaymentReport.js"
import { ignoredEvents } from "../../services/PaymentEvents.js"
import { Access } from "../Access.js"
import { Open } from "../Auth.js"
import { Wire, WireStorage } from "../Envelope.js"
import { field } from "../Fields.js"

/** Read as bytes, because the signature is over them. */
const StripeEvent = Schema.Object.annotations({
  identifier: "StripeEvent",
  jsonSchema: {
    type: "object",
    description: "An event as Stripe sends it",
    examples: [
      { id: "evt_1", object: "event", type: "checkout.session.completed", livemode: false, data: { object: {} } }
    ]
  }
})

const EventReceived = Schema.Struct({
  received: field(Schema.Literal(true), "The event is stored", true),
  outcomes: field(
    Schema.Array(Schema.Literal(...reportOutcomes, ...ignoredEvents)),
    "What became of it, for the people who look at deliveries in the processor's dashboard",
    ["credited"]
  )
}).annotations({ identifier: "EventReceived", description: "The event was taken" })

export class PaymentsApi extends HttpApiGroup.make("payments")
  .add(
    HttpApiEndpoint.post("stripeEvent", "/v1/payments/stripe/webhook")
      .setHeaders(
        Schema.Struct({
          "stripe-signature": Schema.optional(
            Schema.String.annotations({
              description: "What Stripe signed the body with: t=…,v1=…",
              examples: ["t=1793600000,v1=5257a869…"]
            })
          )
        })
      )
      .setPayload(StripeEvent)
      .addSuccess(EventReceived)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(Wire.BillingUnavailable)
      .addError(WireStorage)
      .annotate(Access, "signed")
      .annotate(OpenApi.Summary, "Take an event of Stripe")
      .annotate(
        OpenApi.Description,
        `Stripe delivers events here. The body counts as it is, signed with one of the gateway's webhook secrets within the last ${webhookToleranceSeconds / 60} minutes. The answer comes after what happened is stored; anything but 200 makes Stripe deliver the event again. The same event may come any number of times and in any order.`
      )
  )
  .annotate(OpenApi.Description, "Where payment processors deliver their events")
  .middleware(Open) {}
