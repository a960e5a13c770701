/** How an entry of the ledger looks in a table, with a link to what it is made of. */
import type { LedgerEntry } from "../../../domain/Ledger.js"
import { time } from "../../Fields.js"
import { badge, dash, instant, money, shortId, signedMoney } from "../Figures.js"
import { html, to } from "../Html.js"
import type { Column } from "../Tables.js"

export const kindWords: { readonly [Kind in LedgerEntry["kind"]]: string } = {
  top_up: "top-up",
  hold: "hold",
  release: "release",
  charge: "charge",
  adjustment: "adjustment"
}

export const entryColumns = (
  workspaceId: string,
  { withRun = true }: { readonly withRun?: boolean } = {}
): ReadonlyArray<Column<LedgerEntry>> => [
  { label: "Time", cell: ({ createdAt }) => instant(createdAt), csv: ({ createdAt }) => time(createdAt) },
  {
    label: "Entry",
    minor: true,
    cell: ({ entryId }) => shortId(entryId),
    csv: ({ entryId }) => entryId
  },
  { label: "Kind", cell: ({ kind }) => badge(kindWords[kind], "plain"), csv: ({ kind }) => kind },
  {
    label: "Amount",
    numeric: true,
    cell: ({ amountMicros }) => signedMoney(amountMicros)
  },
  { label: "Available after", numeric: true, cell: ({ balanceAfterMicros }) => money(balanceAfterMicros) },
  { label: "Held after", numeric: true, minor: true, cell: ({ reservedAfterMicros }) => money(reservedAfterMicros) },
  ...(withRun
    ? [
        {
          label: "Belongs to",
          cell: ({ reason, runId, topUpId }: LedgerEntry) =>
            runId !== null
              ? html`run ${shortId(runId, to([workspaceId, "runs", runId]))}${reason !== null && html`<br /><small>${reason}</small>`}`
              : topUpId !== null
                ? html`top-up ${shortId(topUpId, to([workspaceId, "top-up", topUpId]))}${reason !== null && html`<br /><small>${reason}</small>`}`
                : (reason ?? dash),
          csv: ({ runId }: LedgerEntry) => runId
        }
      ]
    : []),
  // Exact integers for files: millionths of a dollar.
  ...[
    { label: "Amount in micros", csv: ({ amountMicros }: LedgerEntry) => amountMicros },
    { label: "Available after in micros", csv: ({ balanceAfterMicros }: LedgerEntry) => balanceAfterMicros },
    { label: "Held after in micros", csv: ({ reservedAfterMicros }: LedgerEntry) => reservedAfterMicros },
    { label: "Top-up", csv: ({ topUpId }: LedgerEntry) => topUpId },
    { label: "Reason", csv: ({ reason }: LedgerEntry) => reason }
  ].map((column) => ({ ...column, cell: () => null, fileOnly: true }))
]
