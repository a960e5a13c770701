/** The audit trail over everything: who changed what, when and from where, newest first. */
import { Effect, Schema } from "effect"
import { WorkspaceId } from "../../../domain/Ids.js"
import { AuditTrail } from "../../../services/AuditTrail.js"
import { Members } from "../../../services/Members.js"
import { auditFilterOf } from "../../audit/Filter.js"
import { optionalParam, query } from "../../Query.js"
import { parameter } from "../../Query.js"
import { auditColumns } from "../AuditColumns.js"
import { withSpan, wordField } from "../Filters.js"
import { dash, shortId } from "../Figures.js"
import { html, to } from "../Html.js"
import { operatorPage } from "../Page.js"
import { listing, listScreen } from "../Tables.js"
import { auditFilters, auditParams } from "../workspace/Audit.js"

const isWorkspaceId = Schema.is(WorkspaceId)
const workspaceParam = parameter(WorkspaceId, {
  expected: "must be the id of a workspace, such as ws_01k…",
  read: (raw) => (isWorkspaceId(raw) ? raw : undefined),
  jsonSchema: { type: "string" }
})

export const auditPage = operatorPage({
  path: "audit",
  navigation: { label: "Audit", order: 50 },
  filters: true,
  show: (visit) =>
    Effect.gen(function* () {
      const trail = yield* AuditTrail
      const operators = yield* (yield* Members).list(null)
      const listed = yield* listing({
        visit,
        name: "operator-audit",
        owner: "operator",
        segments: ["operator", "audit"],
        caption: "Audit entries",
        columns: [
          ...auditColumns(new Map(operators.map(({ memberId, name }) => [memberId, name])), ["operator", "audit"]),
          {
            label: "Workspace",
            minor: true,
            cell: ({ workspaceId }) =>
              workspaceId === null ? dash : shortId(workspaceId, to(["operator", "workspaces", workspaceId])),
            csv: ({ workspaceId }) => workspaceId
          }
        ],
        filters: {
          schema: withSpan(query({ ...auditParams, workspace: optionalParam(workspaceParam) })),
          fields: (form) => [auditFilters.fields(form), wordField("workspace", "Workspace (id)")(form)]
        },
        keyOf: ({ entryId }) => entryId,
        empty: html`<p>Nothing was changed yet.</p>`,
        read: ({ workspace, ...params }, page) =>
          trail.list({ ...(workspace === undefined ? {} : { workspaceId: workspace }), ...auditFilterOf(params) }, page)
      })
      return listScreen("Audit")(listed)
    })
})
