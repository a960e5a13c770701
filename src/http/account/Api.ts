/**
 * The routes of the account (completions: section 4; extensions: section 1): money, limits, who is calling, and wishes
 * for new capabilities.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { RunId } from "../../domain/Ids.js"
import { LedgerKind } from "../../domain/Ledger.js"
import { Access } from "../Access.js"
import { Bearer } from "../Auth.js"
import { created, Wire, WireReading, WireStorage } from "../Envelope.js"
import { keyHeader, mandatoryKeyHeader } from "../IdempotencyKey.js"
import { exampleId, field } from "../Fields.js"
import { choiceParam, idParam, optionalParam, pageParams, query, timeParams } from "../Query.js"
import {
  CapabilityRequestBody,
  CapabilityRequestInput,
  CapabilityRequestPage,
  LoggedOut,
  SessionContextBody,
  WhoamiBody
} from "./Bodies.js"
import { BalanceBody, LedgerPage, LimitsBody, TopUpBody, TopUpInput, TopUpPage } from "./MoneyBodies.js"

export class AccountApi extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("balance", "/v1/balance")
      .addSuccess(BalanceBody)
      .addError(WireReading)
      .annotate(Access, "usage:read")
      .annotate(OpenApi.Summary, "Get the balance, its open holds and the top-up link")
      .annotate(OpenApi.Description, "What can be spent, what runs in flight hold of it, and how to top up.")
  )
  .add(
    HttpApiEndpoint.get("limits", "/v1/limits")
      .addSuccess(LimitsBody)
      .addError(WireReading)
      .annotate(Access, "any-token")
      .annotate(OpenApi.Summary, "Get what is left of the balance and of each limit")
      .annotate(
        OpenApi.Description,
        "Read in one statement from the rows that decide whether a run may start. A run can still be refused: others may start before it."
      )
  )
  .add(
    HttpApiEndpoint.get("ledger", "/v1/ledger")
      .setUrlParams(
        query({
          kind: optionalParam(field(choiceParam(...LedgerKind.literals), "Only entries of this kind", "charge")),
          runId: optionalParam(
            field(
              idParam(RunId, `must be the id of a run, such as ${exampleId("run")}`),
              "Only entries of this run",
              RunId.make(exampleId("run"))
            )
          ),
          ...timeParams,
          ...pageParams
        })
      )
      .addSuccess(LedgerPage)
      .addError(WireReading)
      .annotate(Access, "usage:read")
      .annotate(OpenApi.Summary, "List ledger entries, newest first")
      .annotate(
        OpenApi.Description,
        "Every movement of money of the workspace. Entries are never changed or deleted, and their amounts add up to the available balance."
      )
  )
  .add(
    HttpApiEndpoint.get("topUps", "/v1/top-ups")
      .setUrlParams(query(pageParams))
      .addSuccess(TopUpPage)
      .addError(Wire.BillingUnavailable)
      .addError(WireReading)
      .annotate(Access, "usage:read")
      .annotate(OpenApi.Summary, "List top-ups, newest first")
      .annotate(OpenApi.Description, "The top-ups of the workspace, whatever became of them.")
  )
  .add(
    HttpApiEndpoint.post("requestTopUp", "/v1/top-ups")
      .setHeaders(Schema.Struct({ "idempotency-key": keyHeader("The same key answers the same top-up") }))
      .setPayload(TopUpInput)
      .addSuccess(created(TopUpBody, "TopUp"))
      .addError(Wire.IdempotencyConflict)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(Wire.BillingUnavailable)
      .addError(WireStorage)
      .annotate(Access, "billing:write")
      .annotate(OpenApi.Summary, "Request a top-up")
      .annotate(
        OpenApi.Description,
        "Makes a checkout. A person opens checkoutUrl and pays; the balance grows when the payment is reported. A 201 can carry status refused: look at reason and message."
      )
  )
  .add(
    HttpApiEndpoint.get("whoami", "/v1/whoami")
      .addSuccess(WhoamiBody)
      .addError(WireReading)
      .annotate(Access, "any-token")
      .annotate(OpenApi.Summary, "Who am I")
      .annotate(OpenApi.Description, "The calling token: its workspace, its scopes and what it may spend.")
  )
  .add(
    HttpApiEndpoint.post("logout", "/v1/logout")
      .addSuccess(LoggedOut)
      .addError(WireStorage)
      .annotate(Access, "any-token")
      .annotate(OpenApi.Summary, "Revoke the calling token, from the next request on")
      .annotate(OpenApi.Description, "Tokens that come from the calling one are revoked with it. Runs in flight go on.")
  )
  .add(
    HttpApiEndpoint.get("sessionContext", "/v1/session-context")
      .addSuccess(SessionContextBody)
      .annotate(Access, "any-token")
      .annotate(OpenApi.Summary, "The session's context")
      .annotate(OpenApi.Description, "What a user interface shows of its caller: workspace, role and scopes.")
  )
  .add(
    HttpApiEndpoint.get("capabilityRequests", "/v1/capability-requests")
      .setUrlParams(query(pageParams))
      .addSuccess(CapabilityRequestPage)
      .addError(WireReading)
      .annotate(Access, "catalog:read")
      .annotate(OpenApi.Summary, "List capability requests, newest first")
      .annotate(OpenApi.Description, "What this workspace wished for.")
  )
  .add(
    HttpApiEndpoint.post("requestCapability", "/v1/capability-requests")
      .setHeaders(Schema.Struct({ "idempotency-key": mandatoryKeyHeader }))
      .setPayload(CapabilityRequestInput)
      .addSuccess(created(CapabilityRequestBody, "CapabilityRequest"))
      .addError(Wire.IdempotencyConflict)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(WireStorage)
      .annotate(Access, "capabilities:write")
      .annotate(OpenApi.Summary, "Request a capability")
      .annotate(OpenApi.Description, "Tells the operator what the catalog lacks. Nothing is charged.")
  )
  .annotate(OpenApi.Description, "The balance, its ledger, top-ups, and who is calling")
  .middleware(Bearer) {}
