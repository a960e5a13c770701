/** Ids as a caller gave them, in a path or a form. A text that cannot be an id names nothing, and is not looked up. */
import { Effect, Option, Schema } from "effect"
import { NotFound } from "../domain/ApiErrors.js"
import { cutText } from "../domain/Characters.js"
import { ApprovalId, MediaId, RequestId, RunId, TokenId, WorkspaceId } from "../domain/Ids.js"
import { shownIdCharsMax } from "../domain/limits/Requests.js"

/** The answer to a text that names nothing. */
export const namesNothing = (what: string, given: string): NotFound =>
  new NotFound({ what, id: cutText(given, shownIdCharsMax) })

/** Reads ids of one kind. A missing text is read as an empty one. */
export const idReader = <A>(what: string, schema: Schema.Schema<A, string>) => {
  const decode = Schema.decodeOption(schema)
  return (given = ""): Effect.Effect<A, NotFound> =>
    Option.match(decode(given), {
      onNone: () => Effect.fail(namesNothing(what, given)),
      onSome: Effect.succeed
    })
}

export const approvalIdOf = idReader("login approval", ApprovalId)
export const mediaIdOf = idReader("file", MediaId)
export const runIdOf = idReader("run", RunId)
/** What a customer may quote of a run. */
export const runOrRequestIdOf = idReader("run", Schema.Union(RunId, RequestId))
export const tokenIdOf = idReader("token", TokenId)
export const workspaceIdOf = idReader("workspace", WorkspaceId)
