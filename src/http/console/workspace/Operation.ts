/**
 * An operation's page: what it does and costs, the form of its input, the cost of exactly this run before it, and the
 * run itself. The form carries an idempotency key, so that a double click, a reload or a second try makes one run.
 */
import { Effect, Either, Schema } from "effect"
import { ValidationError } from "../../../domain/ApiErrors.js"
import { jobNamedBy, trimmedEndpointId } from "../../../domain/EndpointIds.js"
import { consoleRunWaitSeconds } from "../../../domain/limits/Lists.js"
import type { OperationContract } from "../../../domain/OperationContract.js"
import { writeJson } from "../../../domain/LosslessJson.js"
import { everyRow } from "../../../domain/Pages.js"
import { Catalog } from "../../../services/Catalog.js"
import { Connections } from "../../../services/Connections.js"
import type { Run } from "../../../domain/Run.js"
import { type Quote, Runs } from "../../../services/Runs.js"
import { Wallet } from "../../../services/Wallet.js"
import { bodyText } from "../../Body.js"
import { callerBudget } from "../../BodyBudget.js"
import { runIdOf } from "../../GivenId.js"
import { providerOf } from "../../connections/Authorizing.js"
import { tracedBy } from "../../RequestState.js"
import { quoteRequestOf, RunRequestBody } from "../../runs/RunRequestBody.js"
import { code, money } from "../Figures.js"
import {
  boxField,
  button,
  type Choice,
  type Filled,
  form as formHtml,
  formKey,
  hiddenField,
  selectField,
  toldOf,
  type Typed,
  typedOf,
  unfilled
} from "../Forms.js"
import { hintForPeople } from "../Hints.js"
import { html, type Html, to } from "../Html.js"
import { redirect, type Screen, screen, workspaceForm, workspacePage, type WorkspaceVisit } from "../Page.js"
import { notice, section } from "../Parts.js"
import { table } from "../Tables.js"
import {
  anywayName,
  effectNotice,
  firstName,
  mayDoTwice,
  neededFields,
  repeatAgreed,
  unsettledFirst
} from "./BeforeRunning.js"
import { about, segmentsOf } from "./AboutOperation.js"
import { inputFieldsOf, inputHtml, inputText, nameOf, typedInput } from "./InputForm.js"
import { askedAgain, connectionChoices, settingsKept, SettingsField, writtenSettings } from "./RunAgain.js"

const readRequest = bodyText(RunRequestBody, callerBudget)

/** The form as it is shown first: empty, with the example, or as an earlier run was asked for. */
const opening = (visit: WorkspaceVisit, contract: OperationContract) =>
  Effect.gen(function* () {
    const fields = inputFieldsOf(contract.inputSchema)
    if (visit.query.get("example") !== undefined)
      return { form: { ...unfilled, typed: typedInput(fields, contract.usageHints.exampleInput) }, missing: null }
    const from = visit.query.get("from")
    if (from === undefined) return { form: unfilled, missing: null }
    const { run } = yield* (yield* Runs).get(visit.workspaceId, yield* runIdOf(from))
    const { form, missing } = askedAgain(fields, run)
    const typed = mayDoTwice(contract, run) ? new Map([...form.typed, [firstName, [run.runId]]]) : form.typed
    return { form: { ...form, typed }, missing }
  })

const quoteSection = (quote: Quote): Html => {
  const against = quote.limits.filter(({ admits }) => !admits)
  return section(
    "Cost of this run",
    html`<p>Up to ${money(quote.holdMicros)} is held, and what the run really costs is charged out of it.</p>
      ${
        against.length === 0
          ? notice("The run can start now.")
          : html`<div class="told"><p>The run cannot start now:</p><ul>${against.map(({ message }) => html`<li>${message}</li>`)}</ul></div>`
      }
      ${
        quote.plan !== null &&
        table({
          caption: "Providers that may be tried, in this order",
          columns: [
            { label: "Operation", cell: ({ endpointId }) => code(endpointId) },
            { label: "Provider", cell: ({ providerId }) => providerId },
            { label: "At most", numeric: true, cell: ({ maxMicros }) => money(maxMicros) }
          ],
          rows: quote.plan.candidates,
          empty: html`<p>No provider would be called.</p>`
        })
      }`
  )
}

/**
 * What a run with the example costs at most, and at which provider it begins. For a job the gateway's quote says it,
 * because providers that cannot run here do not count. Null when no provider can run.
 */
const exampleCost = (visit: WorkspaceVisit, contract: OperationContract) =>
  Effect.gen(function* () {
    if (jobNamedBy(contract.endpoint.id) === null)
      return { micros: Math.round(contract.estimatedMaxCost * 1_000_000), begins: null }
    const { holdMicros, plan } = yield* (yield* Runs).quote(visit.principal, {
      endpointId: contract.endpoint.id,
      input: contract.usageHints.exampleInput,
      fallback: null,
      outputMode: null,
      connectionId: null,
      requestId: visit.requestId
    })
    const [first] = plan?.candidates ?? []
    return first === undefined ? null : { micros: holdMicros, begins: first.endpointId }
  })

