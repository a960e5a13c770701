/**
 * The dotted names of a manifest (`person.first_name`, `domains.0.value`) as paths into a JSON body. A path comes from
 * the manifest alone, never from a client's input.
 */
import { isObject, type Json } from "../../domain/Json.js"
import { bindingItemMax, bindingStepsMax } from "../../domain/limits/Manifests.js"
import { member, setMember } from "../../domain/Members.js"

/** Where a dotted name of the manifest leads in a JSON body: the names of members, and the positions of list items. */
export type BodyPath = ReadonlyArray<string | number>

export const bodyPath = (name: string): BodyPath =>
  name.split(".").map((step, at) => (at > 0 && /^\d+$/.test(step) ? Number(step) : step))

export const pathProblem = (path: BodyPath): string | null => {
  if (path.includes("")) return "has an empty step"
  if (path.length > bindingStepsMax) return `leads deeper than ${bindingStepsMax} steps`
  return path.some((step) => typeof step === "number" && step > bindingItemMax)
    ? `counts items beyond ${bindingItemMax}`
    : null
}

export type Members = { [key: string]: Json }

/**
 * Sets `value` at `path` below `present`. Every level on the way is copied, because it may be a part of the caller's
 * input.
 */
const placed = (present: Json | undefined, path: BodyPath, value: Json): Json => {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof step === "number") {
    const items = Array.isArray(present) ? [...present] : []
    // A JSON list has no holes: a position that no field fills is sent as null.
    while (items.length < step) items.push(null)
    items[step] = placed(items[step], rest, value)
    return items
  }
  const members: Members = isObject(present) ? { ...present } : {}
  setMember(members, step, placed(member(members, step), rest, value))
  return members
}

export const setPath = (target: Members, path: BodyPath, value: Json): void => {
  const [step, ...rest] = path
  if (step !== undefined) setMember(target, String(step), placed(member(target, String(step)), rest, value))
}
