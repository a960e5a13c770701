/**
 * The overview of a workspace: what is on the balance, what is held and by which runs, what was spent by day, provider
 * and token, and how the runs of the last days ended. Each number leads to what it is made of.
 */
import { Clock, Effect, Schema } from "effect"
import { ValidationError } from "../../../domain/ApiErrors.js"
import { nounFor } from "../../../domain/Counted.js"
import { daysUpTo, dayOf, dayStart } from "../../../domain/Days.js"
import { reportDaysMax } from "../../../domain/limits/Lists.js"
import { Reports, type SpendReport } from "../../../services/Reports.js"
import { type HoldRow, Wallet } from "../../../services/Wallet.js"
import { time } from "../../Fields.js"
import { intParam } from "../../Query.js"
import { type Bar, dayChart, partsChart } from "../Charts.js"
import { count, counted, instant, money, moneyText, shortId, statusBadge } from "../Figures.js"
import { html, type Html, to } from "../Html.js"
import { localTime } from "../Moments.js"
import { balanceTiles } from "../Money.js"
import { screen, workspacePage } from "../Page.js"
import { notice, section, tiles } from "../Parts.js"
import { table } from "../Tables.js"

const spans = [7, 30, 90].filter((days) => days <= reportDaysMax)
const spanDefault = 30

const readDays = Schema.decodeUnknownOption(intParam(1, reportDaysMax))
const daysOf = (asked: string | undefined): Effect.Effect<number, ValidationError> =>
  asked === undefined
    ? Effect.succeed(spanDefault)
    : Effect.mapError(readDays(asked), () =>
        ValidationError.of("days", `must be a whole number from 1 to ${reportDaysMax}`)
      )

/** As a filter takes it. */
const startOf = (day: number): string => localTime(dayStart(day))
/** `11-22` */
const shortDateOf = (day: number): string => time(dayStart(day)).slice(5, 10)

const spendByDay = (spend: SpendReport, firstDay: number, lastDay: number, workspaceId: string): Html => {
  const known = new Map(spend.days.map(({ chargeMicros, day }) => [day, chargeMicros]))
  return dayChart({
    title: "Spend by day",
    unit: "Charged",
    show: moneyText,
    bars: Array.from({ length: lastDay - firstDay + 1 }, (_, index) => {
      const day = firstDay + index
      return {
        label: shortDateOf(day),
        value: known.get(day) ?? 0,
        link: to([workspaceId, "ledger"], { kind: "charge", from: startOf(day), to: startOf(day + 1) })
      }
    })
  })
}

const spendChart = (parts: {
  readonly title: string
  readonly head: string
  readonly bars: ReadonlyArray<Bar>
}): Html => partsChart({ ...parts, unit: "Charged", show: moneyText, empty: "Nothing was charged in these days." })

const holdsTable = (holds: ReadonlyArray<HoldRow>, workspaceId: string): Html =>
  table({
    caption: "Runs that hold money",
    columns: [
      { label: "Since", cell: ({ createdAt }) => instant(createdAt) },
      { label: "Run", cell: ({ runId }) => shortId(runId, to([workspaceId, "runs", runId])) },
      { label: "Held", numeric: true, cell: ({ amountMicros }) => money(amountMicros) }
    ],
    rows: holds,
    empty: html`<p>Nothing is held: no run is under way.</p>`
  })

export const overviewPage = workspacePage({
  path: "overview",
  navigation: { label: "Overview", order: 10 },
  show: ({ query, workspaceId }) =>
    Effect.gen(function* () {
      const reports = yield* Reports
      const wallet = yield* Wallet
      const days = yield* daysOf(query.get("days"))
      const span = daysUpTo(dayOf(yield* Clock.currentTimeMillis), days)
      const { balance, holds } = yield* wallet.overview(workspaceId)
      const spend = yield* reports.spend(workspaceId, span)
      const counts = yield* reports.runCounts(workspaceId, dayStart(span.firstDay))
      const from = startOf(span.firstDay)
      const isNew = spend.total.calls === 0 && counts.every(({ runs }) => runs === 0)
      return screen({
        title: "Overview",
        actions: html`<a class="button plain" href=${to([workspaceId, "top-up"])}>Add money</a>
          <a class="button" href=${to([workspaceId, "catalog"])}>New run</a>`,
        content: html`${tiles([
          ...balanceTiles(workspaceId, balance),
          {
            label: `Spent in ${days} days`,
            value: money(spend.total.chargeMicros),
            note: counted(spend.total.calls, "charged call"),
            link: to([workspaceId, "ledger"], { kind: "charge", from })
          },
          ...counts
            .filter(({ runs }) => runs > 0)
            .map(({ more, runs, status }) => ({
              label: statusBadge(status),
              value: html`${count(runs)}${more && "+"} <small>${nounFor(runs, "run")}</small>`,
              link: to([workspaceId, "runs"], { status, from })
            }))
        ])}
          ${
            isNew &&
            notice(
              html`<p>This workspace has run nothing yet.</p>
                <ol><li><a href=${to([workspaceId, "top-up"])}>Add money</a> to its balance.</li>
                <li><a href=${to([workspaceId, "catalog"])}>Find an operation</a> and run it from its page.</li></ol>`,
              "wait"
            )
          }
          ${
            spend.completeUntil !== null &&
            notice(
              html`Charges up to ${instant(spend.completeUntil)} are counted; later ones are being added up. The balance is exact.`,
              "wait"
            )
          }
          <p class="pager">Days: ${spans.map((each) =>
            each === days
              ? html`<strong aria-current="true">${each}</strong>`
              : html`<a href=${to([workspaceId, "overview"], { days: String(each) })}>${each}</a>`
          )}</p>
          <section>${spendByDay(spend, span.firstDay, span.lastDay, workspaceId)}</section>
          <div class="grid2">
            <section>${spendChart({
              title: "Spend by provider",
              head: "Provider",
              bars: spend.providers.map(({ chargeMicros, providerId }) => ({
                label: providerId === "" ? "none" : providerId,
                value: chargeMicros,
                link: to([workspaceId, "runs"], { provider: providerId, from })
              }))
            })}</section>
            <section>${spendChart({
              title: "Spend by token",
              head: "Token",
              bars: spend.tokens.map(({ chargeMicros, label, tokenId }) => ({
                label,
                value: chargeMicros,
                link: to([workspaceId, "runs"], { token: tokenId, from })
              }))
            })}</section>
          </div>
          ${section("Money held", holdsTable(holds, workspaceId))}`
      })
    })
})
