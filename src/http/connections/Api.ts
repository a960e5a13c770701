/** The routes of connections: a customer's own keys at providers (contract: "Authentication", 6). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Access } from "../Access.js"
import { Bearer } from "../Auth.js"
import { created, Wire, WireReading, WireStorage } from "../Envelope.js"
import { pageParams, pathId, query } from "../Query.js"
import { AuthorizationBody, AuthorizationInput, ConnectionBody, ConnectionInput, ConnectionPage } from "./Bodies.js"

const connectionPath = Schema.Struct({ connectionId: pathId("connection", "con") })

export class ConnectionsApi extends HttpApiGroup.make("connections")
  .add(
    HttpApiEndpoint.post("create", "/v1/connections")
      .setPayload(ConnectionInput)
      .addSuccess(created(ConnectionBody, "Connection"))
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(Wire.CatalogLoading)
      .addError(WireStorage)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "Connect your own account at a provider")
      .annotate(
        OpenApi.Description,
        "The secret is stored sealed and never shown again. Runs of this workspace at the provider use the newest connection, or the one that they name as connectionId."
      )
  )
  .add(
    HttpApiEndpoint.post("authorize", "/v1/connections/authorizations")
      .setPayload(AuthorizationInput)
      .addSuccess(created(AuthorizationBody, "ConnectionAuthorization"))
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(Wire.CatalogLoading)
      .addError(WireStorage)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "Connect a user's account at a provider with OAuth 2")
      .annotate(
        OpenApi.Description,
        "Answers with the page that the user opens in a browser. The user agrees at the provider, and the connection is there. The gateway keeps the tokens sealed, renews them, and never shows them."
      )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/connections")
      .setUrlParams(query(pageParams))
      .addSuccess(ConnectionPage)
      .addError(WireReading)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "List connections, newest first")
      .annotate(OpenApi.Description, "Everything about each connection except its secret.")
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/connections/:connectionId")
      .setPath(connectionPath)
      .addSuccess(ConnectionBody)
      .addError(Wire.NotFound)
      .addError(WireReading)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "Get a connection")
      .annotate(OpenApi.Description, "Everything about it except its secret.")
  )
  .add(
    HttpApiEndpoint.del("delete", "/v1/connections/:connectionId")
      .setPath(connectionPath)
      .addSuccess(HttpApiSchema.NoContent.annotations({ description: "Deleted, and its secret destroyed" }))
      .addError(Wire.NotFound)
      .addError(WireStorage)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "Delete a connection and destroy its secret")
      .annotate(
        OpenApi.Description,
        "Runs that use it and are still in flight may fail with connection_unusable. The tokens of a user's account are revoked at the provider where it takes that."
      )
  )
  .annotate(OpenApi.Description, "Keys of your own at providers")
  .middleware(Bearer) {}
