/**
 * All migrations in order, named `NNNN_what_it_brings`. Only ever appended: what was released is never edited, a change
 * is a new one.
 */
import type { Migration } from "../Migrations.js"
import { moneyAndRuns } from "./0001_money_and_runs.js"
import { accounts } from "./0002_accounts.js"
import { catalog } from "./0003_catalog.js"
import { storageIdentity } from "./0004_storage_identity.js"
import { tokenLines } from "./0005_token_lines.js"
import { cursorKey } from "./0006_cursor_key.js"
import { workersLost } from "./0007_workers_lost.js"
import { lists } from "./0008_lists.js"
import { operatorTokens } from "./0009_operator_tokens.js"
import { sealingAndDeployment } from "./0010_sealing_and_deployment.js"
import { storageWatch } from "./0011_storage_watch.js"
import { refusedRuns } from "./0012_refused_runs.js"
import { jobsOfToolRuns } from "./0013_jobs_of_tool_runs.js"
import { ledgerChecks } from "./0014_ledger_checks.js"
import { workspacePolicies } from "./0015_workspace_policies.js"
import { auditTrail } from "./0016_audit_trail.js"
import { tokenSecrets } from "./0017_token_secrets.js"
import { members } from "./0018_members.js"
import { payments } from "./0019_payments.js"
import { automaticTopUpCards } from "./0020_automatic_top_up_cards.js"
import { reports } from "./0021_reports.js"
import { resolutionProposals } from "./0022_resolution_proposals.js"
import { paymentTakings } from "./0023_payment_takings.js"
import { deviceGrants } from "./0024_device_grants.js"
import { searchUses } from "./0025_search_uses.js"
import { variables } from "./0026_variables.js"
import { oauthConnections } from "./0027_oauth_connections.js"
import { comparedAnswers } from "./0028_compared_answers.js"
import { schemaNeeds } from "./0029_schema_needs.js"
import { requestRates } from "./0030_request_rates.js"
import { storageRelation } from "./0031_storage_relation.js"
import { history } from "./0032_history.js"
import { nodes } from "./0033_nodes.js"
import { keysByWorkspace } from "./0034_keys_by_workspace.js"
import { endsTold } from "./0035_ends_told.js"
import { keysOfNodes } from "./0036_keys_of_nodes.js"
import { stoppedTopUps } from "./0037_stopped_top_ups.js"
import { catalogsOfNodes } from "./0038_catalogs_of_nodes.js"

export const migrations: Readonly<Record<string, Migration>> = {
  "0001_money_and_runs": moneyAndRuns,
  "0002_accounts": accounts,
  "0003_catalog": catalog,
  "0004_storage_identity": storageIdentity,
  "0005_token_lines": tokenLines,
  "0006_cursor_key": cursorKey,
  "0007_workers_lost": workersLost,
  "0008_lists": lists,
  "0009_operator_tokens": operatorTokens,
  "0010_sealing_and_deployment": sealingAndDeployment,
  "0011_storage_watch": storageWatch,
  "0012_refused_runs": refusedRuns,
  "0013_jobs_of_tool_runs": jobsOfToolRuns,
  "0014_ledger_checks": ledgerChecks,
  "0015_workspace_policies": workspacePolicies,
  "0016_audit_trail": auditTrail,
  "0017_token_secrets": tokenSecrets,
  "0018_members": members,
  "0019_payments": payments,
  "0020_automatic_top_up_cards": automaticTopUpCards,
  "0021_reports": reports,
  "0022_resolution_proposals": resolutionProposals,
  "0023_payment_takings": paymentTakings,
  "0024_device_grants": deviceGrants,
  "0025_search_uses": searchUses,
  "0026_variables": variables,
  "0027_oauth_connections": oauthConnections,
  "0028_compared_answers": comparedAnswers,
  "0029_schema_needs": schemaNeeds,
  "0030_request_rates": requestRates,
  "0031_storage_relation": storageRelation,
  "0032_history": history,
  "0033_nodes": nodes,
  "0034_keys_by_workspace": keysByWorkspace,
  "0035_ends_told": endsTold,
  "0036_keys_of_nodes": keysOfNodes,
  "0037_stopped_top_ups": stoppedTopUps,
  "0038_catalogs_of_nodes": catalogsOfNodes
}
