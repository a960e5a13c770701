/**
 * The routes of command-line logins (completions: section 4, "Login approval"), and the page on which a person decides
 * about one.
 */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../Access.js"
import { Open } from "../Auth.js"
import { created, Wire, WireStorage } from "../Envelope.js"
import { DecisionForm, LoginBody, LoginCreated, LoginInput } from "./Bodies.js"

const approvalPath = Schema.Struct({
  approvalId: Schema.String.annotations({ description: "An id that begins with apr_" })
})
/** A person gets a page whatever happens. */
const page = (status: number, description: string) =>
  HttpApiSchema.Text({ contentType: "text/html" }).annotations(HttpApiSchema.annotations({ status, description }))

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
  )
  .add(
    HttpApiEndpoint.get("page", "/approve/:approvalId")
      .setPath(approvalPath)
      .addSuccess(page(200, "The login and, while it is pending, the form"))
      .addSuccess(page(404, "No such login"))
      .addError(WireStorage)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "The page on which a person approves or denies a login")
  )
  .add(
    HttpApiEndpoint.post("decide", "/approve/:approvalId")
      .setPath(approvalPath)
      .setPayload(DecisionForm.pipe(HttpApiSchema.withEncoding({ kind: "UrlParams" })))
      .addSuccess(HttpApiSchema.Empty(303))
      .addSuccess(page(400, "Decided otherwise or expired already, or not this page's form"))
      .addSuccess(page(401, "The token is not valid"))
      .addSuccess(page(403, "The token may not decide, or lacks a scope that it would pass on"))
      .addSuccess(page(404, "No such login"))
      .addSuccess(page(413, "The form is too large"))
      .addSuccess(page(415, "The form is compressed"))
      .addError(WireStorage)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "Decide about a login, with a token of scope account:manage in the form")
  )
  .middleware(Open) {}
