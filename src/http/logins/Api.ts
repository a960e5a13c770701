/**
 * The routes of command-line logins (completions: section 4, "Login approval"). The page on which a person decides
 * about one is `console/sign-in/Approve.ts`.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Access } from "../Access.js"
import { Open } from "../Auth.js"
import { created, Wire, WireStorage } from "../Envelope.js"
import { pathId } from "../Query.js"
import { LoginBody, LoginCreated, LoginInput } from "./Bodies.js"

const approvalPath = Schema.Struct({ approvalId: pathId("login", "apr") })

export class LoginsApi extends HttpApiGroup.make("logins")
  .add(
    HttpApiEndpoint.post("create", "/v1/login-approvals")
      .setPayload(LoginInput)
      .addSuccess(created(LoginCreated, "LoginApprovalCreated"))
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(WireStorage)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "Ask a person to let a token in")
      .annotate(
        OpenApi.Description,
        "The client makes a token and sends its SHA-256 only. Once a person has approved it under approveUrl, the token works; denied, it answers token_revoked."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/login-approvals/:approvalId")
      .setPath(approvalPath)
      .addSuccess(LoginBody)
      .addError(Wire.NotFound)
      .addError(WireStorage)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "What has become of a login")
      .annotate(OpenApi.Description, "Ask again after pollIntervalSeconds while it is pending.")
  )
  .annotate(OpenApi.Description, "How a client of a person gets a token that the person approves")
  .middleware(Open) {}
