/** Translates between the routes of tokens and their service; decides nothing itself. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Context, Effect, type Layer } from "effect"
import { badCursor } from "../../domain/ApiErrors.js"
import { CursorKey } from "../../services/CursorKey.js"
import { Tokens } from "../../services/Tokens.js"
import { makeActing } from "../Acting.js"
import { Api } from "../Api.js"
import { Principal, type Bearer } from "../Auth.js"
import { jsonBody, optionalJsonBody } from "../Body.js"
import { callerBudget } from "../BodyBudget.js"
import { tokenIdOf } from "../GivenId.js"
import { nextCursor, pageRequest } from "../ListPage.js"
import { reading, ReadTurns } from "../ReadTurns.js"
import { served, type Served } from "../serving/Endpoints.js"
import type { HttpSettings } from "../Settings.js"
import { RotationInput, tokenBody, TokenChange, TokenInput, tokenWithSecret } from "./Bodies.js"

const readToken = jsonBody(TokenInput, callerBudget)
const readChange = jsonBody(TokenChange, callerBudget)
const readRotation = optionalJsonBody(RotationInput, callerBudget)

export const TokensHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "tokens">,
  never,
  CursorKey | HttpSettings | ReadTurns | Tokens | Bearer | Served
> = HttpApiBuilder.group(Api, "tokens", (handlers) =>
  served(
    Effect.gen(function* () {
      const acting = yield* makeActing
      const tokens = yield* Tokens
      return handlers
        .handle(
          "list",
          reading(
            Effect.fnUntraced(function* ({ urlParams }) {
              const { workspaceId } = yield* Principal
              const binding = { list: "tokens", workspaceId, filters: {} }
              const page = yield* tokens.list(workspaceId, yield* pageRequest(urlParams, binding, badCursor))
              return { tokens: page.items.map(tokenBody), nextCursor: yield* nextCursor(page, binding) }
            })
          )
        )
        .handleRaw(
          "create",
          Effect.fnUntraced(function* ({ request }) {
            const caller = yield* Principal
            const { monthlyLimitUsd: monthlyLimitMicros, scopes, ...others } = yield* readToken(request)
            const asked = {
              ...others,
              scopes: [...new Set(scopes)],
              ...(monthlyLimitMicros === undefined ? {} : { monthlyLimitMicros })
            }
            const by = yield* acting(caller)
            return tokenWithSecret(yield* Effect.uninterruptible(tokens.create(caller, asked, by)))
          })
        )
        .handleRaw(
          "change",
          Effect.fnUntraced(function* ({ path, request }) {
            const caller = yield* Principal
            const tokenId = yield* tokenIdOf(path.tokenId)
            const { monthlyLimitUsd: monthlyLimitMicros, ...others } = yield* readChange(request)
            const changes = {
              ...others,
              ...(monthlyLimitMicros === undefined ? {} : { monthlyLimitMicros })
            }
            const by = yield* acting(caller)
            return tokenBody(yield* Effect.uninterruptible(tokens.change(caller, tokenId, changes, by)))
          })
        )
        .handle(
          "revoke",
          Effect.fnUntraced(function* ({ path }) {
            const caller = yield* Principal
            const by = yield* acting(caller)
            yield* Effect.uninterruptible(tokens.revoke(caller, yield* tokenIdOf(path.tokenId), by))
          })
        )
        .handleRaw(
          "rotate",
          Effect.fnUntraced(function* ({ path, request }) {
            const caller = yield* Principal
            const tokenId = yield* tokenIdOf(path.tokenId)
            const { overlapSeconds = 0 } = yield* readRotation(request)
            const by = yield* acting(caller)
            return tokenWithSecret(yield* Effect.uninterruptible(tokens.rotate(caller, tokenId, overlapSeconds, by)))
          })
        )
    }),
    Context.pick(CursorKey, ReadTurns)
  )
)
