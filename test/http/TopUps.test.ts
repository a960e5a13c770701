/**
 * Who cannot top up over HTTP, and in which words each is told (contract: "Top-up hint", "Authentication" 3, "Errors").
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { IdsCrypto } from "../../src/layers/node/IdsCrypto.js"
import { billingDefaults } from "../../src/layers/compose/MemoryGateway.js"
import { MemoryStorageLayer } from "../../src/layers/memory/MemoryStorage.js"
import { PaymentsNone } from "../../src/layers/accounts/payments/PaymentsNone.js"
import { TopUpsMemory } from "../../src/layers/memory/TopUpsMemory.js"
import { WalletDefaults } from "../../src/layers/accounts/WalletDefaults.js"
import { WalletMemory } from "../../src/layers/memory/WalletMemory.js"
import { TopUps } from "../../src/services/TopUps.js"
import { caller, startGateway } from "../support/httpGateway.js"

/** A gateway with real top-ups in memory, without a payment processor. */
const start = (options: { readonly billing?: boolean; readonly operatorWorkspace?: boolean } = {}) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      TopUpsMemory({ ...billingDefaults, enabled: options.billing ?? true }).pipe(
        Layer.provide([PaymentsNone, Layer.provide(WalletMemory, Layer.succeed(WalletDefaults, { inflightLimit: 8 }))]),
        Layer.provide([IdsCrypto, MemoryStorageLayer])
      )
    )
    const operated = { authenticate: () => Effect.succeed({ ...caller(), operatorWorkspace: true }) }
    return yield* startGateway({
      topUps: Context.get(context, TopUps),
      ...(options.operatorWorkspace === true ? { accounts: operated } : {})
    })
  })

describe("a top-up", () => {
  it.scopedLive("by a token that can only read is forbidden, and told read_only_token", () =>
    Effect.gen(function* () {
      const { post } = yield* start()
      const { json, status } = yield* post(
        "/v1/top-ups",
        { amountUsd: 10 },
        { authorization: "Bearer only:catalog:read,usage:read" }
      )
      assert.deepStrictEqual(
        [status, json.error.code, json.scope, json.reason, json.topUp.reason],
        [403, "forbidden", "billing:write", "read_only_token", "read_only_token"]
      )
      assert.include(json.error.message, "billing:write")
      assert.isNull(json.topUp.checkoutUrl)
    })
  )

  it.scopedLive("by a token that may run but not pay is forbidden without a word about reading", () =>
    Effect.gen(function* () {
      const { post } = yield* start()
      const { json, status } = yield* post(
        "/v1/top-ups",
        { amountUsd: 10 },
        { authorization: "Bearer only:runs:execute,usage:read" }
      )
      assert.deepStrictEqual(
        [status, json.error.code, json.scope, json.reason, json.topUp],
        [403, "forbidden", "billing:write", undefined, undefined]
      )
    })
  )

  it.scopedLive("of the operator's own workspace is refused with operator_workspace, and stays in the list", () =>
    Effect.gen(function* () {
      const { get, post } = yield* start({ operatorWorkspace: true })
      const { json, status } = yield* post("/v1/top-ups", { amountUsd: 10 })
      assert.deepStrictEqual(
        [status, json.status, json.reason, json.checkoutUrl],
        [201, "refused", "operator_workspace", null]
      )
      assert.deepStrictEqual((yield* get("/v1/top-ups")).json.topUps, [json])
    })
  )

  it.scopedLive("of an amount that is not taken is refused with amount_out_of_range and the amounts that are", () =>
    Effect.gen(function* () {
      const { post } = yield* start()
      for (const amountUsd of [0, 4.99, 10_000.01, 5.001]) {
        const { json, status } = yield* post("/v1/top-ups", { amountUsd })
        assert.deepStrictEqual(
          [status, json.error.code, json.error.details[0].field, json.reason, json.topUp.reason, json.topUp.minimumUsd],
          [400, "validation_error", "amountUsd", "amount_out_of_range", "amount_out_of_range", 5],
          String(amountUsd)
        )
      }
      for (const amountUsd of [5.001, 5.0000001, 9_999.990_000_1]) {
        const { json } = yield* post("/v1/top-ups", { amountUsd })
        assert.deepStrictEqual(
          [json.error.details[0].message, json.reason, json.topUp.suggestedUsd],
          ["must be a whole number of cents", "amount_out_of_range", 20],
          String(amountUsd)
        )
      }
      for (const amountUsd of ["ten", -5, 1_000_001, null]) {
        const { json } = yield* post("/v1/top-ups", { amountUsd })
        assert.deepStrictEqual(
          [json.error.code, json.error.details[0].message, json.reason, json.topUp],
          ["validation_error", "must be between 5 and 10000 US dollars", undefined, undefined],
          String(amountUsd)
        )
      }
    })
  )

  it.scopedLive("of a sum of floats is of the whole cents that were meant", () =>
    Effect.gen(function* () {
      const { post } = yield* start()
      for (const [amountUsd, micros] of [
        [50.1 + 50.2, 100_300_000],
        [8.2 - 0.1, 8_100_000],
        [Array.from({ length: 100 }, () => 0.1).reduce((sum, each) => sum + each), 10_000_000]
      ] as const) {
        const { json, status } = yield* post("/v1/top-ups", { amountUsd })
        assert.deepStrictEqual([status, json.amountMicros], [201, micros], String(amountUsd))
      }
    })
  )

  it.scopedLive("with billing switched off answers billing_unavailable, and so does the list", () =>
    Effect.gen(function* () {
      const { get, post } = yield* start({ billing: false })
      for (const { headers, json, status } of [
        yield* post("/v1/top-ups", { amountUsd: 10 }),
        yield* get("/v1/top-ups"),
        yield* get("/v1/top-ups?limit=1")
      ]) {
        assert.deepStrictEqual(
          [status, json.error.code, json.error.retryable, headers.get("content-type")],
          [503, "billing_unavailable", false, "application/json"]
        )
      }
    })
  )
})
