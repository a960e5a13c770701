/**
 * Events of Stripe as reports of payments. The library checks the signature and its age; that it is not of the future
 * is checked here. So is what an event holds: its shape follows the version that the account has set, not the version
 * of the library. Events that are not about a top-up of a gateway, or not of this account and mode, are ignored.
 */
import type Stripe from "stripe"
import { Clock, Effect, Either, Option, Redacted, Schema } from "effect"
import { BillingUnavailable, ValidationError } from "../../../domain/ApiErrors.js"
import { webhookToleranceSeconds } from "../../../domain/limits/Workspaces.js"
import type { ReversalReport } from "../../../domain/PaymentReport.js"
import type { EventRead, IgnoredEvent, PaymentEvents } from "../../../services/PaymentEvents.js"
import type { StripeSettings } from "../../node/ConfigGroups.js"
import { fromCents } from "./StripeAmounts.js"
import type { StripeClient, StripeFailure } from "./StripeClient.js"
import { methodName, stopOf } from "./StripeMethods.js"
import { Metadata } from "./StripeMetadata.js"
import { Charge, Dispute, idOf, Intent, nullable, Refund, RefundPage, Session, StripeId } from "./StripeObjects.js"
import { disputeState, refundState } from "./StripeReversals.js"

type Failure = BillingUnavailable | ValidationError
type Read = Effect.Effect<EventRead, Failure>

const ignored = (why: IgnoredEvent): Read => Effect.succeed({ _tag: "Ignored", why })
const reports = (...found: Extract<EventRead, { _tag: "Reports" }>["reports"]): Read =>
  Effect.succeed({ _tag: "Reports", reports: found })

/** Null for what is no amount of US dollars. */
const amountOf = (cents: number | null | undefined, currency: string | null | undefined) =>
  currency === "usd" && cents != null ? Option.getOrNull(fromCents(cents)) : null

const ours = Schema.decodeUnknownOption(Metadata)

const sessionPaid = (session: typeof Session.Type): Read => {
  const topUp = ours(session.metadata)
  if (Option.isNone(topUp) || session.payment_intent == null) return ignored("not_a_top_up")
  if (session.payment_status === "unpaid") return ignored("awaiting_payment")
  return reports({
    _tag: "Paid",
    topUpId: topUp.value.topUpId,
    reference: idOf(session.payment_intent),
    amountMicros: amountOf(session.amount_total, session.currency),
    // The event of the payment itself names the card.
    savedMethod: null
  })
}

const sessionUnpaid =
  (status: "expired" | "failed") =>
  ({ metadata }: typeof Session.Type): Read =>
    Option.match(ours(metadata), {
      onNone: () => ignored("not_a_top_up"),
      onSome: ({ topUpId }) => reports({ _tag: "Unpaid", topUpId, status, declined: null })
    })

const intentPaid = (intent: typeof Intent.Type, at: number): Read => {
  const { amount_received, currency, customer, id, metadata, payment_method, setup_future_usage } = intent
  const topUp = ours(metadata)
  if (Option.isNone(topUp)) return ignored("not_a_top_up")
  const saved = setup_future_usage === "off_session" && customer != null && payment_method != null
  return reports({
    _tag: "Paid",
    topUpId: topUp.value.topUpId,
    reference: id,
    amountMicros: amountOf(amount_received, currency),
    savedMethod: saved ? { method: methodName(idOf(customer), idOf(payment_method)), paidAt: at } : null
  })
}

/** In a checkout a person may try another card, and the session's own events tell how it ends. */
const intentFailed = ({ last_payment_error, metadata }: typeof Intent.Type): Read => {
  const topUp = ours(metadata)
  return Option.isSome(topUp) && topUp.value.automatic === "true"
    ? reports({
        _tag: "Unpaid",
        topUpId: topUp.value.topUpId,
        status: "failed",
        declined: stopOf(last_payment_error?.code)
      })
    : ignored("not_handled")
}

const refundReport = (refund: typeof Refund.Type): ReversalReport | null =>
  refund.payment_intent == null
    ? null
    : {
        _tag: "TakenBack",
        kind: "refund",
        objectId: refund.id,
        reference: idOf(refund.payment_intent),
        state: refundState(refund.status ?? null),
        amountMicros: amountOf(refund.amount, refund.currency)
      }

const refunded = (refund: typeof Refund.Type): Read => {
  const report = refundReport(refund)
  return report === null ? ignored("not_a_top_up") : reports(report)
}

const disputed =
  (moved: "withdrawn" | "reinstated" | null) =>
  ({ amount, currency, id, payment_intent, status }: typeof Dispute.Type): Read =>
    payment_intent == null
      ? ignored("not_a_top_up")
      : reports({
          _tag: "TakenBack",
          kind: "dispute",
          objectId: id,
          reference: idOf(payment_intent),
          state: disputeState(status, moved),
          amountMicros: amountOf(amount, currency)
        })

/** All refunds of a charge, page by page. */
const refundsOf = (
  client: StripeClient,
  charge: string,
  after?: string
): Effect.Effect<ReadonlyArray<typeof Refund.Type>, StripeFailure> =>
  client
    .ask(
      (stripe) =>
        stripe.refunds.list({ charge, limit: 100, ...(after === undefined ? {} : { starting_after: after }) }),
      RefundPage
    )
    .pipe(
      Effect.flatMap(({ data, has_more }) => {
        const last = data.at(-1)?.id
        return has_more && last !== undefined && last !== after
          ? Effect.map(refundsOf(client, charge, last), (rest) => [...data, ...rest])
          : Effect.succeed(data)
      })
    )

