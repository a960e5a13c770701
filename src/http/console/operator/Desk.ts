/** The reconciliation desk: all runs whose money a person has to decide about, the oldest first. */
import { Clock, Effect } from "effect"
import { actorName } from "../../../domain/AuditEntry.js"
import { needsTwo } from "../../../domain/Resolution.js"
import type { WorkspaceId } from "../../../domain/Ids.js"
import type { Page } from "../../../domain/Page.js"
import { shownEndpoint } from "../../../domain/Run.js"
import { toUsd } from "../../../domain/Micros.js"
import { Accounts } from "../../../services/Accounts.js"
import { Reconciliation, type UncertainRow } from "../../../services/Reconciliation.js"
import { time } from "../../Fields.js"
import { badge, duration, instant, linkTo, money, shortId } from "../Figures.js"
import { html, to } from "../Html.js"
import { operatorPage } from "../Page.js"
import { notice } from "../Parts.js"
import { type Column, listing, listScreen, noFilters } from "../Tables.js"

const openOf = ({ proposals }: UncertainRow) => proposals.find(({ status }) => status === "open")

type NamedRow = UncertainRow & { readonly workspaceName: string }

/** The rows with the names of their workspaces, each of which is read once. */
const withNames = ({ items, next }: Page<UncertainRow>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Accounts
    const nameOf = (id: WorkspaceId) =>
      workspace(id).pipe(
        Effect.map(({ name }) => name),
        Effect.catchTag("not_found", () => Effect.succeed<string>(id))
      )
    const ids = Array.from(new Set(items.map(({ run }) => run.workspaceId)))
    const names = new Map(yield* Effect.forEach(ids, (id) => Effect.map(nameOf(id), (name) => [id, name] as const)))
    return {
      items: items.map((row): NamedRow => ({
        ...row,
        workspaceName: names.get(row.run.workspaceId) ?? row.run.workspaceId
      })),
      next
    }
  })

export const deskPage = operatorPage({
  path: "desk",
  navigation: { label: "Desk", order: 20 },
  show: (visit) =>
    Effect.gen(function* () {
      const reconciliation = yield* Reconciliation
      const { twoPersonAboveMicros } = reconciliation
      const now = yield* Clock.currentTimeMillis
      const columns: ReadonlyArray<Column<NamedRow>> = [
        {
          label: "Since",
          cell: ({ run }) =>
            html`${linkTo(to(["operator", "desk", run.runId]), instant(run.createdAt))}<br /><small>${duration(Math.max(0, now - run.createdAt))} ago</small>`,
          csv: ({ run }) => time(run.createdAt)
        },
        {
          label: "Run",
          minor: true,
          names: true,
          cell: ({ run }) => shortId(run.runId, to(["operator", "desk", run.runId])),
          csv: ({ run }) => run.runId
        },
        {
          label: "Workspace",
          cell: ({ run, workspaceName }) =>
            linkTo(to(["operator", "workspaces", run.workspaceId]), html`<bdi>${workspaceName}</bdi>`),
          csv: ({ run }) => run.workspaceId
        },
        { label: "Operation", cell: ({ run }) => shownEndpoint(run), csv: ({ run }) => shownEndpoint(run) },
        {
          label: "Held",
          numeric: true,
          cell: ({ run }) => money(run.holdMicros),
          csv: ({ run }) => toUsd(run.holdMicros)
        },
        {
          label: "Decision",
          cell: (each) => {
            const open = openOf(each)
            if (open !== undefined)
              return open.proposedBy.kind === "operator" && open.proposedBy.memberId === visit.by.memberId
                ? badge("your proposal waits", "wait")
                : badge("confirm or reject", "warn")
            return needsTwo(each.run, twoPersonAboveMicros) ? "two people" : "one person"
          },
          csv: (each) => {
            const open = openOf(each)
            return open === undefined ? "" : `proposed by ${actorName(open.proposedBy)}`
          }
        }
      ]
      const listed = yield* listing({
        visit,
        name: "desk",
        owner: "operator",
        segments: ["operator", "desk"],
        caption: "Runs that wait for a person",
        columns,
        filters: noFilters,
        order: ["Oldest", "Newer"],
        keyOf: ({ run }) => run.runId,
        empty: html`<p>No run waits for a person.</p>
          <p>A run comes here when a call with an effect was sent and its answer was lost. Its hold stays until somebody decides.</p>`,
        read: (_, page) => Effect.flatMap(reconciliation.uncertain(page), withNames)
      })
      return listScreen(
        "Desk",
        (content) =>
          html`${
            twoPersonAboveMicros !== null &&
            notice(html`Two people decide about a run that holds more than ${money(twoPersonAboveMicros)}.`, "wait")
          }${content}`
      )(listed)
    })
})
