/** What a checkout at Stripe is made of, and what each failure of Stripe means for a top-up. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Option, Redacted } from "effect"
import { TopUpId, WorkspaceId } from "../../../src/domain/Ids.js"
import { Micros } from "../../../src/domain/Micros.js"
import { PaymentsStripe } from "../../../src/layers/accounts/payments/PaymentsStripe.js"
import { type CheckoutRequest, Payments } from "../../../src/services/Payments.js"
import { secretKey, startStripe, webhookSecret } from "../../support/stripeServer.js"

const usd = (amount: number) => Micros.make(Math.round(amount * 1_000_000))
let made = 0
const requestOf = (more: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
  topUpId: TopUpId.make(`top_${String(++made).padStart(26, "0")}`),
  workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`),
  amountMicros: usd(12.34),
  createdAt: Date.now(),
  savesMethod: false,
  returnUrl: "https://gateway.test/console/ws_1/top-up",
  ...more
})

/** Stripe, the payments over it, and everything that was logged meanwhile. */
const stage = (key: string = secretKey) =>
  Effect.gen(function* () {
    const stripe = yield* startStripe
    const lines: Array<string> = []
    const log = Logger.map(Logger.jsonLogger, (line) => void lines.push(line))
    const context = yield* Layer.build(
      PaymentsStripe({
        secretKey: Redacted.make(key),
        webhookSecrets: [Redacted.make(webhookSecret)],
        apiBase: Option.some(new URL(stripe.url))
      })
    )
    const { createCheckout } = Context.get(context, Payments)
    const logged = <A, E>(work: Effect.Effect<A, E>) => Effect.provide(work, Logger.replace(Logger.defaultLogger, log))
    return {
      stripe,
      lines,
      open: (request: CheckoutRequest) => logged(createCheckout(request)),
      refusal: (request: CheckoutRequest) =>
        logged(Effect.map(Effect.flip(createCheckout(request)), ({ reason }) => reason))
    }
  })

describe("a checkout at Stripe", () => {
  it.scopedLive("asks for exactly the amount, names the top-up and its workspace, and leads back to the console", () =>
    Effect.gen(function* () {
      const { open, stripe } = yield* stage()
      const request = requestOf()
      const { checkoutUrl } = yield* open(request)
      const [session] = [...stripe.sessions.values()]
      assert.strictEqual(checkoutUrl, session.url)
      const metadata = { topUpId: request.topUpId, workspaceId: request.workspaceId, automatic: "false" }
      assert.deepInclude(session, {
        mode: "payment",
        amount_total: 1234,
        currency: "usd",
        client_reference_id: request.topUpId,
        metadata,
        payment_intent_data: { metadata },
        success_url: `${request.returnUrl}?notice=paid`,
        cancel_url: `${request.returnUrl}?notice=cancelled`,
        expires_at: Math.floor(request.createdAt / 1000) + 23 * 3_600
      })
      assert.strictEqual(stripe.requests[0]?.idempotencyKey, `checkout:${request.topUpId}`)
    })
  )

  it.scopedLive("is the same one when it is asked for again, also when the first answer was lost", () =>
    Effect.gen(function* () {
      const { open, refusal, stripe } = yield* stage()
      const request = requestOf()
      stripe.meets("lost", "lost")
      assert.strictEqual(yield* refusal(request), "processor_timeout")
      const { checkoutUrl } = yield* open(request)
      assert.strictEqual((yield* open(request)).checkoutUrl, checkoutUrl)
      assert.strictEqual(stripe.sessions.size, 1)
    })
  )

  it.scopedLive("that Stripe does not open is refused with the reason, and Stripe's words go nowhere", () =>
    Effect.gen(function* () {
      const { lines, refusal, stripe } = yield* stage()
      stripe.meets("rate_limited")
      assert.strictEqual(yield* refusal(requestOf()), "rate_limited")
      stripe.meets("server_error")
      assert.strictEqual(yield* refusal(requestOf()), "checkout_failed")
      for (const amountMicros of [usd(0.49), usd(1_000_000), usd(10.001)])
        assert.strictEqual(yield* refusal(requestOf({ amountMicros })), "amount_out_of_range", String(amountMicros))
      assert.strictEqual(
        yield* refusal(requestOf({ createdAt: Date.now() - 23 * 3_600_000 })),
        "checkout_failed",
        "a checkout that has expired before it is opened"
      )
      const text = lines.join("\n")
      for (const word of [secretKey, "Something went wrong", "Too many requests", "must be"])
        assert.notInclude(text, word)
      for (const word of ["StripeRateLimitError", "StripeAPIError", "req_test_"]) assert.include(text, word)
    })
  )

  it.scopedLive("under a key that Stripe does not know is refused, the operator is told, and the key is not", () =>
    Effect.gen(function* () {
      const key = "sk_test_some0other0key"
      const { lines, refusal } = yield* stage(key)
      assert.strictEqual(yield* refusal(requestOf()), "checkout_failed")
      const text = lines.join("\n")
      assert.include(text, "look at its key")
      for (const word of [key, "sk_test_", "Invalid API Key"]) assert.notInclude(text, word)
    })
  )

  it.scopedLive(
    "that Stripe never answers is refused after ten seconds with processor_timeout",
    () =>
      Effect.gen(function* () {
        const { refusal, stripe } = yield* stage()
        stripe.meets("silence")
        assert.strictEqual(yield* refusal(requestOf()), "processor_timeout")
      }),
    20_000
  )
})
