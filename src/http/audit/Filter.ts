/** The filters of a list of audit entries, as the route and the pages take them, in the words of the service. */
import type { AuditFilter } from "../../domain/AuditEntry.js"
import { spanOf } from "../Query.js"

interface AuditParams extends Pick<AuditFilter, "action" | "actor"> {
  readonly subject?: string
  readonly from?: number
  readonly to?: number
}

export const auditFilterOf = ({ action, actor, subject, ...span }: AuditParams) => ({
  ...(action === undefined ? {} : { action }),
  ...(actor === undefined ? {} : { actor }),
  ...(subject === undefined ? {} : { subjectId: subject }),
  ...spanOf(span)
})
