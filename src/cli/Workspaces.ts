/** Which workspace a command is about: what was typed is its id or its name. */
import { Data, Effect, Schema } from "effect"
import { WorkspaceId } from "../domain/Ids.js"
import { Accounts } from "../services/Accounts.js"

const isWorkspaceId = Schema.is(WorkspaceId)

export class NoSuchWorkspace extends Data.TaggedError("NoSuchWorkspace")<{ readonly text: string }> {
  override get message() {
    return `No workspace has the id or the name "${this.text}"; gateway workspace list shows them`
  }
}

/** Whether a workspace of an id exists is for what is done with it to say; a name is looked up. */
export const workspaceOf = Effect.fn("workspaceOf")(function* (text: string) {
  if (isWorkspaceId(text)) return text
  const named = yield* (yield* Accounts).workspaceByName(text)
  return named === null ? yield* new NoSuchWorkspace({ text }) : named.workspaceId
})
