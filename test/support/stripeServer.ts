/**
 * A local server that speaks as much of Stripe's documented API as the gateway uses: form-encoded requests, keys,
 * idempotency keys with stored answers, errors with types and codes, objects with the documented members, and events
 * signed by the library's own `generateTestHeaderString`. A test says what the next request meets (`meets`) and what
 * people and banks do (`pay`, `refund`, `dispute`); each of these answers the events that Stripe would send.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import Stripe from "stripe"

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- objects of another system, looked into by tests
export type StripeObject = any

export const secretKey = "sk_test_51Local0Secret0Of0Tests"
export const webhookSecret = "whsec_local0secret0of0tests"

/** An answer that Stripe does not document. */
interface Odd {
  readonly status: number
  readonly text: string
}

/** What a request meets instead of an ordinary answer. `lost` is done, but its answer never arrives. */
type Meeting = "rate_limited" | "server_error" | "silence" | "lost" | "declined" | "authentication_required" | Odd

interface Stored {
  readonly params: string
  readonly answer: { readonly status: number; readonly body: StripeObject }
}

interface StripeServer {
  readonly url: string
  /** Requests that arrived, in order: method, path and the parameters of the form. */
  readonly requests: ReadonlyArray<{
    readonly method: string
    readonly path: string
    readonly params: StripeObject
    readonly idempotencyKey: string | undefined
  }>
  readonly sessions: ReadonlyMap<string, StripeObject>
  readonly paymentIntents: ReadonlyMap<string, StripeObject>
  /** Each of the next requests meets one of these. */
  readonly meets: (...meetings: ReadonlyArray<Meeting>) => void
  /** A person completes the checkout; a delayed method is paid later. */
  readonly pay: (sessionId: string, options?: { readonly delayed?: true }) => ReadonlyArray<StripeObject>
  /** The delayed payment of a session arrives, or does not. */
  readonly arrive: (sessionId: string, arrived: boolean) => ReadonlyArray<StripeObject>
  readonly expire: (sessionId: string) => ReadonlyArray<StripeObject>
  readonly refund: (paymentIntentId: string, cents: number) => ReadonlyArray<StripeObject>
  readonly refundFails: (refundId: string) => ReadonlyArray<StripeObject>
  readonly dispute: (paymentIntentId: string, cents: number) => ReadonlyArray<StripeObject>
  readonly disputeEnds: (disputeId: string, status: "won" | "lost") => ReadonlyArray<StripeObject>
  /** An event as Stripe sends it. */
  readonly event: (type: string, object: StripeObject, more?: object) => StripeObject
}

/** The header with which Stripe signs a body. */
export const signatureOf = (
  payload: string,
  options: { readonly secret?: string; readonly at?: number } = {}
): string =>
  Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: options.secret ?? webhookSecret,
    ...(options.at === undefined ? {} : { timestamp: Math.floor(options.at / 1000) })
  })

/** `a[b][0][c]=d` as an object. */
const paramsOf = (text: string): StripeObject => {
  const root: StripeObject = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll("]", "").split("[")
    const last = path.pop() ?? ""
    path.reduce((at, step) => (at[step] ??= {}), root)[last] = value
  }
  return root
}

class Refusal {
  constructor(
    readonly status: number,
    readonly error: StripeObject
  ) {}
}

const invalid = (code: string | undefined, param: string, message: string) =>
  new Refusal(400, { type: "invalid_request_error", ...(code === undefined ? {} : { code }), param, message })

const seconds = () => Math.floor(Date.now() / 1000)
let made = 0
const newId = (prefix: string) => `${prefix}_test_${String(++made).padStart(10, "0")}`

