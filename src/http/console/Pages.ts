/** Every page of the console. A page that is not in this list does not exist, and nothing leads to it. */
import type { Accounts } from "../../services/Accounts.js"
import type { LoginApprovals } from "../../services/LoginApprovals.js"
import type { Members } from "../../services/Members.js"
import type { OpenId } from "../../services/OpenId.js"
import type { PublicUrl } from "../../services/PublicUrl.js"
import type { Sessions } from "../../services/Sessions.js"
import { connectPages } from "./Connect.js"
import { homes } from "./Home.js"
import { operatorPages, type OperatorServices } from "./operator/Pages.js"
import type { Page } from "./Page.js"
import { approvePages } from "./sign-in/Approve.js"
import { devicePage } from "./sign-in/Device.js"
import { openIdPages } from "./sign-in/OpenIdSignIn.js"
import { signInPages } from "./sign-in/SignIn.js"
import { workspacePages, type WorkspaceServices } from "./workspace/Pages.js"

/** The services that the pages ask for. */
export type ConsoleServices =
  Accounts | LoginApprovals | Members | OpenId | PublicUrl | OperatorServices | Sessions | WorkspaceServices

export const consolePages: ReadonlyArray<Page<ConsoleServices>> = [
  ...homes,
  ...signInPages,
  ...openIdPages,
  ...approvePages,
  devicePage,
  ...connectPages,
  ...workspacePages,
  ...operatorPages
]
