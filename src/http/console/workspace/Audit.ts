/** The audit trail of a workspace: who changed what, when and from where, newest first. For owners. */
import { Effect } from "effect"
import { type AuditAction, auditActions } from "../../../domain/AuditEntry.js"
import { AuditTrail } from "../../../services/AuditTrail.js"
import { Members } from "../../../services/Members.js"
import { auditFilterOf } from "../../audit/Filter.js"
import { choiceParam, optionalParam, query } from "../../Query.js"
import { auditColumns } from "../AuditColumns.js"
import { choiceField, spanFields, spanParams, withSpan, wordField, wordParam } from "../Filters.js"
import { html } from "../Html.js"
import { workspacePage } from "../Page.js"
import { listing, listScreen } from "../Tables.js"

const isAction = (name: string): name is AuditAction => Object.hasOwn(auditActions, name)
const [firstAction = "workspace.created", ...moreActions] = Object.keys(auditActions).filter(isAction)

/** The filters of a list of audit entries. */
export const auditParams = {
  action: optionalParam(choiceParam(firstAction, ...moreActions)),
  actor: wordParam,
  subject: wordParam,
  ...spanParams
}
export const auditFilters = {
  schema: withSpan(query(auditParams)),
  fields: (form: Parameters<typeof spanFields>[0]) => [
    choiceField(
      "action",
      "What",
      [firstAction, ...moreActions].map((value) => ({ value, label: value }))
    )(form),
    wordField("actor", "Who (id)")(form),
    wordField("subject", "On (id)")(form),
    spanFields(form)
  ]
}

export const auditPage = workspacePage({
  path: "audit",
  sees: "owner",
  navigation: { label: "Audit", order: 80 },
  filters: true,
  show: (visit) =>
    Effect.gen(function* () {
      const trail = yield* AuditTrail
      const { workspaceId } = visit
      const people = yield* (yield* Members).list(workspaceId)
      const listed = yield* listing({
        visit,
        name: "audit",
        owner: workspaceId,
        segments: [workspaceId, "audit"],
        caption: "Audit entries",
        columns: auditColumns(new Map(people.map(({ memberId, name }) => [memberId, name])), [workspaceId, "audit"]),
        filters: auditFilters,
        keyOf: ({ entryId }) => entryId,
        empty: html`<p>Nothing was changed yet.</p>
          <p>Each change of a token, member, connection, limit or balance is written here.</p>`,
        read: (params, page) => trail.list({ workspaceId, ...auditFilterOf(params) }, page)
      })
      return listScreen("Audit")(listed)
    })
})
