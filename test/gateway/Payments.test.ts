/**
 * Payments over the whole gateway: a local server that speaks Stripe's API, real HTTP, real Postgres, two nodes. Events
 * are signed as Stripe signs them, and come as often and in whatever order Stripe may deliver them. All tests share the
 * nodes and Stripe; each has a workspace of its own that pays.
 */
import { assert, layer } from "@effect/vitest"
import { describe } from "vitest"
import Pg from "pg"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import { AutomaticTopUps } from "../../src/services/AutomaticTopUps.js"
import { Wallet } from "../../src/services/Wallet.js"
import { newBrowser } from "../support/browser.js"
import { eventually } from "../support/eventually.js"
import { startGateway } from "../support/gateway.js"
import { client } from "../support/httpGateway.js"
import { withLogLines } from "../support/logLines.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { signInTo } from "../support/signIn.js"
import { secretKey, signatureOf, startStripe, type StripeObject, webhookSecret } from "../support/stripeServer.js"

const webhook = "/v1/payments/stripe/webhook"

class World extends Context.Tag("test/gateway/PaymentsWorld")<World, Effect.Effect.Success<typeof world>>() {}

/** Two nodes over one Postgres and one Stripe. */
const world = Effect.gen(function* () {
  const stripe = yield* startStripe
  const databaseUrl = yield* acquireTestDatabase()
  const config = {
    databaseUrl: Option.some(databaseUrl),
    stripe: Option.some({
      secretKey: Redacted.make(secretKey),
      webhookSecrets: ["whsec_newer", webhookSecret].map((secret) => Redacted.make(secret)),
      apiBase: Option.some(new URL(stripe.url))
    })
  }
  const first = yield* startGateway(config)
  const gateways = [first, yield* startGateway(config)] as const
  let delivered = 0

  /** Delivers a body to one of the nodes in turn. */
  const send = (body: string, signature: string | null, more: Record<string, string> = {}) =>
    Effect.promise(async () => {
      const { url } = gateways[delivered++ % 2]!
      const response = await fetch(url + webhook, {
        method: "POST",
        headers: {
          "content-type": "application/json; charset=utf-8",
          ...(signature === null ? {} : { "stripe-signature": signature }),
          ...more
        },
        body
      })
      return { status: response.status, json: (await response.json()) as StripeObject }
    })
  const deliver = (event: StripeObject) => {
    const body = JSON.stringify(event)
    return send(body, signatureOf(body))
  }
  const outcomes = (events: ReadonlyArray<StripeObject>) =>
    Effect.forEach(events, (event) => Effect.map(deliver(event), ({ json }) => json.outcomes))
  const drift = Effect.map(Context.get(first.services, Wallet).verify, ({ driftMicros }) => driftMicros)
  const rows = (statement: string) =>
    Effect.promise(async () => {
      const client = new Pg.Client(Redacted.value(databaseUrl))
      await client.connect()
      await client.query(statement).finally(() => client.end())
    })
  return { deliver, drift, first, gateways, outcomes, rows, send, stripe }
})

/** A workspace that pays. What Stripe was asked before is not of it. */
const stage = Effect.gen(function* () {
  const shared = yield* World
  const { first, stripe } = shared
  const { token, workspaceId } = yield* first.funded(0)
  const [intentsBefore, requestsBefore] = [stripe.paymentIntents.size, stripe.requests.length]
  const intents = () => [...stripe.paymentIntents.values()].slice(intentsBefore)
  const requests = () => stripe.requests.slice(requestsBefore)
  const sessionOf = (topUpId: string) =>
    [...stripe.sessions.values()].find(({ metadata }) => metadata.topUpId === topUpId)
  const topUp = (amountUsd: number) =>
    Effect.map(first.call("POST", "/v1/top-ups", { token, body: { amountUsd } }), ({ json }) => ({
      ...json,
      sessionId: sessionOf(json.topUpId)?.id
    }))
  const balance = Effect.map(first.call("GET", "/v1/balance", { token }), ({ json }) => json)
  const entries = Effect.map(first.call("GET", "/v1/ledger", { token }), ({ json }) =>
    json.entries.map((entry: StripeObject) => [entry.kind, entry.amountMicros / 1_000_000, entry.reason]).reverse()
  )
  return { ...shared, balance, entries, intents, requests, sessionOf, token, topUp, workspaceId }
})

