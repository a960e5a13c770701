/** Translates between the account's routes and the services of money, tokens and wishes; decides nothing itself. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Context, Effect, type Layer } from "effect"
import { badCursor } from "../../domain/ApiErrors.js"
import { isReadOnly } from "../../domain/Scope.js"
import { Accounts } from "../../services/Accounts.js"
import { CapabilityRequests } from "../../services/CapabilityRequests.js"
import { CursorKey } from "../../services/CursorKey.js"
import { TopUps } from "../../services/TopUps.js"
import { Wallet } from "../../services/Wallet.js"
import { makeActing } from "../Acting.js"
import { Api } from "../Api.js"
import { type Bearer, Principal } from "../Auth.js"
import { jsonBody } from "../Body.js"
import { callerBudget } from "../BodyBudget.js"
import { currentRequest } from "../RequestState.js"
import { nextCursor, pageRequest } from "../ListPage.js"
import { spanOf } from "../Query.js"
import { reading, readingTogether, ReadTurns } from "../ReadTurns.js"
import { idempotencyKeyOf, requiredKeyOf } from "../IdempotencyKey.js"
import { served, type Served } from "../serving/Endpoints.js"
import { HttpSettings } from "../Settings.js"
import { capabilityRequestBody, CapabilityRequestInput, sessionContextBody, whoamiBody } from "./Bodies.js"
import { balanceBody, ledgerEntryBody, topUpBody, TopUpInput } from "./MoneyBodies.js"
import { readLimits } from "./CurrentLimits.js"

const readTopUp = jsonBody(TopUpInput, callerBudget)
const readCapabilityRequest = jsonBody(CapabilityRequestInput, callerBudget)

export const AccountHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "account">,
  never,
  Accounts | CapabilityRequests | TopUps | CursorKey | Wallet | HttpSettings | ReadTurns | Bearer | Served
> = HttpApiBuilder.group(Api, "account", (handlers) =>
  served(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const acting = yield* makeActing
      const capabilityRequests = yield* CapabilityRequests
      const settings = yield* HttpSettings
      const topUps = yield* TopUps
      const wallet = yield* Wallet
      return handlers
        .handle(
          "balance",
          readingTogether(
            Effect.fnUntraced(function* () {
              const { operatorWorkspace, scopes, workspaceId } = yield* Principal
              // A token's workspace is there.
              const { balance, holds } = yield* Effect.catchTag(wallet.overview(workspaceId), "not_found", Effect.die)
              const hint = yield* topUps.hint({
                workspaceId,
                operatorWorkspace,
                readOnly: isReadOnly(scopes),
                availableMicros: balance.availableMicros,
                neededMicros: null
              })
              return balanceBody(balance, holds, hint)
            })
          )
        )
        .handle(
          "limits",
          reading(
            Effect.fnUntraced(function* () {
              const principal = yield* Principal
              return yield* readLimits(wallet, principal, (yield* currentRequest).rate)
            })
          )
        )
        .handle(
          "ledger",
          reading(
            Effect.fnUntraced(function* ({ urlParams }) {
              const { workspaceId } = yield* Principal
              const { kind, runId } = urlParams
              const filters = {
                ...(kind === undefined ? {} : { kind }),
                ...(runId === undefined ? {} : { runId }),
                ...spanOf(urlParams)
              }
              const binding = { list: "ledger by time", workspaceId, filters }
              const page = yield* wallet.entries(
                workspaceId,
                filters,
                yield* pageRequest(urlParams, binding, badCursor)
              )
              return { entries: page.items.map(ledgerEntryBody), nextCursor: yield* nextCursor(page, binding) }
            })
          )
        )
        .handle(
          "topUps",
          reading(
            Effect.fnUntraced(function* ({ urlParams }) {
              const { workspaceId } = yield* Principal
              const binding = { list: "top-ups", workspaceId, filters: {} }
              const page = yield* topUps.list(workspaceId, yield* pageRequest(urlParams, binding, badCursor))
              return { topUps: page.items.map(topUpBody), nextCursor: yield* nextCursor(page, binding) }
            })
          )
        )
        .handleRaw(
          "requestTopUp",
          Effect.fnUntraced(function* ({ headers, request }) {
            const caller = yield* Principal
            const { operatorWorkspace, workspaceId } = caller
            const body = yield* readTopUp(request)
            const idempotencyKey = yield* idempotencyKeyOf(headers["idempotency-key"], body.idempotencyKey)
            return topUpBody(
              yield* topUps.request(
                {
                  workspaceId,
                  operatorWorkspace,
                  amountMicros: body.amountUsd ?? null,
                  idempotencyKey,
                  saveMethod: body.savePaymentMethod ?? false
                },
                yield* acting(caller)
              )
            )
          })
        )
        .handle(
          "whoami",
          reading(
            Effect.fnUntraced(function* () {
              const caller = yield* Principal
              return whoamiBody(caller, yield* accounts.monthSpend(caller))
            })
          )
        )
        .handle(
          "logout",
          Effect.fnUntraced(function* () {
            const caller = yield* Principal
            // The caller's own token is there: it was just let in.
            yield* Effect.uninterruptible(
              Effect.catchTag(accounts.revokeToken(caller.tokenId, yield* acting(caller)), "not_found", Effect.die)
            )
            return { revoked: true as const }
          })
        )
        .handle("sessionContext", () =>
          Effect.map(Principal, (caller) => sessionContextBody(caller, settings.deploymentMode))
        )
        .handle(
          "capabilityRequests",
          reading(
            Effect.fnUntraced(function* ({ urlParams }) {
              const { workspaceId } = yield* Principal
              const binding = { list: "capability-requests", workspaceId, filters: {} }
              const page = yield* capabilityRequests.list(
                workspaceId,
                yield* pageRequest(urlParams, binding, badCursor)
              )
              return { requests: page.items.map(capabilityRequestBody), nextCursor: yield* nextCursor(page, binding) }
            })
          )
        )
        .handleRaw(
          "requestCapability",
          Effect.fnUntraced(function* ({ headers, request }) {
            const { workspaceId } = yield* Principal
            const body = yield* readCapabilityRequest(request)
            const idempotencyKey = yield* requiredKeyOf(headers["idempotency-key"], body.idempotencyKey)
            return capabilityRequestBody(
              yield* capabilityRequests.create({
                workspaceId,
                idempotencyKey,
                title: body.title,
                description: body.description,
                desiredInputs: body.desiredInputs ?? null,
                desiredOutputs: body.desiredOutputs ?? null
              })
            )
          })
        )
    }),
    Context.pick(CursorKey, ReadTurns)
  )
)
