/**
 * Translates between the routes of connections and their service. Asks the catalog whether there is such a provider, so
 * that a typing mistake is reported at once.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Context, Effect, type Layer } from "effect"
import { badCursor, ValidationError } from "../../domain/ApiErrors.js"
import { ConnectionId } from "../../domain/Ids.js"
import { Catalog } from "../../services/Catalog.js"
import { ConnectionAuthorizations } from "../../services/ConnectionAuthorizations.js"
import { Connections } from "../../services/Connections.js"
import { CursorKey } from "../../services/CursorKey.js"
import { makeActing } from "../Acting.js"
import { Api } from "../Api.js"
import { Principal, type Bearer } from "../Auth.js"
import { jsonBody } from "../Body.js"
import { callerBudget } from "../BodyBudget.js"
import { idReader } from "../GivenId.js"
import { nextCursor, pageRequest } from "../ListPage.js"
import { reading, ReadTurns } from "../ReadTurns.js"
import { time } from "../Fields.js"
import { served, type Served } from "../serving/Endpoints.js"
import { HttpSettings } from "../Settings.js"
import { AuthorizationInput, connectionBody, ConnectionInput } from "./Bodies.js"
import { connectPath, providerNamed } from "./Authorizing.js"

const readConnection = jsonBody(ConnectionInput, callerBudget)
const readAuthorization = jsonBody(AuthorizationInput, callerBudget)
const connectionIdOf = idReader("connection", ConnectionId)

export const ConnectionsHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "connections">,
  never,
  Catalog | ConnectionAuthorizations | Connections | CursorKey | HttpSettings | ReadTurns | Bearer | Served
> = HttpApiBuilder.group(Api, "connections", (handlers) =>
  served(
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const connections = yield* Connections
      const authorizations = yield* ConnectionAuthorizations
      const { publicUrl } = yield* HttpSettings
      const acting = yield* makeActing
      return handlers
        .handleRaw(
          "create",
          Effect.fnUntraced(function* ({ request }) {
            const caller = yield* Principal
            const { expiresAt = null, ...input } = yield* readConnection(request)
            const problem = yield* catalog.connectionProblem(input.providerId, input.variables ?? {}, input.secret)
            if (problem !== null) return yield* new ValidationError({ details: [problem] })
            return connectionBody(
              yield* connections.create({ ...input, workspaceId: caller.workspaceId, expiresAt }, yield* acting(caller))
            )
          })
        )
        .handleRaw(
          "authorize",
          Effect.fnUntraced(function* ({ request }) {
            const caller = yield* Principal
            const { expiresAt = null, label, providerId } = yield* readAuthorization(request)
            const provider = yield* providerNamed(catalog, providerId)
            const begun = yield* authorizations.begin(
              { workspaceId: caller.workspaceId, provider, label, expiresAt },
              yield* acting(caller)
            )
            return {
              connectionId: begun.connectionId,
              authorizationUrl: publicUrl + connectPath(begun.link),
              expiresAt: time(begun.expiresAt)
            }
          })
        )
        .handle(
          "list",
          reading(
            Effect.fnUntraced(function* ({ urlParams }) {
              const { workspaceId } = yield* Principal
              const binding = { list: "connections", workspaceId, filters: {} }
              const page = yield* connections.list(workspaceId, yield* pageRequest(urlParams, binding, badCursor))
              return { connections: page.items.map(connectionBody), nextCursor: yield* nextCursor(page, binding) }
            })
          )
        )
        .handle(
          "get",
          reading(
            Effect.fnUntraced(function* ({ path }) {
              const { workspaceId } = yield* Principal
              return connectionBody(yield* connections.get(workspaceId, yield* connectionIdOf(path.connectionId)))
            })
          )
        )
        .handle(
          "delete",
          Effect.fnUntraced(function* ({ path }) {
            const caller = yield* Principal
            yield* connections.delete(
              caller.workspaceId,
              yield* connectionIdOf(path.connectionId),
              yield* acting(caller)
            )
          })
        )
    }),
    Context.pick(CursorKey, ReadTurns)
  )
)