/** What Stripe holds, and what it does with requests. */
const makeAccount = () => {
  const sessions = new Map<string, StripeObject>()
  const paymentIntents = new Map<string, StripeObject>()
  const charges = new Map<string, StripeObject>()
  const refunds = new Map<string, StripeObject>()
  const disputes = new Map<string, StripeObject>()

  const event = (type: string, object: StripeObject, more: object = {}): StripeObject => ({
    id: newId("evt"),
    object: "event",
    api_version: "2026-10-28.endive",
    created: seconds(),
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object: structuredClone(object) },
    ...more
  })

  const createSession = (params: StripeObject) => {
    const item = params.line_items?.[0]
    const cents = Number(item?.price_data?.unit_amount) * Number(item?.quantity)
    if (!Number.isInteger(cents)) throw invalid("parameter_invalid_integer", "line_items[0]", "Invalid integer")
    if (cents < 50) throw invalid("amount_too_small", "line_items[0]", "The total must be at least $0.50 usd")
    if (cents > 99_999_999)
      throw invalid("amount_too_large", "line_items[0]", "The total must be no more than $999,999.99 usd")
    const expires = Number(params.expires_at)
    if (expires < seconds() + 1_800 || expires > seconds() + 86_400)
      throw invalid(undefined, "expires_at", "The `expires_at` timestamp must be 30 minutes to 24 hours from now")
    const id = newId("cs")
    const session = {
      id,
      object: "checkout.session",
      amount_subtotal: cents,
      amount_total: cents,
      cancel_url: params.cancel_url,
      client_reference_id: params.client_reference_id ?? null,
      currency: item.price_data.currency,
      customer: params.customer ?? null,
      customer_creation: params.customer_creation ?? "if_required",
      expires_at: expires,
      livemode: false,
      metadata: params.metadata ?? {},
      mode: params.mode,
      payment_intent: null,
      payment_intent_data: params.payment_intent_data ?? {},
      payment_status: "unpaid",
      status: "open",
      success_url: params.success_url,
      url: `https://checkout.stripe.test/c/pay/${id}`
    }
    sessions.set(id, session)
    return session
  }

  const charged = (intent: StripeObject) => {
    const charge = {
      id: newId("ch"),
      object: "charge",
      amount: intent.amount,
      amount_refunded: 0,
      currency: intent.currency,
      livemode: false,
      metadata: intent.metadata,
      paid: true,
      payment_intent: intent.id,
      refunded: false,
      status: "succeeded"
    }
    charges.set(charge.id, charge)
    intent.latest_charge = charge.id
    intent.amount_received = intent.amount
    intent.status = "succeeded"
  }

  const makeIntent = (fields: object): StripeObject => {
    const intent = {
      id: newId("pi"),
      object: "payment_intent",
      amount_received: 0,
      created: seconds(),
      currency: "usd",
      customer: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      metadata: {},
      payment_method: newId("pm"),
      status: "requires_payment_method",
      ...fields
    }
    paymentIntents.set(intent.id, intent)
    return intent
  }

  const createIntent = (params: StripeObject, meeting: Meeting | undefined) => {
    if (params.off_session === "true" && params.customer === undefined)
      throw invalid("parameter_missing", "customer", "off_session needs a customer")
    const intent = makeIntent({
      amount: Number(params.amount),
      currency: params.currency,
      customer: params.customer ?? null,
      metadata: params.metadata ?? {},
      payment_method: params.payment_method
    })
    if (meeting === "declined" || meeting === "authentication_required") {
      const code = meeting === "declined" ? "card_declined" : "authentication_required"
      const error = {
        type: "card_error",
        code,
        ...(meeting === "declined" ? { decline_code: "insufficient_funds" } : {}),
        message: "Your card was declined. 4242",
        payment_intent: intent
      }
      intent.last_payment_error = { type: "card_error", code }
      throw new Refusal(402, error)
    }
    charged(intent)
    return intent
  }

  const search = (query: string) => {
    const [, name = "", value] = /^metadata\['(\w+)'\]:'([^']+)'$/.exec(query) ?? []
    const data = [...paymentIntents.values()].filter(({ metadata }) => metadata[name] === value)
    return { object: "search_result", data, has_more: false, next_page: null, url: "/v1/payment_intents/search" }
  }

  const handle = (method: string, path: string, params: StripeObject, meeting: Meeting | undefined): StripeObject => {
    if (method === "POST" && path === "/v1/checkout/sessions") return createSession(params)
    if (method === "POST" && path === "/v1/payment_intents") return createIntent(params, meeting)
    if (method === "GET" && path === "/v1/payment_intents/search") return search(params.query)
    if (method === "GET" && path === "/v1/refunds") {
      // Two on a page, so that a test needs few of them.
      const all = [...refunds.values()].filter(({ charge }) => charge === params.charge).reverse()
      const from = all.findIndex(({ id }) => id === params.starting_after) + 1
      return { object: "list", data: all.slice(from, from + 2), has_more: from + 2 < all.length, url: "/v1/refunds" }
    }
    const [, kind, id = ""] = /^\/v1\/(payment_intents|charges)\/(\w+)$/.exec(path) ?? []
    const found = kind === "payment_intents" ? paymentIntents.get(id) : kind === "charges" ? charges.get(id) : undefined
    if (method === "GET" && found !== undefined) return found
    throw new Refusal(404, {
      type: "invalid_request_error",
      code: "resource_missing",
      message: `No such object: ${id}`
    })
  }

  const chargeOf = (paymentIntentId: string) => charges.get(paymentIntents.get(paymentIntentId).latest_charge)

  const acts = {
    pay: (sessionId: string, options: { readonly delayed?: true } = {}) => {
      const session = sessions.get(sessionId)
      const saves = session.payment_intent_data.setup_future_usage === "off_session"
      const intent = makeIntent({
        amount: session.amount_total,
        customer: session.customer_creation === "always" ? newId("cus") : null,
        metadata: session.payment_intent_data.metadata ?? {},
        setup_future_usage: saves ? "off_session" : null,
        status: "processing"
      })
      session.payment_intent = intent.id
      session.customer = intent.customer
      session.status = "complete"
      session.url = null
      if (options.delayed === true) return [event("checkout.session.completed", session)]
      charged(intent)
      session.payment_status = "paid"
      return [event("payment_intent.succeeded", intent), event("checkout.session.completed", session)]
    },
    arrive: (sessionId: string, arrived: boolean) => {
      const session = sessions.get(sessionId)
      const intent = paymentIntents.get(session.payment_intent)
      if (!arrived) return [event("checkout.session.async_payment_failed", session)]
      charged(intent)
      session.payment_status = "paid"
      return [event("payment_intent.succeeded", intent), event("checkout.session.async_payment_succeeded", session)]
    },
    expire: (sessionId: string) => {
      const session = sessions.get(sessionId)
      session.status = "expired"
      session.url = null
      return [event("checkout.session.expired", session)]
    },
    refund: (paymentIntentId: string, cents: number) => {
      const charge = chargeOf(paymentIntentId)
      const refund = {
        id: newId("re"),
        object: "refund",
        amount: cents,
        charge: charge.id,
        created: seconds(),
        currency: charge.currency,
        metadata: {},
        payment_intent: paymentIntentId,
        reason: "requested_by_customer",
        status: "succeeded"
      }
      refunds.set(refund.id, refund)
      charge.amount_refunded += cents
      charge.refunded = charge.amount_refunded === charge.amount
      return [event("refund.created", refund), event("charge.refunded", charge), event("refund.updated", refund)]
    },
    refundFails: (refundId: string) => {
      const refund = refunds.get(refundId)
      refund.status = "failed"
      refund.failure_reason = "expired_or_canceled_card"
      return [event("refund.updated", refund), event("refund.failed", refund)]
    },
    dispute: (paymentIntentId: string, cents: number) => {
      const charge = chargeOf(paymentIntentId)
      const dispute = {
        id: newId("dp"),
        object: "dispute",
        amount: cents,
        balance_transactions: [],
        charge: charge.id,
        created: seconds(),
        currency: charge.currency,
        livemode: false,
        metadata: {},
        payment_intent: paymentIntentId,
        reason: "fraudulent",
        status: "needs_response"
      }
      disputes.set(dispute.id, dispute)
      return [event("charge.dispute.created", dispute), event("charge.dispute.funds_withdrawn", dispute)]
    },
    disputeEnds: (disputeId: string, status: "won" | "lost") => {
      const dispute = disputes.get(disputeId)
      dispute.status = status
      return [
        event("charge.dispute.closed", dispute),
        ...(status === "won" ? [event("charge.dispute.funds_reinstated", dispute)] : [])
      ]
    }
  }
  return { ...acts, event, handle, paymentIntents, sessions }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

