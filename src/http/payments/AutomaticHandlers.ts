/** Translates between the routes of automatic top-ups and their service; decides nothing itself. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Context, Effect, type Layer } from "effect"
import { AutomaticTopUps } from "../../services/AutomaticTopUps.js"
import { makeActing } from "../Acting.js"
import { Api } from "../Api.js"
import { Principal, type Bearer } from "../Auth.js"
import { jsonBody } from "../Body.js"
import { callerBudget } from "../BodyBudget.js"
import { reading, ReadTurns } from "../ReadTurns.js"
import { served, type Served } from "../serving/Endpoints.js"
import type { HttpSettings } from "../Settings.js"
import { automaticTopUpBody, AutomaticTopUpInput } from "./AutomaticBodies.js"

const readRule = jsonBody(AutomaticTopUpInput, callerBudget)

export const AutomaticTopUpsHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "automaticTopUps">,
  never,
  AutomaticTopUps | Bearer | HttpSettings | ReadTurns | Served
> = HttpApiBuilder.group(Api, "automaticTopUps", (handlers) =>
  served(
    Effect.gen(function* () {
      const acting = yield* makeActing
      const automatic = yield* AutomaticTopUps
      return handlers
        .handle(
          "automaticTopUp",
          reading(
            Effect.fnUntraced(function* () {
              const { workspaceId } = yield* Principal
              return automaticTopUpBody(yield* automatic.get(workspaceId))
            })
          )
        )
        .handleRaw(
          "setAutomaticTopUp",
          Effect.fnUntraced(function* ({ request }) {
            const caller = yield* Principal
            const { amountUsd, belowUsd, monthlyMaximumUsd } = yield* readRule(request)
            const rule = {
              belowMicros: belowUsd,
              amountMicros: amountUsd,
              monthlyMaximumMicros: monthlyMaximumUsd
            }
            return automaticTopUpBody(yield* automatic.set(caller.workspaceId, rule, yield* acting(caller)))
          })
        )
        .handle(
          "removeAutomaticTopUp",
          Effect.fnUntraced(function* () {
            const caller = yield* Principal
            yield* automatic.remove(caller.workspaceId, yield* acting(caller))
          })
        )
    }),
    Context.pick(ReadTurns)
  )
)
