/**
 * Fields of a time. A browser empties one whose value is not in its form, or blocks one that lies between its steps, so
 * a field is made to fit its time and not the other way round.
 */
import { readInstant } from "../../domain/Instant.js"
import { time } from "../Fields.js"
import { type FieldBase, filledWith, textField, typedOf } from "./Forms.js"
import type { Html } from "./Html.js"

/** `2026-11-22T10:30`, with seconds and milliseconds only where they are not 0. */
export const localTime = (millis: number): string =>
  time(millis).slice(0, millis % 60_000 === 0 ? 16 : millis % 1_000 === 0 ? 19 : 23)

/** A day, and a time of it, in UTC. */
export const momentField = (field: FieldBase): Html => {
  const typed = typedOf(field.form, field.name) ?? ""
  const millis = readInstant(typed.trim())
  if (millis === undefined) return textField({ ...field, type: typed === "" ? "datetime-local" : "text" })
  return textField({
    ...field,
    form: { ...field.form, typed: filledWith({ [field.name]: localTime(millis) }).typed },
    type: "datetime-local",
    // Without a step, a browser takes full minutes only.
    ...(millis % 60_000 === 0 ? {} : { step: millis % 1_000 === 0 ? 1 : 0.001 })
  })
}
