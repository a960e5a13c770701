/** Automatic top-ups on the top-up page: the rule of the workspace, how it does, and the forms that set and end it. */
import { Effect, Schema } from "effect"
import { toUsd } from "../../../domain/Micros.js"
import { type AutomaticTopUpShown, AutomaticTopUps } from "../../../services/AutomaticTopUps.js"
import { badge, money } from "../Figures.js"
import { actForm, button, type Filled, filledWith, form as formHtml, toldOf, typedOf } from "../Forms.js"
import { html, type Html, to } from "../Html.js"
import { usdField } from "../Money.js"
import { redirect, type WorkspaceVisit } from "../Page.js"
import { facts, section } from "../Parts.js"
import { usdParam } from "./Fields.js"

const names = ["belowUsd", "automaticAmountUsd", "monthlyMaximumUsd"]

const states: { readonly [State in AutomaticTopUpShown["state"]]: Html } = {
  active: badge("active", "good"),
  no_payment_method: badge("no card is saved", "warn"),
  monthly_maximum_reached: badge("maximum of this month reached", "warn"),
  disabled: badge("disabled", "bad"),
  unavailable: badge("no top-ups here", "warn")
}

/** The rule and its form, for an owner. */
export const automaticSection = ({ workspaceId }: WorkspaceVisit, form: Filled) =>
  Effect.gen(function* () {
    const rule = yield* (yield* AutomaticTopUps)
      .get(workspaceId)
      .pipe(Effect.catchTag("not_found", () => Effect.succeed(null)))
    const usd = (micros: number | undefined) => (micros === undefined ? null : String(toUsd(micros)))
    const shown =
      typedOf(form, "belowUsd") === null
        ? filledWith({
            belowUsd: usd(rule?.belowMicros),
            automaticAmountUsd: usd(rule?.amountMicros),
            monthlyMaximumUsd: usd(rule?.monthlyMaximumMicros)
          })
        : form
    const problems = new Map(
      [...shown.problems].map(([name, problem]) => [name === "amountUsd" ? "automaticAmountUsd" : name, problem])
    )
    const filled: Filled = { ...shown, problems }
    return section(
      "Automatic top-up",
      html`<p>The saved card is charged when the balance falls below an amount, up to a maximum in each month. Tick "Save the
          card" with a payment to save one.</p>
        ${
          rule !== null &&
          html`${facts([
            ["State", states[rule.state]],
            ["Charged this month", html`${money(rule.monthMicros)} of ${money(rule.monthlyMaximumMicros)}`],
            ["", rule.state === "active" ? null : rule.message]
          ])}`
        }
        ${typedOf(form, "belowUsd") !== null && toldOf(filled, names)}
        ${formHtml({
          action: to([workspaceId, "top-up", "automatic"]),
          label: "Automatic top-up",
          content: html`${usdField({ form: filled, name: "belowUsd", label: "When less than this is available (US dollars)", required: true })}
            ${usdField({ form: filled, name: "automaticAmountUsd", label: "charge (US dollars)", required: true })}
            ${usdField({ form: filled, name: "monthlyMaximumUsd", label: "and in a month at most (US dollars)", required: true })}
            ${button(rule === null ? "Switch on" : "Set the rule", { kind: "plain" })}`
        })}
        ${
          rule !== null &&
          actForm({
            action: to([workspaceId, "top-up", "automatic", "remove"]),
            label: "Switch off",
            kind: "danger"
          })
        }`
    )
  })

export const automaticFields = Schema.Struct({
  belowUsd: usdParam,
  automaticAmountUsd: usdParam,
  monthlyMaximumUsd: usdParam
})

export const setAutomatic = (visit: WorkspaceVisit, values: typeof automaticFields.Type) =>
  Effect.gen(function* () {
    yield* (yield* AutomaticTopUps).set(
      visit.workspaceId,
      {
        belowMicros: values.belowUsd,
        amountMicros: values.automaticAmountUsd,
        monthlyMaximumMicros: values.monthlyMaximumUsd
      },
      visit.by
    )
    return redirect(to([visit.workspaceId, "top-up"]), { notice: "automatic" })
  })

export const removeAutomatic = (visit: WorkspaceVisit) =>
  Effect.gen(function* () {
    yield* (yield* AutomaticTopUps).remove(visit.workspaceId, visit.by)
    return redirect(to([visit.workspaceId, "top-up"]), { notice: "manual" })
  })
