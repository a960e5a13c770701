/** The ledger of a workspace: every movement of its money, newest first. */
import { Effect } from "effect"
import { RunId, TopUpId } from "../../../domain/Ids.js"
import { LedgerKind } from "../../../domain/Ledger.js"
import { Wallet } from "../../../services/Wallet.js"
import { choiceParamIn, optionalParam, query, spanOf } from "../../Query.js"
import { choiceField, spanFields, spanParams, wholeIdParam, withSpan, wordField } from "../Filters.js"
import { html, to } from "../Html.js"
import { workspacePage } from "../Page.js"
import { listing, listScreen } from "../Tables.js"
import { entryColumns, kindWords } from "./LedgerColumns.js"

export const ledgerPage = workspacePage({
  path: "ledger",
  navigation: { label: "Ledger", order: 30 },
  filters: true,
  show: (visit) =>
    Effect.gen(function* () {
      const wallet = yield* Wallet
      const { workspaceId } = visit
      const listed = yield* listing({
        visit,
        name: "ledger",
        owner: workspaceId,
        segments: [workspaceId, "ledger"],
        caption: "Ledger entries",
        columns: entryColumns(workspaceId),
        filters: {
          schema: withSpan(
            query({
              kind: optionalParam(choiceParamIn((kind) => kindWords[kind], ...LedgerKind.literals)),
              run: wholeIdParam(RunId, "run_01k…"),
              topUp: wholeIdParam(TopUpId, "top_01k…"),
              ...spanParams
            })
          ),
          fields: (form) => [
            choiceField(
              "kind",
              "Kind",
              LedgerKind.literals.map((value) => ({ value, label: kindWords[value] }))
            )(form),
            wordField("run", "Run id")(form),
            wordField("topUp", "Top-up id")(form),
            spanFields(form)
          ]
        },
        keyOf: ({ entryId }) => entryId,
        empty: html`<p>No money has moved yet.</p>
          <p><a href=${to([workspaceId, "top-up"])}>Add money</a> to run operations.</p>`,
        read: ({ kind, run, topUp, ...span }, page) =>
          wallet.entries(
            workspaceId,
            {
              ...(kind === undefined ? {} : { kind }),
              ...(run === undefined ? {} : { runId: run }),
              ...(topUp === undefined ? {} : { topUpId: topUp }),
              ...spanOf(span)
            },
            page
          )
      })
      return listScreen("Ledger")(listed)
    })
})
