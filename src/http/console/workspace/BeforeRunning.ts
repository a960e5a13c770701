/**
 * What a person should know before they run something: what it does outside of the gateway, which fields it needs, and
 * that an earlier run which they repeat may have done its work already. A run that is not settled is repeated only by
 * somebody who has said so.
 */
import { Effect } from "effect"
import { type NotFound, ValidationError } from "../../../domain/ApiErrors.js"
import type { OperationContract } from "../../../domain/OperationContract.js"
import type { Run } from "../../../domain/Run.js"
import { holdsMoney } from "../../../domain/RunMachine.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import { Runs } from "../../../services/Runs.js"
import { runIdOf } from "../../GivenId.js"
import { code, linkTo } from "../Figures.js"
import { boxField, boxTicked, type Filled, hiddenField, type Typed } from "../Forms.js"
import { html, type Html, nothing, to } from "../Html.js"
import type { WorkspaceVisit } from "../Page.js"
import { notice } from "../Parts.js"

/** The run that a form repeats, by the name of the form's field. */
export const firstName = "from"
/** The box that a person ticks to repeat a run whose end is not known. */
export const anywayName = "anyway"

const isEffectful = ({ effectClassification }: OperationContract): boolean => effectClassification === "effectful"

/** Whether a second run could do outside what the first one may have done, or may still do. */
export const mayDoTwice = (contract: OperationContract, first: Run): boolean =>
  isEffectful(contract) && holdsMoney(first.status)

/**
 * The run that this form repeats although its end is not known; null where it repeats none. Fails for one that is not
 * there.
 */
export const unsettledFirst = (
  { workspaceId }: WorkspaceVisit,
  contract: OperationContract,
  typed: Typed
): Effect.Effect<Run | null, NotFound | StorageError, Runs> =>
  Effect.gen(function* () {
    const [from] = typed.get(firstName) ?? []
    if (from === undefined) return null
    const { run } = yield* (yield* Runs).get(workspaceId, yield* runIdOf(from))
    return mayDoTwice(contract, run) ? run : null
  })

/** Refused where the first run is not settled and nobody has said that it shall be repeated anyway. */
export const repeatAgreed = (first: Run | null, typed: Typed): Effect.Effect<void, ValidationError> =>
  first === null || typed.get(anywayName)?.[0] === boxTicked
    ? Effect.void
    : ValidationError.of(anywayName, "Tick this to run it although the first run may have done it.")

const whatIsKnown = ({ status }: Run): string =>
  status === "reconciliation_pending"
    ? "Nobody knows yet whether that run did what it was asked for; an operator of the gateway finds out and settles it."
    : "That run is still under way."

/** What it does outside, and, where this form repeats a run that is not settled, that it may be done twice. */
export const effectNotice = (
  contract: OperationContract,
  form: Filled,
  { first, workspaceId }: { readonly first: Run | null; readonly workspaceId: string }
): Html => {
  if (!isEffectful(contract)) return nothing
  if (first === null)
    return notice(
      "This operation does something outside of the gateway. One run sends it at most once; every further run sends it again.",
      "warn"
    )
  return html`<div class="told">
      <p><strong>This may be done twice.</strong> The form repeats
        ${linkTo(to([workspaceId, "runs", first.runId]), code(first.runId))}. ${whatIsKnown(first)}
        A run of this form sends it once more, whatever became of the first.</p>
    </div>
    ${hiddenField(firstName, first.runId)}
    ${boxField({ form, name: anywayName, label: "Send it again, although the first run may have done it" })}`
}

/** `a, b and c`. */
const joined = (parts: ReadonlyArray<Html>): Html =>
  html`${parts.map((part, at) => html`${at > 0 && (at === parts.length - 1 ? " and " : ", ")}${part}`)}`

/** Which sets of fields do, above the form. Fields that are needed in any case are marked themselves. */
export const neededFields = ({ usageHints: { inputAlternatives = [] } }: OperationContract): Html => {
  const [only, ...others] = inputAlternatives
  if (only === undefined) return nothing
  return others.length === 0
    ? html`<p class="hint">Needed: ${joined(only.map(code))}.</p>`
    : html`<p class="hint">Give one of these:</p>
        <ul class="hint">${inputAlternatives.map((fields) => html`<li>${joined(fields.map(code))}</li>`)}</ul>`
}
