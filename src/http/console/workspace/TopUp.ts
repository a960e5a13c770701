/**
 * Adding money: the balance, a form that opens a checkout of the payment processor, and the top-ups so far. Where the
 * gateway takes no payments, the page says what is missing and who can do something about it.
 */
import { Effect, Schema } from "effect"
import { isReadOnly } from "../../../domain/Scope.js"
import { dollars, microsPerUsd, toUsd } from "../../../domain/Micros.js"
import type { CheckoutReturn } from "../../../services/Payments.js"
import type { TopUpStatus } from "../../../domain/TopUp.js"
import { type TopUp, TopUps } from "../../../services/TopUps.js"
import { Wallet } from "../../../services/Wallet.js"
import { time } from "../../Fields.js"
import { IdempotencyKey } from "../../IdempotencyKey.js"
import { code, dash, instant, linkTo, money, moneyText, statusBadge } from "../Figures.js"
import {
  boxField,
  button,
  type Filled,
  filledWith,
  form as formHtml,
  formKey,
  hiddenField,
  toldOf,
  typedOf,
  unfilled
} from "../Forms.js"
import { html, Link, to } from "../Html.js"
import { screen, workspaceForm, workspacePage, type WorkspaceVisit } from "../Page.js"
import { balanceTiles, usdField } from "../Money.js"
import { facts, notice, noticeOf, section, tiles } from "../Parts.js"
import { type Column, listing, noFilters } from "../Tables.js"
import { automaticFields, automaticSection, removeAutomatic, setAutomatic } from "./AutomaticTopUp.js"
import { usdParam } from "./Fields.js"
import { nextOf } from "./OneTopUp.js"

const columns = (workspaceId: string): ReadonlyArray<Column<TopUp>> => [
  {
    label: "Requested",
    cell: ({ createdAt, topUpId }) => linkTo(to([workspaceId, "top-up", topUpId]), instant(createdAt)),
    csv: ({ createdAt }) => time(createdAt)
  },
  { label: "Top-up", minor: true, cell: ({ topUpId }) => code(topUpId), csv: ({ topUpId }) => topUpId },
  { label: "Status", cell: ({ status }) => statusBadge(status), csv: ({ status }) => status },
  {
    label: "Amount",
    numeric: true,
    cell: ({ amountMicros }) => money(amountMicros),
    csv: ({ amountMicros }) => toUsd(amountMicros)
  },
  {
    label: "Taken back",
    numeric: true,
    cell: ({ takenBackMicros, topUpId }) =>
      takenBackMicros === 0 ? dash : linkTo(to([workspaceId, "ledger"], { topUp: topUpId }), money(takenBackMicros)),
    csv: ({ takenBackMicros }) => toUsd(takenBackMicros)
  },
  {
    label: "Owed",
    numeric: true,
    cell: ({ owedMicros }) => (owedMicros === 0 ? dash : money(owedMicros)),
    csv: ({ owedMicros }) => toUsd(owedMicros)
  },
  {
    label: "What next",
    cell: ({ checkoutUrl, message, reversals, topUpId }) =>
      checkoutUrl !== null
        ? linkTo(Link.elsewhere(checkoutUrl), "Pay now")
        : reversals.length > 0
          ? linkTo(to([workspaceId, "top-up", topUpId]), "Refunds and disputes")
          : message,
    csv: (topUp) => nextOf(topUp, dollars)
  }
]

/** The checkout leads back, so the address alone says how; neither claims that anything was done. */
const backFromCheckout: { readonly [Back in CheckoutReturn]: string } = {
  paid: "Thank you. The balance grows as soon as the payment is confirmed.",
  cancelled: "The checkout was left. Nothing was paid."
}
const automaticNotices = {
  automatic: "The rule of automatic top-ups is set.",
  manual: "Automatic top-ups are switched off."
}

/** What a person is told whose form opened no checkout. It may have been sent before, and been paid since. */
const withoutCheckout: { readonly [Status in TopUpStatus]: string } = {
  pending: "Nothing was charged. Send the form again in a moment.",
  paid: "The form was sent before. Its payment was made once, and not again now. To add more money, send the form again.",
  expired: "Nothing was charged. To add money, send the form again.",
  failed: "Nothing was charged. To add money, send the form again.",
  refused: "Nothing was charged."
}

