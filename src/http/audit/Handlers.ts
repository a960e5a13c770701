/** Translates between the route of the audit trail and its service. A workspace sees the entries of its own. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Context, Effect, type Layer } from "effect"
import { badCursor } from "../../domain/ApiErrors.js"
import { AuditTrail } from "../../services/AuditTrail.js"
import { CursorKey } from "../../services/CursorKey.js"
import { Api } from "../Api.js"
import { Principal, type Bearer } from "../Auth.js"
import { nextCursor, pageRequest } from "../ListPage.js"
import { reading, ReadTurns } from "../ReadTurns.js"
import { served, type Served } from "../serving/Endpoints.js"
import { auditEntryBody } from "./Bodies.js"
import { auditFilterOf } from "./Filter.js"

export const AuditHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "audit">,
  never,
  AuditTrail | CursorKey | ReadTurns | Bearer | Served
> = HttpApiBuilder.group(Api, "audit", (handlers) =>
  served(
    Effect.map(AuditTrail, (trail) =>
      handlers.handle(
        "list",
        reading(
          Effect.fnUntraced(function* ({ urlParams }) {
            const { workspaceId } = yield* Principal
            const filter = auditFilterOf(urlParams)
            const binding = { list: "audit", workspaceId, filters: filter }
            const page = yield* trail.list(
              { workspaceId, ...filter },
              yield* pageRequest(urlParams, binding, badCursor)
            )
            return { entries: page.items.map(auditEntryBody), nextCursor: yield* nextCursor(page, binding) }
          })
        )
      )
    ),
    Context.pick(CursorKey, ReadTurns)
  )
)
