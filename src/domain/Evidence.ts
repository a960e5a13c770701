/**
 * What is known of a call whose answer was lost, for the person who decides about its money: what was sent, to where
 * and when, and how the provider would be asked. Secrets are in none of it: keys are placed only in the call itself.
 */
import type { JsonObject } from "./Json.js"
import type { Endpoint } from "./Manifest.js"
import { plannedFor } from "./RoutePlan.js"
import type { Attempt, Receipt, Run } from "./Run.js"

export interface Evidence {
  readonly attempt: Attempt
  readonly providerName: string
  /** The provider's documentation and site, where the catalog knows them. */
  readonly docs: string | null
  readonly homepage: string | null
  /** Method and address; null when the catalog no longer has the operation. */
  readonly request: string | null
  /** The fields of the operation as they were sent; null when no plan names them. */
  readonly sent: JsonObject | null
  readonly receipt: Receipt | null
  /** The header by which the provider knows the call, and its value. */
  readonly reference: { readonly header: string; readonly value: string } | null
  /** What to look for at the provider, the most telling first. */
  readonly lookUp: ReadonlyArray<string>
}

const iso = (millis: number): string => new Date(millis).toISOString()

/** How one would look at the provider whether the call took effect. */
const lookUpOf = (attempt: Attempt, reference: Evidence["reference"]): ReadonlyArray<string> => [
  ...(attempt.receipt?.providerRequestId == null
    ? []
    : [`Ask for the request ${attempt.receipt.providerRequestId}: the provider gave it this id.`]),
  ...(reference === null
    ? []
    : [`Look for ${reference.header}: ${reference.value}. The call carried it, and a repeated call would too.`]),
  `Look for a call between ${iso(attempt.startedAt)} and ${iso(attempt.completedAt ?? attempt.startedAt)} with the input shown here.`,
  "Look at the invoice or the usage page: an effect that is billed there took place."
]

/** The evidence of one attempt of a run. `endpoint` is the operation as it was when the run was made. */
export const evidenceOf = (run: Run, attempt: Attempt, endpoint: Endpoint | null): Evidence => {
  const header = endpoint?.operation.idempotencyHeader
  const reference = header === undefined ? null : { header, value: attempt.attemptId }
  return {
    attempt,
    providerName: endpoint?.provider.name ?? attempt.providerId,
    docs: endpoint?.operation.provenance?.docs ?? endpoint?.provider.docs ?? null,
    homepage: endpoint?.provider.homepage ?? null,
    request:
      endpoint === null ? null : `${endpoint.operation.method} ${endpoint.provider.baseUrl}${endpoint.operation.path}`,
    sent: plannedFor(run.plan, attempt.endpointId)?.input ?? null,
    receipt: attempt.receipt,
    reference,
    lookUp: lookUpOf(attempt, reference)
  }
}
