/** Who acts in a request, for the audit trail: the caller, their address and the request's id. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { Principal } from "../services/Accounts.js"
import { clientAddress } from "./RequestRate.js"
import { stateOf } from "./RequestState.js"
import { HttpSettings } from "./Settings.js"

/** Made once for a group of routes. A handler that changes something makes the actor of its caller and passes it on. */
export const makeActing: Effect.Effect<
  (caller: Principal) => Effect.Effect<Actor, never, HttpServerRequest.HttpServerRequest>,
  never,
  HttpSettings
> = Effect.map(
  HttpSettings,
  ({ trustProxy }) =>
    ({ tokenId, workspaceId }) =>
      Effect.map(HttpServerRequest.HttpServerRequest, (request) => ({
        kind: "token",
        tokenId,
        workspaceId,
        from: clientAddress(request, trustProxy),
        requestId: stateOf(request).requestId
      }))
)