const consoleOf = (workspaceId: WorkspaceId) => `http://gateway.test/console/${workspaceId}/top-up`

layer(Layer.scoped(World, world), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
  describe("a top-up that is paid at Stripe", () => {
    it.scoped("is credited once for all that Stripe reports about it, and the links lead to the console", () =>
      Effect.gen(function* () {
        const { balance, entries, first, outcomes, stripe, token, topUp, workspaceId } = yield* stage
        const asked = yield* topUp(12.34)
        assert.deepInclude(asked, {
          status: "pending",
          checkoutUrl: stripe.sessions.get(asked.sessionId).url,
          dashboardUrl: consoleOf(workspaceId)
        })
        const low = yield* balance
        assert.deepInclude(low, { availableMicros: 0, topUpUrl: consoleOf(workspaceId) })
        assert.deepInclude(low.topUpLink, { reason: "balance_low", dashboardUrl: consoleOf(workspaceId) })
        const events = stripe.pay(asked.sessionId)
        assert.deepStrictEqual(yield* outcomes([...events, ...events]), [
          ["credited"],
          ["unchanged"],
          ["unchanged"],
          ["unchanged"]
        ])
        assert.deepStrictEqual(yield* entries, [["top_up", 12.34, undefined]])
        const { json } = yield* first.call("GET", "/v1/top-ups", { token })
        assert.deepInclude(json.topUps[0], { topUpId: asked.topUpId, status: "paid", checkoutUrl: null })
        assert.strictEqual((yield* balance).topUpLink.reason, "balance_sufficient")
      })
    )

    it.scoped("is asked for by a run that the balance cannot pay in the words of the balance", () =>
      Effect.gen(function* () {
        const { balance, first, token, workspaceId } = yield* stage
        const hint = (yield* balance).topUpLink
        const refused = yield* first.call("POST", "/v1/runs", {
          token,
          body: {
            endpointId: "job:people.email.find",
            input: { name: "Ada Lovelace", domain: "example.com" },
            idempotencyKey: "k"
          }
        })
        assert.deepStrictEqual([refused.status, refused.json.error.code], [402, "insufficient_balance"])
        assert.deepStrictEqual(refused.json.topUp, hint)
        assert.deepInclude(hint, { reason: "balance_low", checkoutUrl: consoleOf(workspaceId) })
        assert.strictEqual(refused.json.topUpUrl, consoleOf(workspaceId))
      })
    )

    it.scoped("by a method that takes days stays pending until the money arrives, or fails", () =>
      Effect.gen(function* () {
        const { balance, first, outcomes, stripe, token, topUp } = yield* stage
        const [late, never, left] = [yield* topUp(10), yield* topUp(20), yield* topUp(30)]
        assert.deepStrictEqual(yield* outcomes(stripe.pay(late.sessionId, { delayed: true })), [["awaiting_payment"]])
        assert.deepStrictEqual(yield* outcomes(stripe.pay(never.sessionId, { delayed: true })), [["awaiting_payment"]])
        assert.strictEqual((yield* balance).availableMicros, 0)
        assert.deepStrictEqual(yield* outcomes(stripe.arrive(late.sessionId, true)), [["credited"], ["unchanged"]])
        assert.deepStrictEqual(yield* outcomes(stripe.arrive(never.sessionId, false)), [["changed"]])
        assert.deepStrictEqual(yield* outcomes(stripe.expire(left.sessionId)), [["changed"]])
        assert.strictEqual((yield* balance).availableMicros, 10_000_000)
        const { json } = yield* first.call("GET", "/v1/top-ups", { token })
        assert.deepStrictEqual(
          json.topUps.map((one: StripeObject) => one.status),
          ["expired", "failed", "paid"]
        )
      })
    )

    it.scoped(
      "is credited exactly once under 50 simultaneous deliveries in any order on two nodes, refunds and disputes included",
      () =>
        Effect.gen(function* () {
          const { balance, deliver, drift, entries, stripe, topUp } = yield* stage
          const { sessionId } = yield* topUp(20)
          const paid = stripe.pay(sessionId)
          const reference = stripe.sessions.get(sessionId).payment_intent
          const dispute = stripe.dispute(reference, 500)
          const events = [
            ...paid,
            ...stripe.refund(reference, 300),
            ...dispute,
            ...stripe.disputeEnds(dispute[0].data.object.id, "won"),
            ...stripe.expire(sessionId)
          ]
          const deliveries = Array.from({ length: 50 }, (_, index) => events[(index * 7) % events.length])
          // Stripe delivers again what is answered 503, which a busy machine may do to some of fifty at once.
          const delivered = (event: StripeObject) =>
            Effect.repeat(deliver(event), { until: ({ status }) => status !== 503, times: 4 })
          const answers = yield* Effect.forEach(deliveries, delivered, { concurrency: "unbounded" })
          assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
          assert.strictEqual((yield* balance).availableMicros, 17_000_000)
          const booked: ReadonlyArray<readonly [string, number]> = yield* entries
          assert.lengthOf(
            booked.filter(([kind]) => kind === "top_up"),
            1
          )
          assert.strictEqual(yield* drift, 0)
        }),
      60_000
    )
  })

  describe("the form of a top-up that is sent again", () => {
    it.scoped("says what became of it, and asks for another one with a new key where that has ended", () =>
      Effect.gen(function* () {
        const { first, outcomes, stripe, workspaceId } = yield* stage
        const { cookie } = yield* Effect.provide(signInTo(workspaceId, "owner"), first.services)
        const { origin, port } = new URL(first.url)
        const owner = newBrowser(client(origin, Number(port)), cookie)
        const path = `/console/${workspaceId}/top-up`
        yield* owner.get(path)
        const ask = (key: string) => owner.post(path, { key, amountUsd: "20" })
        const keyOf = (text: string) => /name="key" value="([^"]*)"/.exec(text)?.[1]
        const sessionOf = (text: string) =>
          [...stripe.sessions.values()].find(({ metadata }) => text.includes(metadata.topUpId))
        assert.include((yield* ask("paid")).text, "Go to payment")
        const { id, payment_intent: before } = sessionOf((yield* ask("paid")).text)
        assert.isNull(before)
        yield* outcomes(stripe.pay(id))
        const paid = yield* ask("paid")
        assert.include(paid.text, "Paid, and on the balance.")
        assert.include(paid.text, "Its payment was made once, and not again now.")
        assert.notInclude(paid.text, "Nothing was charged.")
        assert.match(keyOf(paid.text) ?? "", /^console_/)
        yield* outcomes(stripe.refund(stripe.sessions.get(id).payment_intent, 500))
        assert.include((yield* ask("paid")).text, "$5.00 of it went back to the payer.")

        yield* outcomes(stripe.expire(sessionOf((yield* ask("left")).text).id))
        const left = yield* ask("left")
        assert.include(left.text, "The checkout was left unpaid until it expired")
        assert.include(left.text, "Nothing was charged.")
        assert.match(keyOf(left.text) ?? "", /^console_/)

        // Stripe may have made the checkout: the same key finds it.
        stripe.meets("lost", "lost")
        const silent = yield* ask("silent")
        assert.include(silent.text, "Nothing was charged.")
        assert.strictEqual(keyOf(silent.text), "silent")
        assert.isDefined(sessionOf((yield* ask("silent")).text))
      })
    )
  })

  describe("a refund or dispute at Stripe", () => {
    it.scoped("is taken back once, also when only the charge is reported, and owed where the money is spent", () =>
      Effect.gen(function* () {
        const { balance, entries, first, outcomes, stripe, token, topUp } = yield* stage
        const { sessionId } = yield* topUp(20)
        yield* outcomes(stripe.pay(sessionId))
        const reference = stripe.sessions.get(sessionId).payment_intent
        const [created, charge, updated] = stripe.refund(reference, 500)
        assert.deepStrictEqual(yield* outcomes([charge, created, updated]), [["changed"], ["unchanged"], ["unchanged"]])
        const refundId = created.data.object.id
        assert.deepStrictEqual(yield* outcomes(stripe.refundFails(refundId)), [["changed"], ["unchanged"]])
        const lost = stripe.dispute(reference, 2_000)
        assert.deepStrictEqual(yield* outcomes([...lost].reverse()), [["changed"], ["unchanged"]])
        const disputeId = lost[0].data.object.id
        assert.deepStrictEqual(yield* outcomes(stripe.disputeEnds(disputeId, "lost")), [["unchanged"]])
        assert.deepStrictEqual(yield* entries, [
          ["top_up", 20, undefined],
          ["adjustment", -5, `Refund ${refundId}`],
          ["adjustment", 5, `Refund ${refundId} failed`],
          ["adjustment", -20, `Dispute ${disputeId}`]
        ])
        assert.strictEqual((yield* balance).availableMicros, 0)
        const { json } = yield* first.call("GET", "/v1/top-ups", { token })
        assert.deepInclude(json.topUps[0], { status: "paid", takenBackMicros: 20_000_000 })
        assert.notProperty(json.topUps[0], "owedMicros")
      })
    )

    it.scoped("of which only the charge is reported is taken back whole, on however many pages its refunds stand", () =>
      Effect.gen(function* () {
        const { balance, outcomes, stripe, topUp } = yield* stage
        const { sessionId } = yield* topUp(20)
        yield* outcomes(stripe.pay(sessionId))
        const reference = stripe.sessions.get(sessionId).payment_intent
        const charges = [1, 2, 3, 4, 5].map(() => stripe.refund(reference, 100)[1])
        assert.deepStrictEqual(yield* outcomes(charges.slice(-1)), [Array(5).fill("changed")])
        assert.strictEqual((yield* balance).availableMicros, 15_000_000)
      })
    )

    it.scoped("about which Stripe does not answer is delivered again", () =>
      Effect.gen(function* () {
        const { balance, deliver, outcomes, stripe, topUp } = yield* stage
        const { sessionId } = yield* topUp(20)
        yield* outcomes(stripe.pay(sessionId))
        const [, charge] = stripe.refund(stripe.sessions.get(sessionId).payment_intent, 500)
        for (const meeting of ["server_error", { status: 200, text: '{"data":[null]}' }] as const) {
          stripe.meets(meeting)
          const { json, status } = yield* deliver(charge)
          assert.deepStrictEqual([status, json.error.code], [503, "billing_unavailable"])
          assert.include(json.error.retryHint, "sends this event again by itself")
        }
        assert.deepStrictEqual(yield* outcomes([charge]), [["changed"]])
        assert.strictEqual((yield* balance).availableMicros, 15_000_000)
      })
    )
  })

  describe("an automatic top-up", () => {
    const rule = { belowUsd: 15, amountUsd: 10, monthlyMaximumUsd: 25 }

    it.scoped("charges the card that a checkout saved, once over two nodes, and stops when the card is declined", () =>
      Effect.gen(function* () {
        const { balance, entries, first, gateways, intents, outcomes, requests, sessionOf, stripe, token } =
          yield* stage
        const automatic = (method: string, body?: unknown) =>
          first.call(method, "/v1/top-ups/automatic", { token, ...(body === undefined ? {} : { body }) })
        const turns = Effect.all(
          [...gateways, ...gateways].map(({ services }) => Context.get(services, AutomaticTopUps).turn),
          { concurrency: "unbounded" }
        )
        const none = yield* automatic("GET")
        assert.strictEqual(none.status, 404)
        assert.deepInclude(none.json.error, {
          message: "There is no automatic top-up",
          retryHint: "PUT /v1/top-ups/automatic makes one."
        })
        assert.strictEqual((yield* automatic("PUT", rule)).json.status, "no_payment_method")
        const asked = yield* first.call("POST", "/v1/top-ups", {
          token,
          body: { amountUsd: 10, savePaymentMethod: true }
        })
        const session = sessionOf(asked.json.topUpId)
        assert.deepInclude(session, { customer_creation: "always" })
        assert.strictEqual(session.payment_intent_data.setup_future_usage, "off_session")
        yield* outcomes(stripe.pay(session.id))
        assert.strictEqual((yield* balance).availableMicros, 10_000_000)
        yield* turns
        // A node's own turn may have been first, and still be waiting for Stripe.
        yield* eventually(balance, (now) => now.availableMicros > 10_000_000)
        const off = intents().filter(({ metadata }) => metadata.automatic === "true")
        assert.lengthOf(off, 1)
        const saved = stripe.paymentIntents.get(session.payment_intent)
        assert.deepInclude(off[0], { amount: 1_000, customer: saved.customer, payment_method: saved.payment_method })
        const charge = requests().find(({ idempotencyKey }) => idempotencyKey?.startsWith("automatic:"))
        assert.deepInclude(charge, { idempotencyKey: `automatic:${off[0].metadata.topUpId}` })
        assert.deepInclude(charge?.params, { off_session: "true", confirm: "true", error_on_requires_action: "true" })
        assert.deepStrictEqual(yield* outcomes([stripe.event("payment_intent.succeeded", off[0])]), [["unchanged"]])
        assert.deepInclude((yield* automatic("GET")).json, { status: "active", monthMicros: 10_000_000 })
        assert.deepStrictEqual(yield* entries, [
          ["top_up", 10, undefined],
          ["top_up", 10, undefined]
        ])

        stripe.meets("authentication_required")
        assert.strictEqual((yield* automatic("PUT", { ...rule, belowUsd: 50 })).status, 200)
        yield* turns
        const { json } = yield* eventually(automatic("GET"), (now) => now.json.status === "disabled")
        assert.deepInclude(json, { reason: "authentication_required", monthMicros: 10_000_000 })
        assert.strictEqual((yield* balance).availableMicros, 20_000_000)
        const { json: listed } = yield* first.call("GET", "/v1/top-ups", { token })
        assert.deepInclude(listed.topUps[0], { status: "failed", amountMicros: 10_000_000 })
        assert.strictEqual((yield* automatic("DELETE")).status, 204)
        assert.strictEqual((yield* automatic("DELETE")).status, 204)
        assert.strictEqual((yield* automatic("GET")).status, 404)
      })
    )

    it.scoped("charges no card whose owner did not ask to save it, though Stripe knows them as a customer", () =>
      Effect.gen(function* () {
        const { first, outcomes, stripe, token, topUp } = yield* stage
        const { sessionId } = yield* topUp(10)
        const known = stripe.pay(sessionId).map((event) => ({
          ...event,
          data: { object: { ...event.data.object, customer: "cus_known" } }
        }))
        assert.deepStrictEqual((yield* outcomes(known)).flat().sort(), ["credited", "unchanged"])
        const { json } = yield* first.call("PUT", "/v1/top-ups/automatic", { token, body: rule })
        assert.strictEqual(json.status, "no_payment_method")
      })
    )

    it.scoped("charges the card that paid last, also after an older payment is delivered again", () =>
      Effect.gen(function* () {
        const { first, outcomes, requests, sessionOf, stripe, token } = yield* stage
        const { turn } = Context.get(first.services, AutomaticTopUps)
        /** The events of a top-up that was paid so many hours ago. */
        const paidAgo = (hours: number) =>
          Effect.map(
            first.call("POST", "/v1/top-ups", { token, body: { amountUsd: 10, savePaymentMethod: true } }),
            ({ json }) => {
              const session = sessionOf(json.topUpId)
              const events = stripe.pay(session.id)
              return {
                events: events.map((event) => ({ ...event, created: event.created - hours * 3_600 })),
                card: stripe.paymentIntents.get(session.payment_intent).payment_method
              }
            }
          )
        const older = yield* paidAgo(3)
        const newer = yield* paidAgo(2)
        yield* outcomes(older.events)
        // The session's event comes first here, and names no card.
        assert.deepStrictEqual(yield* outcomes([...newer.events].reverse()), [["credited"], ["unchanged"]])
        assert.deepStrictEqual(yield* outcomes(older.events), [["unchanged"], ["unchanged"]])
        yield* first.call("PUT", "/v1/top-ups/automatic", {
          token,
          body: { belowUsd: 25, amountUsd: 10, monthlyMaximumUsd: 10 }
        })
        yield* turn
        const charges = Effect.sync(() =>
          requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith("automatic:"))
        )
        const [charge] = yield* eventually(charges, ({ length }) => length > 0)
        assert.notStrictEqual(newer.card, older.card)
        assert.strictEqual(charge?.params.payment_method, newer.card)
      })
    )

    it.scoped("whose answer was lost is found at Stripe by its name, and charged once", () =>
      Effect.gen(function* () {
        const { balance, first, intents, outcomes, requests, rows, sessionOf, stripe, token } = yield* stage
        const { turn } = Context.get(first.services, AutomaticTopUps)
        const { json: asked } = yield* first.call("POST", "/v1/top-ups", {
          token,
          body: { amountUsd: 10, savePaymentMethod: true }
        })
        yield* outcomes(stripe.pay(sessionOf(asked.topUpId).id))
        // The library tries a closed connection once more by itself.
        stripe.meets("lost", "lost")
        yield* first.call("PUT", "/v1/top-ups/automatic", { token, body: rule })
        yield* turn
        yield* eventually(
          Effect.sync(() => intents().length),
          (n) => n === 2
        )
        yield* Effect.sleep("300 millis")
        assert.strictEqual((yield* balance).availableMicros, 10_000_000)
        yield* rows("update automatic_top_ups set started_at = started_at - 180000, retry_at = 0")
        yield* turn
        yield* eventually(balance, (now) => now.availableMicros === 20_000_000)
        assert.strictEqual(intents().length, 2)
        assert.isTrue(requests().some(({ path }) => path === "/v1/payment_intents/search"))
      })
    )
  })

  describe("an event that is not what it should be", () => {
    it.scoped("is refused without a signature, with a wrong or an old one, and taken with the secret before", () =>
      Effect.gen(function* () {
        const { balance, send, stripe, topUp } = yield* stage
        const { sessionId } = yield* topUp(20)
        const [, completed] = stripe.pay(sessionId)
        const body = JSON.stringify(completed)
        const old = Date.now() - 301_000
        const wrong = [
          null,
          "",
          "t=1,v1=00",
          signatureOf(body, { secret: "whsec_other" }),
          signatureOf(body, { at: old }),
          signatureOf(body, { at: Date.now() + 330_000 }),
          signatureOf(`${body} `)
        ]
        for (const signature of wrong) {
          const { json, status } = yield* send(body, signature)
          assert.deepStrictEqual(
            [status, json.error.code, json.error.details[0].field],
            [400, "validation_error", "stripe-signature"],
            String(signature)
          )
        }
        const large = JSON.stringify({ ...completed, padding: "x".repeat(262_144) })
        assert.strictEqual((yield* send(large, signatureOf(large))).status, 413)
        assert.strictEqual((yield* send(body, signatureOf(body), { "content-encoding": "gzip" })).status, 415)
        assert.strictEqual((yield* balance).availableMicros, 0)
        const { json, status } = yield* send(body, signatureOf(body, { secret: "whsec_newer" }))
        assert.deepStrictEqual([status, json.outcomes], [200, ["credited"]])
      })
    )

    it.scoped("is told that its body is wrong, and not its signature, when it is signed and cannot be read", () =>
      Effect.gen(function* () {
        const { send, stripe } = yield* stage
        const unstorable = ["pi_\u0000", "pi_\ud800", "pi 1", ""].map((id) =>
          JSON.stringify(stripe.event("refund.updated", { id, amount: 1, currency: "usd", payment_intent: id }))
        )
        for (const body of [
          ...unstorable,
          "",
          "hello",
          "{",
          "{}",
          "[]",
          "null",
          '"event"',
          '{"id":"evt_1","type":"customer.created"}'
        ]) {
          const { json, status } = yield* send(body, signatureOf(body))
          assert.deepStrictEqual(
            [status, json.error.code, json.error.details[0].field],
            [400, "validation_error", "body"],
            body
          )
        }
      })
    )

    it.scoped("names the settings that a gateway without Stripe lacks, to the log too, and counts as a request", () =>
      withLogLines((lines) =>
        Effect.gen(function* () {
          const { call } = yield* startGateway({ publicRateBurst: 2, publicRatePerSecond: 0.001 })
          const answers = yield* Effect.replicateEffect(call("POST", webhook, { body: {} }), 4)
          assert.deepStrictEqual(
            answers.map(({ status }) => status),
            [503, 503, 429, 429]
          )
          const named = lines.filter(
            ({ level, message }) => level === "WARN" && message.startsWith("An event was refused")
          )
          assert.lengthOf(named, 2)
          for (const text of [answers[0]?.json.error.message, named[0]?.message])
            for (const setting of ["GATEWAY_STRIPE_SECRET_KEY", "GATEWAY_STRIPE_WEBHOOK_SECRET"])
              assert.include(text, setting)
        })
      )
    )

    it.scoped("of another amount, currency, mode, account or top-up moves no money, and is answered as decided", () =>
      Effect.gen(function* () {
        const { balance, deliver, first, outcomes, stripe, topUp } = yield* stage
        const { sessionId } = yield* topUp(20)
        const [intent, completed] = stripe.pay(sessionId)
        const session = completed.data.object
        const like = (object: StripeObject, more: object = {}) =>
          stripe.event("checkout.session.completed", { ...session, ...object }, more)
        assert.deepStrictEqual(
          yield* outcomes([
            like({ amount_total: 1_999 }),
            like({ currency: "eur" }),
            like({}, { livemode: true }),
            like({}, { account: "acct_other" }),
            like({ metadata: { ...session.metadata, topUpId: `top_${"0".repeat(26)}` } }),
            like({ metadata: {} }),
            stripe.event("customer.created", { id: "cus_1" })
          ]),
          [
            ["mismatched"],
            ["mismatched"],
            ["other_mode"],
            ["other_account"],
            ["unknown_top_up"],
            ["not_a_top_up"],
            ["not_handled"]
          ]
        )
        const { json, status } = yield* deliver(stripe.event("checkout.session.completed", { id: "cs_1" }))
        assert.deepStrictEqual([status, json.error.details[0].field], [400, "body"])
        assert.strictEqual((yield* balance).availableMicros, 0)
        assert.deepStrictEqual(yield* outcomes([intent]), [["credited"]])
        assert.isString(first.url)
      })
    )
  })
})
