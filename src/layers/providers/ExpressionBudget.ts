/**
 * What an expression pays: the budget of one answer, and the price of each function. Prices are about the time that the
 * work takes, in steps.
 */
import { Data } from "effect"

/** What may still be spent on one answer: about as many steps as values looked at. */
export class Budget {
  constructor(private left: number) {}

  get isSpent(): boolean {
    return this.left < 0
  }

  spend(steps: number): void {
    // `not >=`, because a cost may be NaN when a function gets what it does not take.
    this.left = steps >= 0 ? this.left - steps : this.left
    // The library's recursion has no other way out; `evaluate` makes a value of it.
    // eslint-disable-next-line no-restricted-syntax
    if (this.left < 0) throw new BudgetSpent()
  }
}

class BudgetSpent extends Data.TaggedError("BudgetSpent") {
  override get message(): string {
    return "takes more work on this answer than an expression may"
  }
}

/** Characters that a function reads or writes in about the time of one step. */
const charsPerStep = 16

/**
 * Pays for the size of a value, nested values included. It pays step by step, so it also ends for a value that contains
 * itself many times.
 */
export const payFor = (value: unknown, budget: Budget): void => {
  const open: Array<unknown> = [value]
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next === "string") budget.spend(1 + next.length / charsPerStep)
    else if (typeof next !== "object" || next === null) budget.spend(1)
    else if (Array.isArray(next)) {
      budget.spend(1 + next.length)
      for (const item of next) if (item !== undefined) open.push(item)
    } else {
      for (const name in next) {
        budget.spend(1 + name.length / charsPerStep)
        open.push(Reflect.get(next, name))
      }
    }
  }
}

export const sizeOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length / charsPerStep
    : Array.isArray(value)
      ? value.length
      : typeof value === "object" && value !== null
        ? Object.keys(value).length
        : 0

export const charsOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : Array.isArray(value)
      ? value.reduce((sum: number, item) => sum + (typeof item === "string" ? item.length : 1), 0)
      : 1

/** A search for one text in another may compare them at each position. */
const searching = (text: unknown, sought: unknown): number => (charsOf(text) * (1 + charsOf(sought) / 4)) / charsPerStep

export const logarithm = (count: number): number => Math.log2(count + 2)

/** The cost of a function, besides the cost of reading its arguments. */
export const costOf = (name: string, [first, second, third]: ReadonlyArray<unknown>): number => {
  switch (name) {
    case "contains":
    case "ends_with":
    case "starts_with":
    case "find_first":
    case "find_last":
      return searching(first, second)
    case "split":
      return searching(first, second) + charsOf(first)
    case "replace":
      return searching(first, second) + (charsOf(first) * (1 + charsOf(third))) / charsPerStep
    case "join":
      return (charsOf(second) + charsOf(first) * sizeOf(second)) / charsPerStep
    case "pad_left":
    case "pad_right":
      return typeof second === "number" ? second / charsPerStep : 0
    // Writing JSON costs this for every list or object that is written by itself, besides the size of each.
    case "to_string":
      return typeof first === "object" && first !== null ? 20 : 0
    // Takes a text apart into its characters.
    case "reverse":
      return typeof first === "string" ? first.length : 0
    case "max":
    case "min":
      return charsOf(first)
    case "sort":
    case "sort_by":
      return charsOf(first) * logarithm(sizeOf(first))
    case "from_items":
    case "items":
    case "zip":
      return 4 * sizeOf(first)
    default:
      return 0
  }
}
