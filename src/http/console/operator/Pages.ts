/** The pages of the operator, who sees the whole gateway. */
import type { Accounts } from "../../../services/Accounts.js"
import type { AuditTrail } from "../../../services/AuditTrail.js"
import type { Catalog } from "../../../services/Catalog.js"
import type { CursorKey } from "../../../services/CursorKey.js"
import type { EndpointStats } from "../../../services/EndpointStats.js"
import type { Ids } from "../../../services/Ids.js"
import type { Members } from "../../../services/Members.js"
import type { PlatformKeys } from "../../../services/PlatformKeys.js"
import type { ProviderHealth } from "../../../services/ProviderHealth.js"
import type { PublicUrl } from "../../../services/PublicUrl.js"
import type { Reconciliation } from "../../../services/Reconciliation.js"
import type { Reports } from "../../../services/Reports.js"
import type { Sessions } from "../../../services/Sessions.js"
import type { Wallet } from "../../../services/Wallet.js"
import type { Page } from "../Page.js"
import { auditPage } from "./Audit.js"
import { casePage, confirmProposal, rejectProposal, resolveRun } from "./Case.js"
import { deskPage } from "./Desk.js"
import { healthPage } from "./Health.js"
import { operatorMemberPages } from "./Operators.js"
import { providersPage, switchProvider } from "./Providers.js"
import { findRunPage } from "./FindRun.js"
import { creditWorkspace, saveLearning, saveLimits, savePolicy, workspacePage } from "./Workspace.js"
import { workspacesPage } from "./Workspaces.js"

export type OperatorServices =
  | Accounts
  | AuditTrail
  | Catalog
  | CursorKey
  | EndpointStats
  | Ids
  | Members
  | PlatformKeys
  | ProviderHealth
  | PublicUrl
  | Reconciliation
  | Reports
  | Sessions
  | Wallet

export const operatorPages: ReadonlyArray<Page<OperatorServices>> = [
  healthPage,
  findRunPage,
  deskPage,
  casePage,
  resolveRun,
  confirmProposal,
  rejectProposal,
  providersPage,
  switchProvider,
  workspacesPage,
  workspacePage,
  creditWorkspace,
  saveLimits,
  saveLearning,
  savePolicy,
  ...operatorMemberPages,
  auditPage
]
