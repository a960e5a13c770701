/** Every page of the console. A page that is not in this list does not exist, and nothing leads to it. */
import type { Catalog } from "../../services/Catalog.js"
import type { Connections } from "../../services/Connections.js"
import type { CursorKey } from "../../services/CursorKey.js"
import type { Ids } from "../../services/Ids.js"
import type { OpenId } from "../../services/OpenId.js"
import type { Reports } from "../../services/Reports.js"
import type { Runs } from "../../services/Runs.js"
import type { Sessions } from "../../services/Sessions.js"
import type { TopUps } from "../../services/TopUps.js"
import type { Wallet } from "../../services/Wallet.js"
import { home } from "./Home.js"
import type { Page } from "./Page.js"
import { signInPages } from "./sign-in/SignIn.js"
import { catalogPage } from "./workspace/Catalog.js"
import { addConnection, connectionsPage, removeConnection } from "./workspace/Connections.js"
import { ledgerPage } from "./workspace/Ledger.js"
import { operationPage, quoteOperation, runOperation } from "./workspace/Operation.js"
import { cancelRun, runMedia, runPage } from "./workspace/Run.js"
import { runsPage } from "./workspace/Runs.js"
import { overviewPage } from "./workspace/Overview.js"
import { requestTopUp, topUpPage } from "./workspace/TopUp.js"

/** The services that the pages ask for. */
export type ConsoleServices =
  Catalog | Connections | CursorKey | Ids | OpenId | Reports | Runs | Sessions | TopUps | Wallet

export const consolePages: ReadonlyArray<Page<ConsoleServices>> = [
  home,
  ...signInPages,
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
  requestTopUp,
  connectionsPage,
  addConnection,
  removeConnection
]
