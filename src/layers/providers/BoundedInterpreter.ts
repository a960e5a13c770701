/**
 * The JMESPath interpreter with a budget: each step of an expression, and each value that a function reads or makes, is
 * paid for before it is done, so that no expression and no answer can hold up the process or fill its memory. The
 * library has no place for that, so its one `visit` is replaced here, and with it what would cost more than it shows:
 * truth of large objects, `trim`, `replace`. A name is looked up among an object's own members only.
 *
 * An exact number is a number to all of it: it is compared, sorted and calculated with by its nearest number, and stays
 * itself wherever it is only passed on.
 */
import { type jmespath, TreeInterpreter } from "@jmespath-community/jmespath"
import { Data } from "effect"
import { ExactNumber, fitsNumber, isNumberText } from "../../domain/ExactNumber.js"
import type { Json } from "../../domain/Json.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { member } from "../../domain/Members.js"

export type Ast = ReturnType<typeof jmespath.compile>

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

/** JMESPath's truth: null, false and everything empty do not hold; 0 does. Does not count what is in an object. */
export const truthy = (value: unknown): boolean => {
  if (value === null || value === undefined || value === false || value === "") return false
  if (typeof value !== "object" || value instanceof ExactNumber) return true
  if (Array.isArray(value)) return value.length > 0
  for (const name in value) if (Object.hasOwn(value, name)) return true
  return false
}

const sizeOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length / charsPerStep
    : Array.isArray(value)
      ? value.length
      : typeof value === "object" && value !== null
        ? Object.keys(value).length
        : 0

const charsOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : Array.isArray(value)
      ? value.reduce((sum: number, item) => sum + (typeof item === "string" ? item.length : 1), 0)
      : 1

/** A search for one text in another may compare them at each position. */
const searching = (text: unknown, sought: unknown): number => (charsOf(text) * (1 + charsOf(sought) / 4)) / charsPerStep

const logarithm = (count: number): number => Math.log2(count + 2)

/** The cost of a function, besides the cost of reading its arguments. */
const costOf = (name: string, [first, second, third]: ReadonlyArray<unknown>): number => {
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

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
const isNode = (value: unknown): value is Ast => isRecord(value) && typeof value["type"] === "string"

const spaces = new Set(
  Array.from(
    " \t\n\r\f\v\u00a0\u0085\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
  )
)

/** `trim`, `trim_left` and `trim_right`; the library's take the square of the length. */
const trimmed = (name: string, text: string, chars: string | undefined): string => {
  const cut = chars === undefined || chars === "" ? spaces : new Set(Array.from(chars))
  let from = 0
  let to = text.length
  if (name !== "trim_right") while (from < to && cut.has(text[from] ?? "")) from += 1
  if (name !== "trim_left") while (to > from && cut.has(text[to - 1] ?? "")) to -= 1
  return text.slice(from, to)
}

/** `replace` of at most so many places; the library's reads `$&` in the new text. */
const replaced = (text: string, sought: string, by: string, count: number): string => {
  const parts = text.split(sought)
  return (
    parts.slice(0, count + 1).join(by) + (parts.length > count + 1 ? sought + parts.slice(count + 1).join(sought) : "")
  )
}

/** In code points, without a list of them. */
const lengthOf = (text: string): number => {
  let pairs = 0
  for (let at = 0; at < text.length - 1; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue
    pairs += 1
    at += 1
  }
  return text.length - pairs
}

const numberOf = (value: unknown): unknown => (value instanceof ExactNumber ? value.toNumber() : value)

/** Two exact numbers are equal by their value. An expression cannot write one, so its numbers equal the nearest. */
const sameNumber = (left: unknown, right: unknown): boolean =>
  left instanceof ExactNumber && right instanceof ExactNumber
    ? left.canonical === right.canonical
    : numberOf(left) === numberOf(right)

/** The largest or smallest of numbers, as it came. */
const extreme = (numbers: ReadonlyArray<unknown>, isBetter: (one: number, than: number) => boolean): unknown =>
  numbers.reduce((best, each) => (isBetter(Number(each), Number(best)) ? each : best))

/**
 * The functions whose result holds the digits of exact numbers, and `to_number`, where the library takes what is no
 * number of JSON. Undefined where the library's own are good enough.
 */
const exactFunction = (name: string, [first, second]: ReadonlyArray<unknown>): unknown => {
  switch (name) {
    case "to_string":
      return typeof first === "object" && first !== null ? writeJson(first) : undefined
    case "to_number":
      if (typeof first !== "string") return undefined
      if (!isNumberText(first)) return null
      return fitsNumber(first) ? undefined : new ExactNumber(first)
    case "contains":
      return Array.isArray(first) && (typeof second === "number" || second instanceof ExactNumber)
        ? first.some((each) => sameNumber(each, second))
        : undefined
    case "max":
    case "min": {
      if (!Array.isArray(first) || !first.some((each) => each instanceof ExactNumber)) return undefined
      const isNumbers = first.every((each) => typeof each === "number" || each instanceof ExactNumber)
      return isNumbers ? extreme(first, name === "max" ? (a, b) => a > b : (a, b) => a < b) : undefined
    }
    default:
      return undefined
  }
}

/** Undefined when the library's own function, or its own error about wrong arguments, is good enough. */
const ownFunction = (name: string, [first, second, third, fourth]: ReadonlyArray<unknown>): unknown => {
  if (typeof first !== "string") return undefined
  if (name === "trim" || name === "trim_left" || name === "trim_right")
    return second === undefined || typeof second === "string" ? trimmed(name, first, second) : undefined
  if (name === "length") return lengthOf(first)
  const isCount = typeof fourth === "number" && Number.isInteger(fourth) && fourth > 0
  return name === "replace" && typeof second === "string" && typeof third === "string" && isCount
    ? replaced(first, second, third, fourth)
    : undefined
}

interface Interpreter {
  readonly runtime: { callFunction(name: string, args: ReadonlyArray<unknown>): unknown }
  visit(node: Ast, value: unknown): unknown
  search(node: Ast, value: unknown): Json
}

// Its declared parameter types are mutable copies of ours; it never writes to what it reads.
const interpreter: Interpreter = TreeInterpreter
const prototype: Pick<Interpreter, "visit"> = Object.getPrototypeOf(interpreter)
const libraryVisit = prototype.visit

let budget = new Budget(0)

const equal = (left: unknown, right: unknown): boolean => {
  budget.spend(1)
  if (left === right) return true
  if (left instanceof ExactNumber || right instanceof ExactNumber) return sameNumber(left, right)
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => equal(item, right[at]))
  if (!isRecord(left) || !isRecord(right)) return false
  let members = 0
  for (const name in left) {
    if (!Object.hasOwn(right, name) || !equal(member(left, name), member(right, name))) return false
    members += 1
  }
  for (const _ in right) if (--members < 0) return false
  return true
}

