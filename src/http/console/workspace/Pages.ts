/** The pages of a workspace. */
import type { AuditTrail } from "../../../services/AuditTrail.js"
import type { AutomaticTopUps } from "../../../services/AutomaticTopUps.js"
import type { Catalog } from "../../../services/Catalog.js"
import type { ConnectionAuthorizations } from "../../../services/ConnectionAuthorizations.js"
import type { Connections } from "../../../services/Connections.js"
import type { CursorKey } from "../../../services/CursorKey.js"
import type { Ids } from "../../../services/Ids.js"
import type { Members } from "../../../services/Members.js"
import type { PublicUrl } from "../../../services/PublicUrl.js"
import type { PlatformKeys } from "../../../services/PlatformKeys.js"
import type { Reports } from "../../../services/Reports.js"
import type { Runs } from "../../../services/Runs.js"
import type { Sessions } from "../../../services/Sessions.js"
import type { Tokens } from "../../../services/Tokens.js"
import type { TopUps } from "../../../services/TopUps.js"
import type { Wallet } from "../../../services/Wallet.js"
import type { Page } from "../Page.js"
import { auditPage } from "./Audit.js"
import { catalogPage } from "./Catalog.js"
import { addConnection, authorizeConnection, connectionsPage, removeConnection } from "./Connections.js"
import { ledgerPage } from "./Ledger.js"
import { memberPages } from "./Members.js"
import { operationPage, quoteOperation, runOperation } from "./Operation.js"
import { oneTopUpPage } from "./OneTopUp.js"
import { overviewPage } from "./Overview.js"
import { cancelRun, runMedia, runPage } from "./Run.js"
import { runsPage } from "./Runs.js"
import { makeToken, tokensPage } from "./Tokens.js"
import { changeToken, revokeToken, rotateToken, tokenPage } from "./OneToken.js"
import { removeAutomaticTopUp, requestTopUp, setAutomaticTopUp, topUpPage } from "./TopUp.js"

export type WorkspaceServices =
  | AuditTrail
  | AutomaticTopUps
  | Catalog
  | ConnectionAuthorizations
  | Connections
  | CursorKey
  | Ids
  | Members
  | PublicUrl
  | PlatformKeys
  | Reports
  | Runs
  | Sessions
  | Tokens
  | TopUps
  | Wallet

export const workspacePages: ReadonlyArray<Page<WorkspaceServices>> = [
  overviewPage,
  catalogPage,
  operationPage,
  quoteOperation,
  runOperation,
  runsPage,
  runPage,
  cancelRun,
  runMedia,
  ledgerPage,
  topUpPage,
  oneTopUpPage,
  requestTopUp,
  setAutomaticTopUp,
  removeAutomaticTopUp,
  tokensPage,
  makeToken,
  tokenPage,
  changeToken,
  rotateToken,
  revokeToken,
  connectionsPage,
  addConnection,
  authorizeConnection,
  removeConnection,
  ...memberPages,
  auditPage
]
