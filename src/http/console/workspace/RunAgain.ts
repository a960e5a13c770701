/**
 * "Run again": the form of an operation as an earlier run was asked for. What the form has no field for goes along
 * hidden and is told, so that the same form never means another account, another provider or a higher cost.
 */
import { Effect, Either, Option, Schema } from "effect"
import { isObject } from "../../../domain/Json.js"
import { writeJson } from "../../../domain/LosslessJson.js"
import { consoleFormBytesMax } from "../../../domain/limits/Requests.js"
import { toUsd } from "../../../domain/Micros.js"
import { Prefer, type RoutePlan } from "../../../domain/RoutePlan.js"
import type { Run } from "../../../domain/Run.js"
import { type Connection, Connections } from "../../../services/Connections.js"
import { says, UsdInput } from "../../Fields.js"
import { quoteRequestOf } from "../../runs/RunRequestBody.js"
import { moneyText } from "../Figures.js"
import { type Choice, type Filled, filledWith, hiddenField, type Typed, typedOf } from "../Forms.js"
import { html, type Html, type Link } from "../Html.js"
import type { WorkspaceVisit } from "../Page.js"
import { type InputField, typedInput } from "./InputForm.js"

/** A longer input is not even looked at: to make fields of it takes long. */
const inputCharsMax = 262_144
/** What the fields of an input may take of a form. */
const inputBytesMax = consoleFormBytesMax - 16_384

const Settings = Schema.Struct({
  maxAttempts: Schema.Number,
  maxCostUsd: Schema.optionalWith(UsdInput, { exact: true }),
  prefer: Prefer,
  exclude: Schema.Array(Schema.String),
  stopAtFirstMiss: Schema.Boolean
})
type Settings = typeof Settings.Type

/** How providers are tried, as the hidden field holds it. The reader of the body judges the values. */
export const SettingsField: Schema.Schema<Settings, string> = Schema.parseJson(Settings).annotations(
  says("must be as the form had it")
)
const readSettings = Schema.decodeOption(SettingsField)

/** As the body of a run has them. */
export const writtenSettings = ({ maxCostUsd, ...settings }: Settings) => ({
  ...settings,
  ...(maxCostUsd === undefined ? {} : { maxCostUsd: toUsd(maxCostUsd) })
})

/** A plan names the operations that were left out, also where the request named their provider. */
const settingsOf = ({ fallback, prefer, skipped }: RoutePlan): Settings | null =>
  fallback === null
    ? null
    : {
        maxAttempts: fallback.maxAttempts,
        ...(fallback.maxCostMicros === null ? {} : { maxCostUsd: fallback.maxCostMicros }),
        prefer,
        exclude: skipped.flatMap(({ code, endpointId }) => (code === "excluded" ? [endpointId] : [])),
        stopAtFirstMiss: fallback.stopAtFirstMiss
      }

const usual = quoteRequestOf({ endpointId: "", input: {}, fallback: true }, "").fallback

const firstWords: { readonly [Each in Prefer]: string } = {
  balanced: "the best by price, record and speed first",
  cheapest: "the cheapest first",
  reliable: "the most reliable first",
  fastest: "the fastest first"
}

/** What of the settings is not as usual, in words. */
const unusual = ({ exclude, maxAttempts, maxCostUsd, prefer, stopAtFirstMiss }: Settings): ReadonlyArray<string> => [
  ...(maxCostUsd === undefined ? [] : [`at most ${moneyText(maxCostUsd)} for the whole run`]),
  ...(maxAttempts === usual?.maxAttempts ? [] : [`at most ${maxAttempts} providers`]),
  ...(prefer === usual?.prefer ? [] : [firstWords[prefer]]),
  ...(exclude.length === 0 ? [] : [`without ${exclude.join(", ")}`]),
  ...(stopAtFirstMiss === usual?.stopAtFirstMiss ? [] : ["no further provider after one that finds nothing"])
]

/** What a browser sends of fields, in bytes: it writes every line break as two characters. */
const sentBytes = (typed: Typed): number =>
  new URLSearchParams(
    [...typed].flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value.replaceAll("\n", "\r\n")])
    )
  ).toString().length

/** The fields of an input, or why the form does not have them. Of a refused run a long input is not kept. */
const inputAgain = (fields: ReadonlyArray<InputField>, input: Run["input"]): Either.Either<Typed, string> => {
  if (!isObject(input)) return Either.left("The input of that run was not kept whole. Fill it in again.")
  const typed = writeJson(input).length > inputCharsMax ? null : typedInput(fields, input)
  return typed !== null && sentBytes(typed) <= inputBytesMax
    ? Either.right(typed)
    : Either.left(
        "The input of that run is too long for a form, so the fields are empty. Send it again with POST /v1/runs."
      )
}

/** The form as this run was asked for, and what it lacks of that, in a sentence; null where it lacks nothing. */
export const askedAgain = (
  fields: ReadonlyArray<InputField>,
  { connectionId, input, plan }: Run
): { readonly form: Filled; readonly missing: string | null } => {
  const settings = plan === null ? null : settingsOf(plan)
  const { typed, ...form } = filledWith({
    fallback: plan?.fallback?.enabled === true ? "on" : null,
    connection: connectionId,
    settings: settings === null || unusual(settings).length === 0 ? null : writeJson(writtenSettings(settings))
  })
  const again = inputAgain(fields, input)
  return {
    form: { ...form, typed: new Map([...Either.getOrElse(again, (): Typed => new Map()), ...typed]) },
    missing: Either.isLeft(again) ? again.left : null
  }
}

/** The settings of the earlier run, hidden and in words. `without` is the form that has none. */
export const settingsKept = (form: Filled, without: Link): Html | null => {
  const text = typedOf(form, "settings")
  if (text === null) return null
  const unusualSettings = Option.match(readSettings(text), { onNone: () => [], onSome: unusual })
  return html`${hiddenField("settings", text)}
    ${unusualSettings.length > 0 && html`<p class="hint">As in that run: ${unusualSettings.join("; ")}. <a href=${without}>Begin without this</a></p>`}`
}

/**
 * The connections to choose from. One that was chosen stays a choice though it is not offered: without it a browser
 * would choose another.
 */
export const connectionChoices = ({ workspaceId }: WorkspaceVisit, offered: ReadonlyArray<Connection>, form: Filled) =>
  Effect.gen(function* () {
    const choices: ReadonlyArray<Choice> = offered.map(({ connectionId, label }) => ({
      value: connectionId,
      label: `Your own: ${label}`
    }))
    const chosen = typedOf(form, "connection") ?? ""
    if (chosen === "" || choices.some(({ value }) => value === chosen)) return choices
    const label = yield* (yield* Connections).get(workspaceId, chosen).pipe(
      Effect.map(({ label, providerId }) => `The one of that run: ${label} (${providerId})`),
      Effect.catchTag("not_found", () => Effect.succeed("The one of that run, which was removed"))
    )
    return [...choices, { value: chosen, label }]
  })
