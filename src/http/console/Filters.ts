/** Filters that several lists share: a span of time, ids, choices. */
import { Schema } from "effect"
import { filterCharsMax } from "../../domain/limits/Lists.js"
import { idParam, instantParam, optionalParam, textParam } from "../Query.js"
import { type Choice, type Filled, selectField, textField } from "./Forms.js"
import { type Content, html } from "./Html.js"
import { momentField } from "./Moments.js"

/** From a moment on, and before another one. */
export const spanParams = { from: optionalParam(instantParam), to: optionalParam(instantParam) }
const spanLabels = { from: "From (UTC)", to: "Before (UTC)" }
export const spanFields = (form: Filled): Content => [
  momentField({ form, name: "from", label: spanLabels.from }),
  momentField({ form, name: "to", label: spanLabels.to })
]
/** Filters with a span of time. Nothing is in one that ends before it begins, and an empty list would not say why. */
export const withSpan = <A extends { readonly from?: number; readonly to?: number }, I>(
  filters: Schema.Schema<A, I>
): Schema.Schema<A, I> =>
  Schema.filter<Schema.Schema<A, I>>(({ from, to }) =>
    from === undefined || to === undefined || from < to
      ? undefined
      : {
          path: ["from"],
          message: `“${spanLabels.from}” must be earlier than “${spanLabels.to}”; change or empty one of them`
        }
  )(filters)

/** Tables show the ends of ids, and link them to the list with the whole id as its filter. */
export const wholeIdParam = <A extends string>(schema: Schema.Schema<A, string>, example: string) =>
  optionalParam(idParam(schema, `must be a whole id, such as ${example}; a short id in the table sets it`))

export const wordParam = optionalParam(textParam(filterCharsMax))
export const wordField =
  (name: string, label: string, placeholder?: string) =>
  (form: Filled): Content =>
    textField({ form, name, label, ...(placeholder === undefined ? {} : { placeholder }) })

/** All, or one of them. */
export const choiceField =
  (name: string, label: string, choices: ReadonlyArray<Choice>) =>
  (form: Filled): Content =>
    selectField({ form, name, label, choices: [{ value: "", label: html`All` }, ...choices] })
