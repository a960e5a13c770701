/** `/console`: leads to where the session belongs. */
import { Effect } from "effect"
import { to } from "./Html.js"
import { redirect, signedInPage } from "./Page.js"

export const home = signedInPage({
  path: "",
  show: ({ session }) =>
    Effect.succeed(
      redirect(session.workspaceId === null ? to(["operator", "health"]) : to([session.workspaceId, "overview"]))
    )
})
