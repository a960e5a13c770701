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
import { ExactNumber } from "../../domain/ExactNumber.js"
import type { Json } from "../../domain/Json.js"
import { member } from "../../domain/Members.js"
import { Budget, charsOf, costOf, logarithm, payFor, sizeOf } from "./ExpressionBudget.js"
import { exactFunction, numberOf, ownFunction, sameNumber } from "./ExpressionFunctions.js"

export type Ast = ReturnType<typeof jmespath.compile>

/** JMESPath's truth: null, false and everything empty do not hold; 0 does. Does not count what is in an object. */
export const truthy = (value: unknown): boolean => {
  if (value === null || value === undefined || value === false || value === "") return false
  if (typeof value !== "object" || value instanceof ExactNumber) return true
  if (Array.isArray(value)) return value.length > 0
  for (const name in value) if (Object.hasOwn(value, name)) return true
  return false
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
const isNode = (value: unknown): value is Ast => isRecord(value) && typeof value["type"] === "string"

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
let countsTexts = true

/** A step stumbled over null: the answer does not have the value that is calculated with. */
export class ValueMissing extends Data.TaggedError("ValueMissing")<{ readonly message: string }> {}

const isMissing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.includes(null))

/** What the library does with these operands, which it refuses when they are of the wrong type. */
const worked = (operands: ReadonlyArray<unknown>, step: () => unknown): unknown => {
  try {
    return step()
  } catch (error) {
    // `evaluate` makes a value of either.
    // eslint-disable-next-line no-restricted-syntax
    throw error instanceof Error && operands.some(isMissing) ? new ValueMissing({ message: error.message }) : error
  }
}

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

/** Where an expression counts results, a text in the place of the list is an error and no result for each character. */
const refuseText = (name: string, [first]: ReadonlyArray<unknown>): void => {
  // `evaluate` makes a value of it.
  // eslint-disable-next-line no-restricted-syntax
  if (!countsTexts && name === "length" && typeof first === "string") throw new Error("a text is no list of results")
}

const call = (self: Interpreter, name: string, args: ReadonlyArray<unknown>): unknown => {
  refuseText(name, args)
  for (const arg of args) budget.spend(sizeOf(arg))
  budget.spend(costOf(name, args))
  if (name === "to_string") payFor(args[0], budget)
  if (name === "sort_by") payForSorting(self, args)
  const exact = exactFunction(name, args)
  return exact === undefined
    ? (ownFunction(name, args) ?? worked(args, () => self.runtime.callFunction(name, args)))
    : exact
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
      const right = numberOf(this.visit(node.right, value))
      return worked([left, right], () => libraryVisit.call(this, evaluated(node, { left, right }), value))
    }
    case "Unary": {
      const operand = numberOf(this.visit(node.operand, value))
      return worked([operand], () => libraryVisit.call(this, evaluated(node, { operand }), value))
    }
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

/**
 * Throws what the library throws, or `ValueMissing` in its place, and `BudgetSpent` when `allowed` is used up. `length`
 * of a text is its number of characters, unless `texts` says that texts are not counted.
 */
export const interpret = (ast: Ast, value: unknown, allowed: Budget, texts: "counted" | "refused"): Json => {
  budget = allowed
  countsTexts = texts === "counted"
  return interpreter.search(ast, value) ?? null
}
