/**
 * The runs of a workspace, newest first. Rows that are under way change where they stand; newer runs are announced and
 * not put in between.
 */
import { Effect } from "effect"
import { TokenId } from "../../../domain/Ids.js"
import { shownOutcome } from "../../../domain/RefusedRun.js"
import { type RunOutcome, RunStatus, type RunSummary, shownEndpoint, shownProvider } from "../../../domain/Run.js"
import { isInflight, isSettledForWaiters } from "../../../domain/RunMachine.js"
import { toUsd } from "../../../domain/Micros.js"
import { Runs } from "../../../services/Runs.js"
import { time, timeOrNull } from "../../Fields.js"
import { choiceParamIn, optionalParam, query, spanOf } from "../../Query.js"
import { choiceField, spanFields, spanParams, wholeIdParam, withSpan, wordField, wordParam } from "../Filters.js"
import { dash, duration, instant, linkTo, money, shortId, statusBadge, statusText } from "../Figures.js"
import { html, to, type Html } from "../Html.js"
import { workspacePage } from "../Page.js"
import { type Column, listing, listScreen } from "../Tables.js"

/** What a run costs: its charge, or while it is under way the most that it can. */
const costOf = ({ chargeMicros, holdMicros }: Pick<RunSummary, "chargeMicros" | "holdMicros">): Html =>
  chargeMicros === null ? html`<small>up to</small> ${money(holdMicros)}` : money(chargeMicros)

/** What a run under way has found so far is not its answer. */
export const outcomeOf = (run: Pick<RunSummary, "error" | "outcome" | "status">): RunOutcome | null =>
  isSettledForWaiters(run.status) ? shownOutcome(run) : null

export const operationLink = (workspaceId: string, endpointId: string): Html =>
  linkTo(to([workspaceId, "catalog", endpointId]), endpointId)

const columns = (workspaceId: string): ReadonlyArray<Column<RunSummary>> => [
  {
    label: "Started",
    cell: ({ createdAt, runId }) => linkTo(to([workspaceId, "runs", runId]), instant(createdAt)),
    csv: ({ createdAt }) => time(createdAt)
  },
  {
    label: "Run",
    minor: true,
    names: true,
    cell: ({ runId }) => shortId(runId, to([workspaceId, "runs", runId])),
    csv: ({ runId }) => runId
  },
  { label: "Status", cell: ({ status }) => statusBadge(status), csv: ({ status }) => status },
  {
    label: "Operation",
    cell: (run) => html`${run.job !== null && html`${run.job}<br />`}<small>${shownEndpoint(run)}</small>`,
    csv: shownEndpoint
  },
  { label: "Provider", minor: true, cell: (run) => shownProvider(run) ?? dash, csv: shownProvider },
  {
    label: "Outcome",
    cell: (run) => {
      const outcome = outcomeOf(run)
      return outcome === null ? dash : statusBadge(outcome)
    },
    csv: outcomeOf
  },
  {
    label: "Time",
    numeric: true,
    minor: true,
    cell: ({ completedAt, createdAt }) => (completedAt === null ? dash : duration(Math.max(0, completedAt - createdAt)))
  },
  { label: "Ended", fileOnly: true, cell: () => dash, csv: ({ completedAt }) => timeOrNull(completedAt) },
  {
    label: "Cost",
    numeric: true,
    cell: costOf,
    csv: ({ chargeMicros }) => (chargeMicros === null ? null : toUsd(chargeMicros))
  },
  {
    label: "Token",
    minor: true,
    cell: ({ tokenId }) => shortId(tokenId, to([workspaceId, "runs"], { token: tokenId })),
    csv: ({ tokenId }) => tokenId
  }
]

export const runsPage = workspacePage({
  path: "runs",
  navigation: { label: "Runs", order: 20 },
  filters: true,
  show: (visit) =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { workspaceId } = visit
      const segments = [workspaceId, "runs"]
      const newest = visit.query.get("cursor") === undefined
      const listed = yield* listing({
        visit,
        name: "runs",
        owner: workspaceId,
        segments,
        caption: "Runs",
        columns: columns(workspaceId),
        filters: {
          schema: withSpan(
            query({
              status: optionalParam(choiceParamIn(statusText, ...RunStatus.literals)),
              job: wordParam,
              endpoint: wordParam,
              provider: wordParam,
              token: wholeIdParam(TokenId, "tok_01k…"),
              ...spanParams
            })
          ),
          fields: (form) => [
            choiceField(
              "status",
              "Status",
              RunStatus.literals.map((value) => ({ value, label: statusText(value) }))
            )(form),
            wordField("job", "Job", "people.email.find")(form),
            wordField("endpoint", "Operation")(form),
            wordField("provider", "Provider")(form),
            wordField("token", "Token id")(form),
            spanFields(form)
          ]
        },
        keyOf: ({ runId }) => runId,
        isMoving: ({ status }) => isInflight(status),
        empty: html`<p>No run yet.</p>
          <p><a href=${to([workspaceId, "catalog"])}>Find an operation in the catalog</a> and run it from its page.</p>`,
        read: ({ endpoint, job, provider, status, token, ...span }, page) =>
          runs.list(
            workspaceId,
            {
              ...(status === undefined ? {} : { status }),
              ...(job === undefined ? {} : { capability: job }),
              ...(endpoint === undefined ? {} : { endpointId: endpoint }),
              ...(provider === undefined ? {} : { providerId: provider }),
              ...(token === undefined ? {} : { tokenId: token }),
              ...spanOf(span)
            },
            page,
            false
          )
      })
      return listScreen(
        "Runs",
        (content) =>
          html`${newest && html`<p class="live" data-news hidden>There are newer runs. <a href=${to(segments)}>Show them</a></p>`}${content}`,
        html`<a class="button" href=${to([workspaceId, "catalog"])}>New run</a>`
      )(listed)
    })
})
