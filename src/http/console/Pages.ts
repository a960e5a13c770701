/** Every page of the console. A page that is not in this list does not exist, and nothing leads to it. */
import type { Accounts } from "../../services/Accounts.js"
import type { LoginApprovals } from "../../services/LoginApprovals.js"
import type { OpenId } from "../../services/OpenId.js"
import type { Sessions } from "../../services/Sessions.js"
import { home } from "./Home.js"
import { operatorPages, type OperatorServices } from "./operator/Pages.js"
import type { Page } from "./Page.js"
import { approvePages } from "./sign-in/Approve.js"
import { signInPages } from "./sign-in/SignIn.js"
import { workspacePages, type WorkspaceServices } from "./workspace/Pages.js"

/** The services that the pages ask for. */
export type ConsoleServices = Accounts | LoginApprovals | OpenId | OperatorServices | Sessions | WorkspaceServices

export const consolePages: ReadonlyArray<Page<ConsoleServices>> = [
  home,
  ...signInPages,
  ...approvePages,
  ...workspacePages,
  ...operatorPages
]
