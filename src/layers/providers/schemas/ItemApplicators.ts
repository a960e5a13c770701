/** Keywords that apply other schemas to the items of a list. */
import type { Json } from "../../../domain/Json.js"
import {
  type Check,
  isSpent,
  namesPerStep,
  type Problem,
  problemWith,
  spends,
  spent,
  within,
  type Work
} from "./Checking.js"
import { type Applicator, listOf } from "./Applicators.js"

type Items = ReadonlyArray<Json>

const checkItems = (
  items: Items,
  from: number,
  work: Work,
  checkOf: (at: number) => Check | null | undefined
): Problem | null => {
  for (let at = from; at < items.length; at += 1) {
    const item = items[at]
    const problem = item === undefined ? null : (checkOf(at)?.(item, work, undefined) ?? null)
    if (problem !== null) return within(at, problem)
  }
  return null
}

/** The check of all items from one on. A schema that is `false` says that there are none. */
const checkRest = (
  items: Items,
  from: number,
  work: Work,
  { check, wanted }: { readonly check: Check | null; readonly wanted: Json }
): Problem | null => {
  if (check === null || items.length <= from) return null
  return wanted === false
    ? problemWith(`must NOT have more than ${from} items`)
    : checkItems(items, from, work, () => check)
}

const prefixItems: Applicator<Items> = (wanted, _schema, { compile }) => {
  const parts = listOf(wanted).map(compile)
  return (items, work, covered) => {
    if (covered !== undefined) covered.items = Math.max(covered.items, parts.length)
    return checkItems(items.slice(0, parts.length), 0, work, (at) => parts[at])
  }
}

const items: Applicator<Items> = (wanted, schema, { compile }) => {
  const prefix = schema["prefixItems"]
  const check = compile(wanted)
  return (value, work, covered) => {
    if (covered !== undefined) covered.items = Infinity
    if (Array.isArray(prefix)) return checkRest(value, prefix.length, work, { check, wanted })
    return check === null ? null : checkItems(value, 0, work, () => check)
  }
}

const countOf = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined)

const contains: Applicator<Items> = (wanted, schema, { compileChoice, fillsDefaults }) => {
  const min = countOf(schema["minContains"]) ?? 1
  const max = countOf(schema["maxContains"])
  const asks = max !== undefined || min > 0
  const check = compileChoice(wanted)
  const problem = problemWith(
    max === undefined
      ? `must contain at least ${min} valid item(s)`
      : `must contain at least ${min} and no more than ${max} valid item(s)`
  )
  return (value, work, covered) => {
    if (covered === undefined && !asks) return null
    if (covered !== undefined && check === null) covered.items = Infinity
    let count = 0
    let first: Problem | null = null
    for (const [at, item] of value.entries()) {
      const found = check === null ? null : check(item, work, undefined)
      if (found !== null && isSpent(work)) return within(at, found)
      if (found === null) {
        count += 1
        if (check !== null) covered?.found.add(at)
      }
      // Inside of a choice, the first item that does not fit says why.
      else if (!fillsDefaults) first ??= within(at, found)
      if (covered === undefined && (max === undefined ? count >= min : count > max)) break
    }
    return count >= min && count <= (max ?? Infinity) ? null : (first ?? problem)
  }
}

const unevaluatedItems: Applicator<Items> = (wanted, _schema, { compile }) => {
  const check = compile(wanted)
  return (value, work, covered) => {
    const from = covered?.items ?? 0
    const found = covered?.found
    if (covered !== undefined) covered.items = Infinity
    if (found === undefined || found.size === 0) return checkRest(value, from, work, { check, wanted })
    if (spends(work, value.length / namesPerStep)) return spent
    return checkItems(value, from, work, (at) => (found.has(at) ? null : check))
  }
}

export const ofItems: ReadonlyArray<readonly [keyword: string, applicator: Applicator<Items>]> = [
  ["prefixItems", prefixItems],
  ["items", items],
  ["contains", contains],
  ["unevaluatedItems", unevaluatedItems]
]
