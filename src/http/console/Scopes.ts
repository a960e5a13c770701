/** What each scope lets a token do, in words for people. */
import type { Scope } from "../../domain/Scope.js"

export const scopeMeanings: { readonly [scope in Scope]: string } = {
  "catalog:read": "search the catalog",
  "runs:read": "see runs and their results",
  "runs:execute": "run operations and spend the balance",
  "usage:read": "see the balance and the ledger",
  "billing:write": "request top-ups",
  "capabilities:write": "request new capabilities",
  "account:manage": "manage connections and tokens, and read the audit trail"
}
