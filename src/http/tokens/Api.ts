/** The routes of tokens (extensions: section 2). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Access } from "../Access.js"
import { Bearer } from "../Auth.js"
import { created, Wire, WireReading, WireStorage } from "../Envelope.js"
import { pageParams, pathId, query } from "../Query.js"
import { RotationInput, TokenBody, TokenChange, TokenInput, TokenPage, TokenWithSecret } from "./Bodies.js"

const tokenPath = Schema.Struct({ tokenId: pathId("token", "tok") })

export class TokensApi extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.get("list", "/v1/tokens")
      .setUrlParams(query(pageParams))
      .addSuccess(TokenPage)
      .addError(WireReading)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "List the workspace's tokens, newest first, revoked ones too")
      .annotate(OpenApi.Description, "Everything about each token except its secret.")
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/tokens")
      .setPayload(TokenInput)
      .addSuccess(created(TokenWithSecret, "TokenWithSecret"))
      .addError(Wire.Forbidden)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(WireStorage)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "Make a token; its secret is shown once")
      .annotate(
        OpenApi.Description,
        "The new token is a child of the calling one: it has no more scopes, ends no later, shares its limits and is revoked with it. Asking for more is answered 403, with what is too much in error.details. There is no idempotency key: a secret cannot be shown twice, so a repeated request makes another token. When an answer was lost, list the tokens, revoke the one that nobody has the secret of, and make another."
      )
  )
  .add(
    HttpApiEndpoint.patch("change", "/v1/tokens/:tokenId")
      .setPath(tokenPath)
      .setPayload(TokenChange)
      .addSuccess(TokenBody)
      .addError(Wire.Forbidden)
      .addError(Wire.NotFound)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(WireStorage)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "Change the label, monthly limit or expiry of a token")
      .annotate(
        OpenApi.Description,
        "Fields that are left out stay. Holds from the next request. Tokens that come from this one end no later than it does."
      )
  )
  .add(
    HttpApiEndpoint.del("revoke", "/v1/tokens/:tokenId")
      .setPath(tokenPath)
      .addSuccess(HttpApiSchema.NoContent.annotations({ description: "Revoked, or revoked before" }))
      .addError(Wire.Forbidden)
      .addError(Wire.NotFound)
      .addError(WireStorage)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "Revoke a token and all that come from it, from the next request on")
      .annotate(OpenApi.Description, "Revoking one that was revoked before answers the same. Runs in flight go on.")
  )
  .add(
    HttpApiEndpoint.post("rotate", "/v1/tokens/:tokenId/rotate")
      .setPath(tokenPath)
      .setPayload(RotationInput)
      .addSuccess(TokenWithSecret)
      .addError(Wire.Forbidden)
      .addError(Wire.NotFound)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(WireStorage)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "Give a token a new secret; it is shown once")
      .annotate(
        OpenApi.Description,
        "The secret until now works for overlapSeconds more, and every secret before it no longer than that. The body may be left out. A repeated request gives yet another secret. A token that may do more than the calling one is not rotated, and neither is one that would go on working when a token above the calling one is revoked (403)."
      )
  )
  .annotate(OpenApi.Description, "Tokens of the workspace")
  .middleware(Bearer) {}
