/** Automatic top-ups of a workspace (extensions: section 10). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Access } from "../Access.js"
import { Bearer } from "../Auth.js"
import { Wire, WireReading, WireStorage } from "../Envelope.js"
import { AutomaticTopUpBody, AutomaticTopUpInput } from "./AutomaticBodies.js"

export class AutomaticTopUpsApi extends HttpApiGroup.make("automaticTopUps")
  .add(
    HttpApiEndpoint.get("automaticTopUp", "/v1/top-ups/automatic")
      .addSuccess(AutomaticTopUpBody)
      .addError(Wire.NotFound)
      .addError(Wire.BillingUnavailable)
      .addError(WireReading)
      .annotate(Access, "usage:read")
      .annotate(OpenApi.Summary, "Get the rule of automatic top-ups")
      .annotate(
        OpenApi.Description,
        "The rule, whether it is active, and what was charged this month. A workspace without a rule answers 404."
      )
  )
  .add(
    HttpApiEndpoint.put("setAutomaticTopUp", "/v1/top-ups/automatic")
      .setPayload(AutomaticTopUpInput)
      .addSuccess(AutomaticTopUpBody)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(Wire.BillingUnavailable)
      .addError(WireStorage)
      .annotate(Access, "billing:write")
      .annotate(OpenApi.Summary, "Set the rule of automatic top-ups")
      .annotate(
        OpenApi.Description,
        "While less than belowUsd is available, a saved card is charged with amountUsd, with at most monthlyMaximumUsd in a calendar month (UTC). A card is saved by paying a top-up that was requested with savePaymentMethod. A card that is declined disables the rule until it is set again."
      )
  )
  .add(
    HttpApiEndpoint.del("removeAutomaticTopUp", "/v1/top-ups/automatic")
      .addSuccess(HttpApiSchema.NoContent.annotations({ description: "Taken away, or there was none" }))
      .addError(Wire.BillingUnavailable)
      .addError(WireStorage)
      .annotate(Access, "billing:write")
      .annotate(OpenApi.Summary, "Take the rule of automatic top-ups away")
      .annotate(OpenApi.Description, "The saved card is charged no more. A top-up under way is not called back.")
  )
  .annotate(OpenApi.Description, "Top-ups that a saved card pays by itself")
  .middleware(Bearer) {}
