/** Answers that Stripe does not document: none is taken for a payment, and none for the end of one. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Option, Redacted, TestClock } from "effect"
import { TopUpId, WorkspaceId } from "../../../src/domain/Ids.js"
import { processorMillisMax } from "../../../src/domain/limits/Workspaces.js"
import { Micros } from "../../../src/domain/Micros.js"
import { PaymentsStripe } from "../../../src/layers/accounts/payments/PaymentsStripe.js"
import { OffSessionPayments } from "../../../src/services/OffSessionPayments.js"
import { Payments } from "../../../src/services/Payments.js"
import { withLogLines } from "../../support/logLines.js"
import { secretKey, startStripe, webhookSecret } from "../../support/stripeServer.js"

const topUpId = TopUpId.make(`top_${"0".repeat(26)}`)
const topUp = { topUpId, workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`), amountMicros: Micros.make(20_000_000) }

const odd = [
  ...[200, 429, 500].flatMap((status) => ["{}", "[]", "null", "<html>", ""].map((text) => ({ status, text }))),
  { status: 200, text: '{"data":{}}' },
  { status: 200, text: '{"data":[null]}' },
  { status: 200, text: '{"url":"javascript:alert(1)"}' },
  { status: 200, text: '{"url":1}' },
  { status: 200, text: '{"id":"pi_\\u0000","amount":2000,"currency":"usd","status":"succeeded"}' },
  { status: 200, text: '{"id":"pi_1","amount":"2000","currency":"usd","status":"succeeded"}' }
]

const paymentsAt = (url: string) =>
  Layer.build(
    PaymentsStripe({
      secretKey: Redacted.make(secretKey),
      webhookSecrets: [Redacted.make(webhookSecret)],
      apiBase: Option.some(new URL(url))
    })
  )

describe("a charge whose idempotency key Stripe knows from another request", () => {
  it.scopedLive("is uncertain and no refusal: the node of another version that sent it may have charged the card", () =>
    Effect.gen(function* () {
      const stripe = yield* startStripe
      const { charge } = Context.get(yield* paymentsAt(stripe.url), OffSessionPayments)
      stripe.meets("lost", "lost")
      const asked = { ...topUp, method: "cus_1/pm_1" }
      assert.strictEqual((yield* Effect.flip(charge(asked)))._tag, "ChargeUncertain")
      const inOtherWords = { ...asked, method: "cus_1/pm_2" }
      assert.strictEqual((yield* Effect.flip(charge(inOtherWords)))._tag, "ChargeUncertain")
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )
})

describe("an answer of Stripe that is none", () => {
  it.scopedLive("opens no checkout, charges nothing and ends nothing", () =>
    Effect.gen(function* () {
      const stripe = yield* startStripe
      const context = yield* paymentsAt(stripe.url)
      const { charge, find } = Context.get(context, OffSessionPayments)
      const { createCheckout } = Context.get(context, Payments)
      for (const answer of odd) {
        stripe.meets(answer, answer, answer)
        const where = `${answer.status} ${answer.text}`
        const refused = yield* Effect.flip(
          createCheckout({ ...topUp, createdAt: Date.now(), savesMethod: false, returnUrl: "https://gateway.test" })
        )
        assert.strictEqual(refused.reason, "checkout_failed", where)
        const uncertain = yield* Effect.flip(charge({ ...topUp, method: "cus_1/pm_1" }))
        assert.strictEqual(uncertain._tag, "ChargeUncertain", where)
        assert.strictEqual((yield* Effect.flip(find(topUpId)))._tag, "ChargeUncertain", where)
      }
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.scopedLive("is told from a connection that was never made, of which the log says why", () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        const { createCheckout } = Context.get(yield* paymentsAt("http://127.0.0.1:1"), Payments)
        const refused = yield* Effect.flip(
          createCheckout({ ...topUp, createdAt: Date.now(), savesMethod: false, returnUrl: "https://gateway.test" })
        )
        assert.strictEqual(refused.reason, "processor_timeout")
        const [line] = lines.filter(({ level }) => level === "ERROR")
        assert.strictEqual(line?.message, "The connection to Stripe failed")
        assert.strictEqual(line?.annotations["why"], "ECONNREFUSED")
      })
    )
  )

  it.scoped(
    "is waited for no longer than the limit, also by a charge that may not be interrupted",
    () =>
      Effect.gen(function* () {
        const stripe = yield* startStripe
        const { charge, find } = Context.get(yield* paymentsAt(stripe.url), OffSessionPayments)
        // It loads the library, which is not part of the limit.
        yield* find(topUpId)
        stripe.meets("silence")
        const charging = yield* Effect.fork(
          Effect.uninterruptible(Effect.flip(charge({ ...topUp, method: "cus_1/pm_1" })))
        )
        yield* TestClock.adjust(processorMillisMax)
        assert.strictEqual((yield* Fiber.join(charging))._tag, "ChargeUncertain")
      }),
    // The library itself gives up after ten seconds without a byte.
    9_000
  )
})