/** However many a workspace has: one that is not offered cannot be chosen. */
const allConnections = ({ workspaceId }: WorkspaceVisit) =>
  Effect.flatMap(Connections, ({ list }) => everyRow((page) => list(workspaceId, page)))

/** Everything that the page shows beside what was typed. */
const loaded = (visit: WorkspaceVisit) =>
  Effect.gen(function* () {
    const endpointId = trimmedEndpointId(visit.path.get("endpointId") ?? "")
    const catalog = yield* Catalog
    const contract = yield* catalog.contract(endpointId, null, visit.principal)
    const balance = yield* (yield* Wallet).balance(visit.workspaceId)
    const { provider } = contract.endpoint
    const listed = provider === null ? null : yield* providerOf(catalog, provider)
    const takes = listed?.auth.type === "oauth2_authorization_code" ? "account" : "key"
    const connections =
      jobNamedBy(endpointId) !== null || contract.endpoint.credential === "none"
        ? []
        : (yield* allConnections(visit)).filter(({ providerId }) => providerId === provider)
    const key = yield* formKey(unfilled)
    return { contract, endpointId, balance, connections, key, takes, example: yield* exampleCost(visit, contract) }
  })
type Loaded = Effect.Effect.Success<ReturnType<typeof loaded>>

const connectionField = (form: Filled, choices: ReadonlyArray<Choice>): Html | null =>
  choices.length === 0
    ? null
    : selectField({ form, name: "connection", label: "Key", choices: [{ value: "", label: "As usual" }, ...choices] })

const costFirst = (segments: ReadonlyArray<string>): Html =>
  button("Show the cost first", { kind: "plain", action: to([...segments, "quote"]) })

/** The first button is the one that Enter in a field presses: it must do nothing that cannot be undone. */
const actions = ({ effectClassification }: OperationContract, segments: ReadonlyArray<string>): Html =>
  effectClassification === "effectful"
    ? html`${costFirst(segments)} ${button("Run")}`
    : html`${button("Run")} ${costFirst(segments)}`

const operationScreen = (visit: WorkspaceVisit, found: Loaded, form: Filled, quote: Quote | null = null) =>
  Effect.gen(function* () {
    const choices = yield* connectionChoices(visit, found.connections, form)
    const first = yield* unsettledFirst(visit, found.contract, form.typed)
    return screenOf(visit, found, form, { quote, choices, first })
  })

interface BesideForm {
  readonly choices: ReadonlyArray<Choice>
  readonly quote: Quote | null
  /** The run that the form repeats although its end is not known. */
  readonly first: Run | null
}

const screenOf = (
  { workspaceId }: WorkspaceVisit,
  { balance, connections, contract, endpointId, example, key, takes }: Loaded,
  form: Filled,
  { choices, first, quote }: BesideForm
): Screen => {
  const fields = inputFieldsOf(contract.inputSchema)
  const segments = segmentsOf(workspaceId, endpointId)
  const names = [...fields.map(({ name }) => nameOf(name)), "other", "connection", "fallback", anywayName]
  // After a conflict the key belongs to another run for good; otherwise a second try must send the same key.
  const used = form.told?.code === "idempotency_conflict" ? null : typedOf(form, "key")
  const run = section(
    "Run it",
    html`${toldOf(form, names)}${formHtml({
      action: to([...segments, "run"]),
      label: "Run this operation",
      content: html`${hiddenField("key", used ?? key)}
        ${neededFields(contract)}
        ${inputHtml(form, fields, contract.inputSchema)}
        ${connectionField(form, choices)}
        ${
          jobNamedBy(endpointId) !== null &&
          boxField({
            form,
            name: "fallback",
            label: "Try the next provider when one finds nothing or fails",
            hint: "One hold covers all of them; only calls that cost something are charged."
          })
        }
        ${settingsKept(form, to(segments))}
        ${effectNotice(contract, form, { first, workspaceId })}
        <p class="hint">Available: ${money(balance.availableMicros)}. ${
          example === null
            ? html`No provider of this job can run here now.`
            : example.begins === null
              ? html`With the example this costs up to ${money(example.micros)}.`
              : html`With the example this runs at <a href=${to(segmentsOf(workspaceId, example.begins))}>${example.begins}</a> and costs up to ${money(example.micros)}.`
        }</p>
        <div class="actions">${actions(contract, segments)}
        <a href=${to(segments, { example: "1" })}>Fill in the example</a></div>`
    })}`
  )
  return screen({
    title: contract.endpoint.name,
    content: html`<p class="hint">${code(endpointId)}</p>
      ${
        contract.endpoint.access === "needs_your_account" &&
        connections.length === 0 &&
        notice(
          html`This operation runs on ${takes === "account" ? "your own account" : "your own key"}.
            <a href=${to([workspaceId, "connections"], { provider: contract.endpoint.provider })}
              >${takes === "account" ? "Connect an account" : "Add a connection"}</a
            >
            ${takes === "account" ? "at" : "to"} ${contract.endpoint.provider} first.`,
          "warn"
        )
      }
      <div class="grid2 wide"><div>${quote !== null && quoteSection(quote)}${run}</div><div>${about(contract, workspaceId)}</div></div>`
  })
}

