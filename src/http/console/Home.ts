/** Addresses that name no page of their own lead to one: the console, a workspace, the part of the operator. */
import { Effect, Schema } from "effect"
import { WorkspaceId } from "../../domain/Ids.js"
import { noPage } from "./ErrorScreens.js"
import { to } from "./Html.js"
import { operatorPage, type Page, redirect, signedInPage } from "./Page.js"

/** `/console`: where the session belongs. */
const home = signedInPage({
  path: "",
  show: ({ session }) =>
    Effect.succeed(
      redirect(session.workspaceId === null ? to(["operator", "health"]) : to([session.workspaceId, "overview"]))
    )
})

const isWorkspaceId = Schema.is(WorkspaceId)

const workspaceHome: Page<never> = {
  method: "GET",
  path: "/console/:workspaceId",
  sees: "member",
  navigation: null,
  handle: ({ visit, workspace }) =>
    isWorkspaceId(visit.path.get("workspaceId"))
      ? Effect.map(workspace("member"), ({ workspaceId }) => redirect(to([workspaceId, "overview"])))
      : Effect.fail(noPage)
}

const operatorHome = operatorPage({ path: "", show: () => Effect.succeed(redirect(to(["operator", "health"]))) })

export const homes: ReadonlyArray<Page<never>> = [home, workspaceHome, operatorHome]
