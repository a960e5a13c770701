/** Who acts in a request, for the audit trail: the caller, their address and the request's id. */
import { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import { Principal } from "./Auth.js"
import { clientAddress } from "./RequestRate.js"
import { stateOf } from "./RequestState.js"
import { HttpSettings } from "./Settings.js"

/** Made once for a group of routes. Each handler that changes something asks it and passes the actor on. */
export const makeActing: Effect.Effect<
  Effect.Effect<Actor, never, Principal | HttpServerRequest.HttpServerRequest>,
  never,
  HttpSettings
> = Effect.map(HttpSettings, ({ trustProxy }) =>
  Effect.gen(function* () {
    const { tokenId, workspaceId } = yield* Principal
    const request = yield* HttpServerRequest.HttpServerRequest
    const { requestId } = stateOf(request)
    return { kind: "token", tokenId, workspaceId, from: clientAddress(request, trustProxy), requestId }
  })
)