export const operationPage = workspacePage({
  path: "catalog/:endpointId",
  show: (visit) =>
    Effect.gen(function* () {
      const found = yield* loaded(visit)
      const { form, missing } = yield* opening(visit, found.contract)
      const shown = yield* operationScreen(visit, found, form)
      return missing === null ? shown : { ...shown, content: html`${notice(missing, "warn")}${shown.content}` }
    })
})

const FormFields = Schema.Struct({
  key: Schema.String,
  fallback: Schema.optional(Schema.String),
  settings: Schema.optional(SettingsField),
  [firstName]: Schema.optional(Schema.String),
  [anywayName]: Schema.optional(Schema.String),
  connection: Schema.optional(Schema.String)
})

/** The request that the form means, or what is wrong with its fields. */
const requestOf = (visit: WorkspaceVisit, contract: OperationContract, values: typeof FormFields.Type, typed: Typed) =>
  Effect.gen(function* () {
    const input = yield* Either.mapLeft(inputText(inputFieldsOf(contract.inputSchema), typed), ([first, ...rest]) =>
      first === undefined
        ? ValidationError.of("input", "is not valid")
        : new ValidationError({ details: [first, ...rest] })
    )
    const enabled = values.fallback !== undefined
    const fallback = values.settings === undefined ? enabled : { ...writtenSettings(values.settings), enabled }
    const rest = {
      endpointId: trimmedEndpointId(visit.path.get("endpointId") ?? ""),
      fallback,
      ...(values.connection === undefined || values.connection === "" ? {} : { connectionId: values.connection }),
      idempotencyKey: values.key
    }
    const body = yield* readRequest(`${writeJson(rest).slice(0, -1)},"input":${input}}`)
    const request = quoteRequestOf(body, visit.requestId)
    return { request, idempotencyKey: body.idempotencyKey ?? values.key }
  })

/** The form again, with what the gateway has against the run. */
const refusedAgain = (visit: WorkspaceVisit, found: Loaded, typed: Typed, { problems, refusal }: Quote) => {
  if (refusal === null) return Effect.succeed(null)
  const fields = new Set(inputFieldsOf(found.contract.inputSchema).map(({ name }) => name))
  // A problem deep inside of a field stands beside that field.
  const beside = problems.map(({ field, message }) => {
    const [top = field] = field.split(/[.[]/, 1)
    return fields.has(top)
      ? ([nameOf(top), top === field ? message : `${field} ${message}`] as const)
      : (["other", `${field} ${message}`] as const)
  })
  const form: Filled = {
    typed,
    problems: new Map(beside),
    told:
      problems.length > 0
        ? null
        : { code: refusal.code, message: refusal.message, hint: hintForPeople(refusal.retryHint) }
  }
  return Effect.map(operationScreen(visit, found, form), (shown): Screen => ({ ...shown, status: 422 }))
}

const again = (visit: WorkspaceVisit, form: Filled) =>
  Effect.flatMap(loaded(visit), (found) => operationScreen(visit, found, form))

export const quoteOperation = workspaceForm({
  path: "catalog/:endpointId/quote",
  fields: FormFields,
  act: (visit, values, typed) =>
    Effect.gen(function* () {
      const found = yield* loaded(visit)
      const { request } = yield* requestOf(visit, found.contract, values, typed)
      const quote = yield* (yield* Runs).quote(visit.principal, request)
      const refused = yield* refusedAgain(visit, found, typed, quote)
      return refused ?? (yield* operationScreen(visit, found, { ...unfilled, typed }, quote))
    }),
  again
})

export const runOperation = workspaceForm({
  path: "catalog/:endpointId/run",
  fields: FormFields,
  act: (visit, values, typed) =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const found = yield* loaded(visit)
      const { idempotencyKey, request } = yield* requestOf(visit, found.contract, values, typed)
      yield* repeatAgreed(yield* unsettledFirst(visit, found.contract, typed), typed)
      // What would be refused comes back to the form, where it can be mended, and is no run.
      const refused = yield* refusedAgain(visit, found, typed, yield* runs.quote(visit.principal, request))
      if (refused !== null) return refused
      const asked = { ...request, idempotencyKey, ...tracedBy(visit.state) }
      const { run } = yield* runs.create(visit.principal, asked, consoleRunWaitSeconds)
      visit.state.runId = run.runId
      return redirect(to([visit.workspaceId, "runs", run.runId]))
    }),
  again
})
