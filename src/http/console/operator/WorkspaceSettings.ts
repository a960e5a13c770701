/**
 * The forms of what an operator sets of a workspace: its limits and its policy. A form brings back what it showed, so
 * that it does not undo what somebody else has saved since.
 */
import { Schema } from "effect"
import { limitsText } from "../../../domain/WorkspaceLimits.js"
import { policyText, rulesOf, ruleText } from "../../../domain/WorkspacePolicy.js"
import type { Workspace } from "../../../services/Accounts.js"
import { code, moneyText } from "../Figures.js"
import { areaField, button, type Filled, form as formHtml, hiddenField, textField, toldOf, typedOf } from "../Forms.js"
import { html, type Html, nothing, to } from "../Html.js"
import { usdField } from "../Money.js"
import { facts, section } from "../Parts.js"

export const place = (workspaceId: string, ...more: ReadonlyArray<string>) => [
  "operator",
  "workspaces",
  workspaceId,
  ...more
]

/** The part of a form that was typed, if it was this one; the others show what stands. */
export const formOf = (form: Filled, names: ReadonlyArray<string>, standing: Filled): Filled =>
  names.some((name) => form.typed.has(name)) ? form : standing

/** A form writes line ends of its own. */
const withoutReturns = (text: string): string => text.replaceAll("\r\n", "\n")

/** What the form showed. */
export const Seen = Schema.optionalWith(
  Schema.transform(Schema.String, Schema.String, {
    decode: withoutReturns,
    encode: (text) => text
  }),
  { exact: true }
)

/** What stands there, if it is something else than what the person saw who filled the form in. */
const nowStands = (form: Filled, seen: string, now: ReadonlyArray<readonly [label: string, value: string]>): Html => {
  const before = typedOf(form, "seen")
  return before === null || withoutReturns(before) === seen
    ? nothing
    : html`<p>Saving once more replaces what is there now:</p>
        ${facts(now.map(([label, value]) => [label, code(value === "" ? "none" : value)]))}`
}

export const limitNames = ["inflightLimit", "runsPerMinute", "runCapUsd"]
export const limitsSection = (workspaceId: string, form: Filled, standing: Workspace): Html =>
  section(
    "Limits",
    html`${toldOf(form, limitNames)}
    ${nowStands(form, limitsText(standing), [
      ["Runs in flight", String(standing.inflightLimit ?? "")],
      ["Runs a minute", String(standing.runsPerMinute ?? "")],
      ["Most that one run may hold", standing.runCapMicros === null ? "" : moneyText(standing.runCapMicros)]
    ])}
    ${formHtml({
      action: to(place(workspaceId, "limits")),
      label: "Limits",
      content: html`${textField({ form, name: "inflightLimit", label: "Runs in flight", hint: "Empty: the gateway's default.", mode: "numeric" })}
        ${textField({ form, name: "runsPerMinute", label: "Runs a minute", hint: "Empty: no limit.", mode: "numeric" })}
        ${usdField({ form, name: "runCapUsd", label: "Most that one run may hold, in US dollars", hint: "Empty: no limit." })}
        ${hiddenField("seen", limitsText(standing))} ${button("Save limits")}`
    })}`
  )

export const policySection = (workspaceId: string, form: Filled, { policy }: Workspace): Html =>
  section(
    "Policy",
    html`${toldOf(form, ["allow", "deny"])}
    ${nowStands(form, policyText(policy), [
      ["Allowed only", rulesOf(policy).allow.map(ruleText).join(", ")],
      ["Denied", rulesOf(policy).deny.map(ruleText).join(", ")]
    ])}
    ${formHtml({
      action: to(place(workspaceId, "policy")),
      label: "Policy",
      content: html`${areaField({
        form,
        name: "allow",
        label: "Allowed only",
        hint: html`One rule a line: <code>provider:acme</code>, <code>category:people</code>, <code>endpoint:acme-find</code>. Empty: everything.`,
        code: true
      })}
        ${areaField({ form, name: "deny", label: "Denied", hint: html`The same, and <code>effectful</code>. Deny wins over allow.`, code: true })}
        ${hiddenField("seen", policyText(policy))} ${button("Save policy")}`
    })}`
  )