/** Starts it on a free port for as long as the scope lives. */
export const startStripe: Effect.Effect<StripeServer, never, Scope.Scope> = Effect.gen(function* () {
  const account = makeAccount()
  const requests: Array<StripeServer["requests"][number]> = []
  const keys = new Map<string, Stored>()
  const ahead: Array<Meeting> = []

  const answer = (response: ServerResponse, status: number, body: StripeObject, headers: object = {}) => {
    response.writeHead(status, { "content-type": "application/json", "request-id": newId("req"), ...headers })
    response.end(JSON.stringify(body))
  }

  const done = (method: string, path: string, params: StripeObject, meeting: Meeting | undefined) => {
    try {
      return { status: 200, body: account.handle(method, path, params, meeting) }
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal
      return { status: refusal.status, body: { error: refusal.error } }
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://stripe.test")
    const method = request.method ?? "GET"
    const body = await bodyOf(request)
    const params = paramsOf(method === "GET" ? url.search.slice(1) : body)
    const key = request.headers["idempotency-key"]?.toString()
    requests.push({ method, path: url.pathname, params, idempotencyKey: key })
    if (request.headers.authorization !== `Bearer ${secretKey}`)
      return answer(response, 401, {
        error: { type: "invalid_request_error", message: "Invalid API Key provided: sk_test_****0000" }
      })
    const meeting = ahead.shift()
    if (meeting === "silence") return
    if (typeof meeting === "object") {
      response.writeHead(meeting.status, { "content-type": "application/json" })
      return void response.end(meeting.text)
    }
    if (meeting === "rate_limited")
      return answer(response, 429, {
        error: { type: "invalid_request_error", code: "rate_limit", message: "Too many requests" }
      })
    if (meeting === "server_error")
      return answer(response, 500, { error: { type: "api_error", message: "Something went wrong at Stripe" } })
    const stored = key === undefined ? undefined : keys.get(key)
    if (stored !== undefined && stored.params !== body)
      return answer(response, 400, {
        error: {
          type: "idempotency_error",
          message: "Keys for idempotent requests can only be used with the same parameters"
        }
      })
    const replayed = stored !== undefined
    const { body: made, status } = stored?.answer ?? done(method, url.pathname, params, meeting)
    if (key !== undefined) keys.set(key, { params: body, answer: { status, body: structuredClone(made) } })
    if (meeting === "lost") return void response.destroy()
    answer(response, status, made, replayed ? { "idempotent-replayed": "true" } : {})
  }

  const server = createServer((request, response) => void serve(request, response))
  const port = yield* Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const { handle: _, ...shown } = account
  return { ...shown, url: `http://127.0.0.1:${port}`, requests, meets: (...meetings) => void ahead.push(...meetings) }
})
