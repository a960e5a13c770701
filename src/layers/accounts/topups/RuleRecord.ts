/** The audit record of a change of a rule of automatic top-ups. */
import type { AuditRecord } from "../../../domain/AuditEntry.js"
import type { AutomaticTopUp } from "../../../domain/AutomaticTopUp.js"

export const ruleRecord = (
  action: Extract<AuditRecord["action"], `automatic_top_up.${string}`>,
  before: AutomaticTopUp | null,
  after: AutomaticTopUp
): AuditRecord => {
  const auditFields = ({
    amountMicros,
    belowMicros,
    disabledReason,
    monthlyMaximumMicros,
    status
  }: AutomaticTopUp) => ({
    status,
    belowMicros,
    amountMicros,
    monthlyMaximumMicros,
    disabledReason
  })
  return {
    action,
    subjectId: after.workspaceId,
    workspaceId: after.workspaceId,
    before: before === null ? null : auditFields(before),
    after: auditFields(after)
  }
}