/** The event does not say which refunds the charge has: Stripe is asked for them. */
const chargeRefunded =
  (client: StripeClient) =>
  ({ id, metadata }: typeof Charge.Type): Read =>
    Option.isNone(ours(metadata))
      ? ignored("not_a_top_up")
      : Effect.mapBoth(refundsOf(client, id), {
          onFailure: () => new BillingUnavailable({ processor: "silent" }),
          onSuccess: (refunds): EventRead => ({
            _tag: "Reports",
            reports: refunds.flatMap((refund) => refundReport(refund) ?? [])
          })
        })

const unreadable = ValidationError.of("body", "is a signed event of a shape that this version does not know")
const notJson = ValidationError.of("body", "is signed, and is no JSON document in UTF-8")

/** What every event has. */
const Event = Schema.Struct({
  id: StripeId,
  type: Schema.String,
  /** In seconds: when it happened, however late and often the event is delivered. Without it, before all others. */
  created: nullable(Schema.Int),
  livemode: Schema.Boolean,
  account: nullable(Schema.String),
  data: Schema.Struct({ object: Schema.Unknown })
})
type Event = typeof Event.Type
const decodeEvent = Schema.decodeUnknown(Event)
const utf8 = new TextDecoder("utf-8", { fatal: true })

const parsed = (body: Uint8Array): Effect.Effect<unknown, ValidationError> =>
  Effect.try({ try: (): unknown => JSON.parse(utf8.decode(body)), catch: () => notJson })

const eventIn = (body: Uint8Array): Effect.Effect<Event, ValidationError> =>
  Effect.flatMap(parsed(body), (value) => Effect.mapError(decodeEvent(value), () => unreadable))

type Reader = (event: Event) => Read

/** What a type of events holds, and what it means. `at` is when it happened. */
const reader = <A, I>(schema: Schema.Schema<A, I>, read: (object: A, at: number) => Read): Reader => {
  const decode = Schema.decodeUnknownEither(schema)
  return ({ created, data }) =>
    Either.match(decode(data.object), {
      onLeft: () => unreadable,
      onRight: (object) => read(object, (created ?? 0) * 1_000)
    })
}

const readersOf = (client: StripeClient): ReadonlyMap<string, Reader> => {
  const refund = reader(Refund, refunded)
  const dispute = reader(Dispute, disputed(null))
  return new Map([
    ["checkout.session.completed", reader(Session, sessionPaid)],
    ["checkout.session.async_payment_succeeded", reader(Session, sessionPaid)],
    ["checkout.session.async_payment_failed", reader(Session, sessionUnpaid("failed"))],
    ["checkout.session.expired", reader(Session, sessionUnpaid("expired"))],
    ["payment_intent.succeeded", reader(Intent, intentPaid)],
    ["payment_intent.payment_failed", reader(Intent, intentFailed)],
    ["refund.created", refund],
    ["refund.updated", refund],
    ["refund.failed", refund],
    ["charge.refund.updated", refund],
    ["charge.refunded", reader(Charge, chargeRefunded(client))],
    ["charge.dispute.created", dispute],
    ["charge.dispute.updated", dispute],
    ["charge.dispute.closed", dispute],
    ["charge.dispute.funds_withdrawn", reader(Dispute, disputed("withdrawn"))],
    ["charge.dispute.funds_reinstated", reader(Dispute, disputed("reinstated"))]
  ])
}

/** When a header says that it was signed, in seconds. The last of several counts, as it does in the library. */
const signedAt = (signature: string): number => {
  const text = signature
    .split(",")
    .findLast((part) => part.startsWith("t="))
    ?.slice(2)
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : NaN
}

/** Whether one of the secrets has signed the body within the tolerance, before now or after. */
const isSigned = (
  webhooks: Stripe["webhooks"],
  secrets: StripeSettings["webhookSecrets"],
  { body, signature }: { readonly body: Uint8Array; readonly signature: string },
  now: number
): boolean => {
  const by = (secret: Redacted.Redacted<string>) =>
    Either.try(() =>
      webhooks.signature?.verifyHeader(body, signature, Redacted.value(secret), webhookToleranceSeconds, undefined, now)
    )
  return (
    signedAt(signature) - now / 1_000 <= webhookToleranceSeconds &&
    secrets.some((secret) => Either.getOrElse(by(secret), () => false) === true)
  )
}

const logUnreadable = ({ message }: ValidationError) =>
  Effect.logError("A signed event of Stripe cannot be read: it was refused").pipe(
    Effect.annotateLogs({ problem: message })
  )

export const readEvent = (client: StripeClient, settings: StripeSettings): PaymentEvents["Type"]["read"] => {
  const readers = readersOf(client)
  const live = Redacted.value(settings.secretKey).includes("_live_")
  const meaningOf = (event: Event): Read => {
    if (event.account != null) return ignored("other_account")
    if (event.livemode !== live) return ignored("other_mode")
    return readers.get(event.type)?.(event) ?? ignored("not_handled")
  }
  const read = (event: Event): Read =>
    meaningOf(event).pipe(
      Effect.tap((found) =>
        found._tag === "Ignored" && (found.why === "other_mode" || found.why === "other_account")
          ? Effect.logWarning("An event of Stripe is not of this gateway's account and mode, and was ignored")
          : Effect.void
      ),
      Effect.tapErrorTag("validation_error", logUnreadable),
      Effect.annotateLogs({ eventId: event.id, eventType: event.type })
    )
  return Effect.fn("PaymentEvents.read")(function* ({ body, signature }) {
    if (signature === undefined) return { _tag: "Unsigned" }
    const now = yield* Clock.currentTimeMillis
    const webhooks = yield* client.webhooks
    if (!isSigned(webhooks, settings.webhookSecrets, { body, signature }, now)) return { _tag: "Unsigned" }
    return yield* read(yield* Effect.tapError(eventIn(body), logUnreadable))
  })
}
