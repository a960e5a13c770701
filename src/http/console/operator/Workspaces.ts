/** All workspaces with their money, newest first. */
import { Effect } from "effect"
import { toUsd } from "../../../domain/Micros.js"
import { Reports, type WorkspaceSummary } from "../../../services/Reports.js"
import { time, timeOrNull } from "../../Fields.js"
import { query } from "../../Query.js"
import { wordField, wordParam } from "../Filters.js"
import { badge, count, instant, instantOrDash, linkTo, money, shortId } from "../Figures.js"
import { html, to } from "../Html.js"
import { operatorPage } from "../Page.js"
import { type Column, listing, listScreen } from "../Tables.js"

const columns: ReadonlyArray<Column<WorkspaceSummary>> = [
  {
    label: "Workspace",
    cell: ({ name, operator, workspaceId }) =>
      html`${linkTo(to(["operator", "workspaces", workspaceId]), html`<bdi>${name}</bdi>`)}${operator && html` ${badge("the operator's own", "off")}`}`,
    csv: ({ name }) => name
  },
  {
    label: "Id",
    minor: true,
    cell: ({ workspaceId }) => shortId(workspaceId, to(["operator", "workspaces", workspaceId])),
    csv: ({ workspaceId }) => workspaceId
  },
  {
    label: "Available",
    numeric: true,
    cell: ({ availableMicros }) => money(availableMicros),
    csv: ({ availableMicros }) => toUsd(availableMicros)
  },
  {
    label: "Held",
    numeric: true,
    cell: ({ reservedMicros }) => money(reservedMicros),
    csv: ({ reservedMicros }) => toUsd(reservedMicros)
  },
  { label: "Under way", numeric: true, cell: ({ inflight }) => count(inflight), csv: ({ inflight }) => inflight },
  {
    label: "Last run",
    cell: ({ lastRunAt }) => instantOrDash(lastRunAt),
    csv: ({ lastRunAt }) => timeOrNull(lastRunAt)
  },
  { label: "Made", minor: true, cell: ({ createdAt }) => instant(createdAt), csv: ({ createdAt }) => time(createdAt) }
]

export const workspacesPage = operatorPage({
  path: "workspaces",
  navigation: { label: "Workspaces", order: 40 },
  filters: true,
  show: (visit) =>
    Effect.gen(function* () {
      const reports = yield* Reports
      const listed = yield* listing({
        visit,
        name: "workspaces",
        owner: "operator",
        segments: ["operator", "workspaces"],
        caption: "Workspaces",
        columns,
        filters: { schema: query({ q: wordParam }), fields: (form) => wordField("q", "Name or id")(form) },
        keyOf: ({ workspaceId }) => workspaceId,
        empty: html`<p>There is no workspace yet.</p>
          <p>Make one on the command line: <code>gateway workspace create NAME</code>.</p>`,
        read: ({ q }, page) => reports.workspaces(q ?? null, page)
      })
      return listScreen("Workspaces")(listed)
    })
})
