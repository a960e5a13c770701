/**
 * A plan as it is stored beside its run's input. The parts of a candidate's input that equal the run's input are not
 * stored again. An equal input is left out. An input whose large members only have other names is stored member by
 * member. Reading gives the plan that was made, down to the order of members. Plans that were stored with every input
 * in full are read unchanged.
 */
import { Schema } from "effect"
import { isObject, Json, JsonObject } from "./Json.js"
import { member } from "./Members.js"
import { Candidate, RoutePlan } from "./RoutePlan.js"
import { Run } from "./Run.js"

const Taken = Schema.Struct({ to: Schema.String, from: Schema.String })
const Given = Schema.Struct({ to: Schema.String, value: Json })
const StoredCandidate = Schema.Struct({
  ...Candidate.fields,
  /** The whole input. Without it and without `members` the candidate has the run's own input. */
  input: Schema.optionalWith(JsonObject, { exact: true }),
  /**
   * The members of the input in their order. Each has its value, or the name of the member of the run's input that has
   * the same value.
   */
  members: Schema.optionalWith(Schema.Array(Schema.Union(Taken, Given)), { exact: true })
})
type StoredCandidate = typeof StoredCandidate.Type
export const StoredPlan = Schema.Struct({ ...RoutePlan.fields, candidates: Schema.Array(StoredCandidate) })

export const StoredRun = Schema.Struct({ ...Run.fields, plan: Schema.NullOr(StoredPlan) })
export type StoredRun = typeof StoredRun.Type

/** A shorter value takes no more room than a reference to it. */
const largeCharsMin = 64
const isLarge = (value: Json): boolean =>
  typeof value === "string" ? value.length >= largeCharsMin : typeof value === "object" && value !== null

/** Compares exactly, including the order of members. Values that it cannot compare count as different. */
const isSame = (a: Json, b: Json): boolean => {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? null))
  if (!isObject(a) || !isObject(b)) return false
  const [left, right] = [Object.entries(a), Object.entries(b)]
  return (
    left.length === right.length &&
    left.every(([name, value], index) => {
      const other = right[index]
      return other !== undefined && other[0] === name && isSame(value, other[1])
    })
  )
}

const storedCandidate = (
  candidate: Candidate,
  input: JsonObject,
  nameOf: ReadonlyMap<Json, string>
): StoredCandidate => {
  const { input: own, ...others } = candidate
  if (isSame(own, input)) return others
  const members = Object.entries(own).map(([to, value]) => {
    if (!isLarge(value)) return { to, value }
    const same = member(input, to)
    const from = same !== undefined && isSame(same, value) ? to : nameOf.get(value)
    return from === undefined ? { to, value } : { to, from }
  })
  return members.some((one) => "from" in one) ? { ...others, members } : candidate
}

const restoredCandidate = ({ input: own, members, ...others }: StoredCandidate, input: Run["input"]): Candidate => {
  if (own !== undefined) return { ...others, input: own }
  const source: JsonObject = typeof input === "string" ? {} : input
  if (members === undefined) return { ...others, input: source }
  return {
    ...others,
    input: Object.fromEntries(
      members.map((one) => [one.to, "from" in one ? (member(source, one.from) ?? null) : one.value])
    )
  }
}

export const toStoredRun = (run: Run): StoredRun => {
  const { input, plan } = run
  if (plan === null || typeof input === "string") return run
  const nameOf = new Map(
    Object.entries(input).flatMap(([name, value]) => (isLarge(value) ? [[value, name] as const] : []))
  )
  return {
    ...run,
    plan: { ...plan, candidates: plan.candidates.map((candidate) => storedCandidate(candidate, input, nameOf)) }
  }
}

/** The plan of a run whose payload is dropped: whom it could call, and with what no longer. */
export const planWithoutInputs = (plan: typeof StoredPlan.Type): typeof StoredPlan.Type => ({
  ...plan,
  candidates: plan.candidates.map(({ input: _input, members: _members, ...others }) => others)
})

export const fromStoredRun = (stored: StoredRun): Run => ({
  ...stored,
  plan:
    stored.plan === null
      ? null
      : {
          ...stored.plan,
          candidates: stored.plan.candidates.map((candidate) => restoredCandidate(candidate, stored.input))
        }
})
