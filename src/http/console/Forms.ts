/**
 * Forms: what a person typed, what is wrong with it beside the field it is about, and the fields themselves. A form
 * that is shown again keeps everything that was typed, except secrets.
 */
import { Effect, Schema } from "effect"
import { Ids } from "../../services/Ids.js"
import { attributes, Html, html, isShown, nothing, type Content, type Link } from "./Html.js"

/** The fields of a form as they came: a field may come more than once. */
export type Typed = ReadonlyMap<string, ReadonlyArray<string>>

/** Why a form was not taken, as a whole: what happened and what to do. */
interface Told {
  /** Of the table of errors, or of a failed run. */
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** A form as it is shown: empty at first, or again with what was typed and what is wrong with it. */
export interface Filled {
  readonly typed: Typed
  /** By the name of the field. */
  readonly problems: ReadonlyMap<string, string>
  readonly told: Told | null
  /** Tells the fields of this form from those of another one on the same page that have the same names. */
  readonly of?: string
}

export const unfilled: Filled = { typed: new Map(), problems: new Map(), told: null }

/** A form that starts with these values. */
export const filledWith = (values: { readonly [name: string]: string | ReadonlyArray<string> | null }): Filled => ({
  ...unfilled,
  typed: new Map(
    Object.entries(values).flatMap(([name, value]): ReadonlyArray<[string, ReadonlyArray<string>]> =>
      value === null ? [] : [[name, typeof value === "string" ? [value] : value]]
    )
  )
})

export const typedOf = ({ typed }: Filled, name: string): string | null => typed.get(name)?.[0] ?? null

export interface FieldBase {
  readonly form: Filled
  /** Of the field; its id is made of it. */
  readonly name: string
  readonly label: Content
  /** What to type, in one short sentence. */
  readonly hint?: Content
  readonly required?: boolean
}

const idOf = ({ form: { of }, name }: Pick<FieldBase, "form" | "name">): string =>
  `f-${of === undefined ? "" : `${of}-`}${name.replaceAll(/[^A-Za-z0-9_-]/g, "-")}`

/** Label, hint and problem around one control; `control` gets the attributes that tie them together. */
const wrapped = (field: FieldBase, control: (tied: Html) => Html): Html => {
  const id = idOf(field)
  const problem = field.form.problems.get(field.name)
  const described = [
    ...(isShown(field.hint) ? [`${id}-hint`] : []),
    ...(problem === undefined ? [] : [`${id}-problem`])
  ].join(" ")
  const tied = attributes({
    id,
    name: field.name,
    required: field.required === true,
    "aria-describedby": described === "" ? null : described,
    "aria-invalid": problem === undefined ? null : "true"
  })
  return html`<div class="field">
    <label for=${id}>${field.label}${field.required === true && html` <span class="required">required</span>`}</label>
    ${isShown(field.hint) && html`<p class="hint" id=${`${id}-hint`}>${field.hint}</p>`} ${control(tied)}
    ${problem !== undefined && html`<p class="problem" id=${`${id}-problem`}>${problem}</p>`}
  </div>`
}

/** One line of text. A `password` never shows again what was typed. */
export const textField = (
  field: FieldBase & {
    readonly type?: "text" | "password" | "email" | "url" | "search" | "datetime-local"
    readonly mode?: "numeric" | "decimal"
    readonly charsMax?: number
    /** In seconds, of a time. */
    readonly step?: number
    readonly placeholder?: string
    readonly autocomplete?: string
    readonly code?: boolean
    /** Offered while one types; anything else may be typed too. */
    readonly suggestions?: ReadonlyArray<string>
  }
): Html => {
  const { suggestions = [] } = field
  const list = suggestions.length === 0 ? null : `${idOf(field)}-list`
  return wrapped(
    field,
    (tied) =>
      html`<input${tied}${attributes({
        type: field.type ?? "text",
        value: field.type === "password" ? null : typedOf(field.form, field.name),
        inputmode: field.mode,
        maxlength: field.charsMax,
        step: field.step,
        placeholder: field.placeholder,
        autocomplete: field.autocomplete ?? "off",
        class: field.code === true ? "code" : null,
        list,
        spellcheck: "false"
      })}>${list !== null && html`<datalist id=${list}>${suggestions.map((value) => html`<option value=${value}></option>`)}</datalist>`}`
  )
}

export const areaField = (
  field: FieldBase & { readonly rows?: number; readonly charsMax?: number; readonly code?: boolean }
): Html =>
  wrapped(
    field,
    (tied) =>
      // A browser drops the first line break of a text area.
      html`<textarea${tied}${attributes({
        rows: field.rows ?? 4,
        maxlength: field.charsMax,
        class: field.code === true ? "code" : null,
        spellcheck: field.code === true ? "false" : null
      })}>
${typedOf(field.form, field.name) ?? ""}</textarea>`
  )

export interface Choice {
  readonly value: string
  readonly label: Content
  readonly hint?: Content
}

export const selectField = (field: FieldBase & { readonly choices: ReadonlyArray<Choice> }): Html => {
  const typed = typedOf(field.form, field.name)
  return wrapped(
    field,
    (tied) =>
      html`<select${tied}>${field.choices.map(
        ({ label, value }) => html`<option${attributes({ value, selected: value === typed })}>${label}</option>`
      )}</select>`
  )
}

/** Several boxes under one name, of which any number may be ticked. */
export const boxesField = (field: FieldBase & { readonly choices: ReadonlyArray<Choice> }): Html => {
  const ticked = field.form.typed.get(field.name) ?? []
  const problem = field.form.problems.get(field.name)
  const id = idOf(field)
  return html`<fieldset
    class="field"
    ${attributes({ "aria-describedby": problem === undefined ? null : `${id}-problem` })}
  >
    <legend>${field.label}</legend>
    ${isShown(field.hint) && html`<p class="hint">${field.hint}</p>`}
    ${field.choices.map(
      ({ hint, label, value }) =>
        html`<label class="box"><input${attributes({
          type: "checkbox",
          name: field.name,
          value,
          checked: ticked.includes(value)
        })}><span>${label}${isShown(hint) && html` <small>${hint}</small>`}</span></label>`
    )}
    ${problem !== undefined && html`<p class="problem" id=${`${id}-problem`}>${problem}</p>`}
  </fieldset>`
}

/** One box; it is sent as `on` when it is ticked. */
/** What a browser sends of a box that is ticked. */
export const boxTicked = "on"

export const boxField = (field: FieldBase): Html => {
  const problem = field.form.problems.get(field.name)
  const id = idOf(field)
  return html`<div class="field">
    <label class="box"><input${attributes({
      type: "checkbox",
      id,
      name: field.name,
      value: boxTicked,
      checked: typedOf(field.form, field.name) !== null,
      "aria-describedby": problem === undefined ? null : `${id}-problem`
    })}><span>${field.label}${isShown(field.hint) && html` <small>${field.hint}</small>`}</span></label>
    ${problem !== undefined && html`<p class="problem" id=${`${id}-problem`}>${problem}</p>`}
  </div>`
}

export const hiddenField = (name: string, value: string): Html =>
  html`<input${attributes({ type: "hidden", name, value })}>`

/** Sent by the page that shows a change once more before it is made. It needs no script. */
export const Confirmed = Schema.optionalWith(Schema.Literal("yes"), { exact: true })

/** Everything that was typed, to be sent again by the page that shows it once more, with the word that confirms it. */
export const typedAgain = (typed: Typed): Html =>
  html`${[...typed].flatMap(([name, values]) =>
    name === "csrf" ? [] : values.map((value) => hiddenField(name, value))
  )}${hiddenField("confirmed", "yes")}`

/** The key by which a form is taken once, however often it is sent. */
export const formKey = (form: Filled): Effect.Effect<string, never, Ids> => {
  const typed = typedOf(form, "key")
  return typed === null
    ? Effect.flatMap(Ids, (ids) => Effect.map(ids.suffix, (suffix) => `console_${suffix}`))
    : Effect.succeed(typed)
}

/** What went wrong with the form as a whole, first thing in it. */
export const toldOf = (form: Filled, fields: ReadonlyArray<string> = []): Html => {
  // A problem of a field that this form does not show would be told nowhere.
  const rest = [...form.problems].filter(([name]) => fields.length > 0 && !fields.includes(name))
  if (form.told === null && rest.length === 0) return nothing
  return html`<div class="told" role="alert">
    ${
      form.told !== null &&
      html`<p>${form.told.message}</p>
        <p class="hint">${form.told.hint}</p>`
    }
    ${rest.map(([name, problem]) => html`<p><code>${name}</code> ${problem}</p>`)}
  </div>`
}

/** A button that sends a form; `danger` for what cannot be taken back. */
export const button = (
  label: Content,
  options: {
    readonly kind?: "main" | "plain" | "danger"
    readonly name?: string
    readonly value?: string
    readonly action?: Link
    /** The browser sends the form without looking at its fields. */
    readonly unchecked?: boolean
  } = {}
): Html =>
  html`<button${attributes({
    type: "submit",
    class: options.kind ?? "main",
    name: options.name,
    value: options.value,
    formaction: options.action,
    formnovalidate: options.unchecked === true
  })}>${label}</button>`

/** A form that changes something. It carries the session's CSRF token, and the script lets it be sent only once. */
export const form = (options: {
  readonly action: Link
  readonly content: Content
  readonly id?: string
  readonly label?: string
  readonly class?: string
}): Html =>
  html`<form${attributes({
    method: "post",
    action: options.action,
    id: options.id,
    class: options.class,
    "aria-label": options.label,
    "data-once": true
  })}><input type="hidden" name="csrf" value="${Html.csrf}">${options.content}</form>`

/** A form that only asks, so that its fields stand in the address. */
export const askForm = (options: {
  readonly action: Link
  readonly content: Content
  readonly label: string
  readonly class?: string
  readonly live?: boolean
}): Html =>
  html`<form${attributes({
    method: "get",
    action: options.action,
    class: options.class,
    role: "search",
    "aria-label": options.label,
    "data-search": options.live === true
  })}>${options.content}</form>`

/** A form of one button, for an act that needs no field. `confirm` is asked first where the script runs. */
export const actForm = (options: {
  readonly action: Link
  readonly label: Content
  readonly kind?: "main" | "plain" | "danger"
  readonly confirm?: string
  readonly hidden?: { readonly [name: string]: string }
}): Html =>
  html`<form${attributes({
    method: "post",
    action: options.action,
    class: "act",
    "data-once": true,
    "data-confirm": options.confirm
  })}><input type="hidden" name="csrf" value="${Html.csrf}">${Object.entries(options.hidden ?? {}).map(
    ([name, value]) => hiddenField(name, value)
  )}${button(options.label, { kind: options.kind ?? "plain" })}</form>`