const topUpScreen = (visit: WorkspaceVisit, filled: Filled) =>
  Effect.gen(function* () {
    const topUps = yield* TopUps
    const wallet = yield* Wallet
    const { principal, workspaceId } = visit
    const balance = yield* wallet.balance(workspaceId)
    const hint = yield* topUps.hint({
      workspaceId,
      operatorWorkspace: principal.operatorWorkspace,
      readOnly: isReadOnly(principal.scopes),
      availableMicros: balance.availableMicros,
      neededMicros: null
    })
    const takesPayments = hint.checkoutUrl !== null
    const mayPay = principal.scopes.includes("billing:write")
    const automatic = takesPayments && mayPay ? yield* automaticSection(visit, filled) : null
    const listed = yield* listing({
      visit,
      name: "top-ups",
      owner: workspaceId,
      segments: [workspaceId, "top-up"],
      caption: "Top-ups",
      columns: columns(workspaceId),
      filters: noFilters,
      keyOf: ({ topUpId }) => topUpId,
      isMoving: ({ status }) => status === "pending",
      empty: html`<p>No top-up yet.</p>`,
      read: (_, page) =>
        Effect.catchTag(topUps.list(workspaceId, page), "billing_unavailable", () =>
          Effect.succeed({ items: [], next: null })
        )
    })
    if (listed._tag === "File") return listed
    const form =
      typedOf(filled, "key") !== null
        ? filled
        : { ...filled, typed: filledWith({ amountUsd: String(hint.suggestedUsd) }).typed }
    const key = yield* formKey(filled)
    const owed = yield* topUps.owed(workspaceId)
    return screen({
      title: "Top-up",
      content: html`${noticeOf(visit.notice, automaticNotices)}
        ${noticeOf(visit.query.get("notice") ?? null, backFromCheckout)}
        ${tiles([
          ...balanceTiles(workspaceId, balance),
          ...(owed === 0
            ? []
            : [
                {
                  label: "Owed for refunds and disputes",
                  value: money(owed),
                  note: "The next money on the balance pays it first"
                }
              ])
        ])}
        ${
          takesPayments && !mayPay
            ? notice("Owners of the workspace add money.", "wait")
            : takesPayments
              ? html`${section(
                  "Add money",
                  html`${typedOf(filled, "key") !== null && toldOf(form, ["amountUsd", "key", "saveCard"])}${formHtml({
                    action: to([workspaceId, "top-up"]),
                    label: "Add money",
                    content: html`${hiddenField("key", key)}
                    ${usdField({
                      form,
                      name: "amountUsd",
                      label: "Amount in US dollars",
                      hint: html`At least ${money(hint.minimumUsd * microsPerUsd)}.`,
                      required: true
                    })}
                    ${boxField({
                      form,
                      name: "saveCard",
                      label: "Save the card for automatic top-ups",
                      hint: "The payment processor keeps it; this gateway never sees its number."
                    })}
                    ${button("Go to payment")}`
                  })}`
                )}${automatic}`
              : html`${notice(html`<p>${hint.message}</p>`, "warn")}${toldOf(filled)}`
        }
        <h2>Top-ups so far</h2>
        ${listed.content}`
    })
  })

export const topUpPage = workspacePage({
  path: "top-up",
  navigation: { label: "Top-up", order: 35 },
  show: (visit) => topUpScreen(visit, unfilled)
})

export const requestTopUp = workspaceForm({
  path: "top-up",
  sees: "owner",
  fields: Schema.Struct({ amountUsd: usdParam, key: IdempotencyKey, saveCard: Schema.optional(Schema.String) }),
  act: (visit, { amountUsd, key, saveCard }, typed) =>
    Effect.gen(function* () {
      const { principal, workspaceId } = visit
      const topUp = yield* (yield* TopUps).request(
        {
          workspaceId,
          operatorWorkspace: principal.operatorWorkspace,
          amountMicros: amountUsd,
          idempotencyKey: key,
          saveMethod: saveCard !== undefined
        },
        visit.by
      )
      const { checkoutUrl } = topUp
      if (topUp.status !== "pending" || checkoutUrl === null) {
        const { reason, status } = topUp
        const told = { code: reason ?? status, message: nextOf(topUp, moneyText), hint: withoutCheckout[status] }
        // What has ended stays with its key. Sent again, the form asks for another top-up.
        const again = status === "pending" ? typed : new Map([...typed, ["key", [yield* formKey(unfilled)]]])
        return yield* topUpScreen(visit, { ...unfilled, typed: again, told })
      }
      // A page and no redirect: the policy of our pages lets a form lead to this gateway only.
      return screen({
        title: "Go to payment",
        content: html`${facts([
          ["Amount", money(topUp.amountMicros)],
          ["Top-up", code(topUp.topUpId)]
        ])}
          <p>The payment processor takes the payment on a page of its own. The balance grows once it has confirmed it.</p>
          <p class="actions"><a class="button" href=${Link.elsewhere(checkoutUrl)} rel="noreferrer">Pay ${moneyText(topUp.amountMicros)}</a>
          <a href=${to([workspaceId, "top-up"])}>Back</a></p>`
      })
    }),
  again: topUpScreen
})

export const setAutomaticTopUp = workspaceForm({
  path: "top-up/automatic",
  sees: "owner",
  fields: automaticFields,
  act: setAutomatic,
  again: topUpScreen
})

export const removeAutomaticTopUp = workspaceForm({
  path: "top-up/automatic/remove",
  sees: "owner",
  fields: Schema.Struct({}),
  act: removeAutomatic,
  again: topUpScreen
})
