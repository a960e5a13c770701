/** What a customer quotes, the id of a run or of a request, leads to the page of the run, in whichever workspace. */
import { Effect } from "effect"
import { filterCharsMax } from "../../../domain/limits/Lists.js"
import { Reconciliation } from "../../../services/Reconciliation.js"
import { runOrRequestIdOf } from "../../GivenId.js"
import { askForm, button, filledWith, textField, unfilled } from "../Forms.js"
import { html, to } from "../Html.js"
import { operatorPage, redirect, screen } from "../Page.js"

const place = ["operator", "runs"]

const missed = "No run has this id, and no request of this id made one. Its month may have left the database."

const findScreen = (asked: string, problem: string | null) =>
  screen({
    title: "Find a run",
    status: problem === null ? 200 : 404,
    content: askForm({
      action: to(place),
      label: "Find a run",
      content: html`${textField({
        form: {
          ...(asked === "" ? unfilled : filledWith({ id: asked })),
          problems: problem === null ? unfilled.problems : new Map([["id", problem]])
        },
        name: "id",
        label: "Run or request",
        hint: html`<code>run_…</code>, or <code>req_…</code> of the request that made it. A request to which the client gave an id of its own is not found by that.`,
        required: true,
        code: true,
        charsMax: filterCharsMax
      })}
      ${button("Find")}`
    })
  })

export const findRunPage = operatorPage({
  path: "runs",
  navigation: { label: "Find a run", order: 25 },
  show: ({ query }) => {
    const asked = query.get("id")?.trim() ?? ""
    if (asked === "") return Effect.succeed(findScreen("", null))
    return Effect.gen(function* () {
      const { runId, workspaceId } = yield* (yield* Reconciliation).find(yield* runOrRequestIdOf(asked))
      return redirect(to([workspaceId, "runs", runId]))
    }).pipe(Effect.catchTag("not_found", () => Effect.succeed(findScreen(asked, missed))))
  }
})
