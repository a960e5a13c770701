/**
 * One top-up: what was paid, what refunds and disputes took back of it, what of that is still owed, its entries on the
 * ledger, and what happens next.
 */
import { Effect } from "effect"
import { TopUpId } from "../../../domain/Ids.js"
import { pageRowsMax } from "../../../domain/limits/Lists.js"
import type { Reversal } from "../../../domain/PaymentReport.js"
import { type TopUp, TopUps } from "../../../services/TopUps.js"
import { Wallet } from "../../../services/Wallet.js"
import { idReader } from "../../GivenId.js"
import { code, instant, linkTo, money, moneyText, statusBadge } from "../Figures.js"
import { html, type Html, Link, to } from "../Html.js"
import { screen, workspacePage } from "../Page.js"
import { facts, notice, section, tiles } from "../Parts.js"
import { type Column, table } from "../Tables.js"
import { entryColumns } from "./LedgerColumns.js"

const topUpIdOf = idReader("top-up", TopUpId)

/** What a person may do or has to expect, in one or two sentences. A page and a file write money in their own ways. */
export const nextOf = (
  { message, owedMicros, status, takenBackMicros, reversals }: TopUp,
  write: (micros: number) => string
): string => {
  if (owedMicros > 0)
    return `${write(owedMicros)} of it is still owed. The next money on the balance pays that first: a top-up, or money that a run gives back.`
  const openQuestion = reversals.some(({ state }) => state === "open")
    ? " The bank asks about the payment; nothing is taken unless that becomes a dispute."
    : ""
  return takenBackMicros > 0
    ? `${write(takenBackMicros)} of it went back to the payer. Nothing is owed.${openQuestion}`
    : status === "paid" && openQuestion !== ""
      ? openQuestion.trim()
      : message
}

const states: { readonly [State in Reversal["state"]]: { readonly [Kind in Reversal["kind"]]: string } } = {
  open: { refund: "not made yet", dispute: "the bank asks; nothing is taken" },
  taken: { refund: "paid back", dispute: "taken by the bank" },
  returned: { refund: "failed; the money came back", dispute: "ended; nothing is taken for it any more" }
}

const reversalColumns: ReadonlyArray<Column<Reversal>> = [
  { label: "Kind", cell: ({ kind }) => kind },
  { label: "At the payment processor", cell: ({ objectId }) => code(objectId) },
  { label: "State", cell: ({ kind, state }) => states[state][kind] },
  { label: "Amount", numeric: true, cell: ({ amountMicros }) => money(amountMicros) }
]

const reversalsSection = ({ owedMicros, takenBackMicros, reversals }: TopUp): Html | false =>
  reversals.length > 0 &&
  section(
    "Refunds and disputes",
    html`${table({ caption: "Refunds and disputes of this top-up", columns: reversalColumns, rows: reversals, empty: null })}
      <p class="hint">
        ${money(takenBackMicros)} was taken from the balance for them so far, ${money(owedMicros)} is still owed. Together they
        never take more than was paid.
      </p>`
  )

export const oneTopUpPage = workspacePage({
  path: "top-up/:topUpId",
  show: ({ path, workspaceId }) =>
    Effect.gen(function* () {
      const topUpId = yield* topUpIdOf(path.get("topUpId"))
      const topUp = yield* (yield* TopUps).get(workspaceId, topUpId)
      const entries = yield* (yield* Wallet).entries(workspaceId, { topUpId }, { limit: pageRowsMax, after: null })
      const { amountMicros, checkoutUrl, createdAt, owedMicros, status, takenBackMicros } = topUp
      const ledger = to([workspaceId, "ledger"], { topUp: topUpId })
      return screen({
        title: "Top-up",
        actions: html`<a class="button plain" href=${to([workspaceId, "top-up"])}>All top-ups</a>`,
        content: html`${notice(
          html`<p>${nextOf(topUp, moneyText)}</p>
            ${checkoutUrl !== null && html`<p>${linkTo(Link.elsewhere(checkoutUrl), "Pay now")}</p>`}`,
          owedMicros > 0 ? "warn" : status === "pending" ? "wait" : "good"
        )}
        ${tiles([
          { label: "Status", value: statusBadge(status) },
          { label: "Amount", value: money(amountMicros) },
          { label: "Taken back", value: money(takenBackMicros), link: ledger },
          { label: "Owed", value: money(owedMicros) }
        ])}
        ${facts([
          ["Top-up", code(topUpId)],
          ["Requested", instant(createdAt)]
        ])}
        ${reversalsSection(topUp)}
        ${section(
          "Ledger entries",
          html`${table({
            caption: "Ledger entries of this top-up",
            columns: entryColumns(workspaceId),
            rows: entries.items,
            empty: html`<p>Nothing of it is on the ledger: it was not paid so far.</p>`
          })}
          ${entries.next !== null && html`<p><a href=${ledger}>All of them</a></p>`}`
        )}`
      })
    })
})