/** Texts are sorted character by character, as often as there are comparisons. */
const payForSorting = (self: Interpreter, [list, key]: ReadonlyArray<unknown>): void => {
  if (!Array.isArray(list) || !isNode(key)) return
  let chars = 0
  for (const item of list) chars += charsOf(self.visit(key, item))
  budget.spend(chars * logarithm(list.length))
}

const call = (self: Interpreter, name: string, args: ReadonlyArray<unknown>): unknown => {
  for (const arg of args) budget.spend(sizeOf(arg))
  budget.spend(costOf(name, args))
  if (name === "to_string") payFor(args[0], budget)
  if (name === "sort_by") payForSorting(self, args)
  const exact = exactFunction(name, args)
  return exact === undefined ? (ownFunction(name, args) ?? self.runtime.callFunction(name, args)) : exact
}

/** The node with these parts evaluated already, for the library to do the rest. */
const evaluated = (node: Ast, parts: { readonly [part: string]: unknown }): Ast => {
  const literals = Object.entries(parts).map(([part, value]) => [part, { type: "Literal", value }] as const)
  const whole: unknown = { ...node, ...Object.fromEntries(literals) }
  return isNode(whole) ? whole : node
}

const ordered = (name: string, left: unknown, right: unknown): boolean | null => {
  if (typeof left !== "number" || typeof right !== "number") return null
  switch (name) {
    case "GT":
      return left > right
    case "GTE":
      return left >= right
    case "LT":
      return left < right
    default:
      return left <= right
  }
}

const runtimePrototype: { getTypeName(value: unknown): unknown } = Object.getPrototypeOf(interpreter.runtime)
const libraryTypeName = runtimePrototype.getTypeName
runtimePrototype.getTypeName = function (value: unknown): unknown {
  return libraryTypeName.call(this, numberOf(value))
}

prototype.visit = function (this: Interpreter, node: Ast, value: unknown): unknown {
  budget.spend(1)
  switch (node.type) {
    case "Field":
      return isRecord(value) ? (member(value, node.name) ?? null) : null
    case "OrExpression": {
      const left = this.visit(node.left, value)
      return truthy(left) ? left : this.visit(node.right, value)
    }
    case "AndExpression": {
      const left = this.visit(node.left, value)
      return truthy(left) ? this.visit(node.right, value) : left
    }
    case "NotExpression":
      return !truthy(this.visit(node.child, value))
    case "Ternary":
      return truthy(this.visit(node.condition, value))
        ? this.visit(node.trueExpr, value)
        : this.visit(node.falseExpr, value)
    case "FilterProjection": {
      const base = this.visit(node.left, value)
      if (!Array.isArray(base)) return null
      const results: Array<unknown> = []
      for (const item of base) {
        if (!truthy(this.visit(node.condition, item))) continue
        const result = this.visit(node.right, item)
        if (result !== null) results.push(result)
      }
      return results
    }
    case "Slice":
      budget.spend(Array.isArray(value) ? value.length : typeof value === "string" ? 4 * value.length : 0)
      return libraryVisit.call(this, node, value)
    case "Flatten": {
      const list = this.visit(node.child, value)
      if (!Array.isArray(list)) return null
      budget.spend(4 * list.reduce((sum: number, item) => sum + (Array.isArray(item) ? item.length : 1), 0))
      return list.flat()
    }
    case "Comparator": {
      const left = this.visit(node.left, value)
      const right = this.visit(node.right, value)
      return node.name === "EQ" || node.name === "NE"
        ? equal(left, right) === (node.name === "EQ")
        : ordered(node.name, numberOf(left), numberOf(right))
    }
    case "Arithmetic": {
      const left = numberOf(this.visit(node.left, value))
      return libraryVisit.call(this, evaluated(node, { left, right: numberOf(this.visit(node.right, value)) }), value)
    }
    case "Unary":
      return libraryVisit.call(this, evaluated(node, { operand: numberOf(this.visit(node.operand, value)) }), value)
    case "ValueProjection": {
      const left = this.visit(node.left, value)
      return isRecord(left) ? libraryVisit.call(this, evaluated(node, { left }), value) : null
    }
    case "Function":
      return call(
        this,
        node.name,
        node.children.map((child) => this.visit(child, value))
      )
    default:
      return libraryVisit.call(this, node, value)
  }
}

/** Throws what the library throws, and `BudgetSpent` when `allowed` is used up. */
export const interpret = (ast: Ast, value: unknown, allowed: Budget): Json => {
  budget = allowed
  return interpreter.search(ast, value) ?? null
}
