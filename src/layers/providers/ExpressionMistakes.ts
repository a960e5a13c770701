/**
 * What the author of an expression cannot have meant although it parses: it would stumble or say the same over every
 * answer, so a rule would never hold, or always. Decided by the parsed expression alone.
 */
import { jmespath, TreeInterpreter, TYPE_EXPREF } from "@jmespath-community/jmespath"
import { isRecord } from "effect/Predicate"
import { counted } from "../../domain/Counted.js"
import { member } from "../../domain/Members.js"
import { didYouMean, similar } from "../../domain/Similar.js"
import { isWholeAt, leadsOn, partNamed, readsOneOf } from "./NamesRead.js"

const { _functionTable: functions } = TreeInterpreter.runtime

type Node = { readonly [part: string]: unknown }

/** Where a node stands. */
interface Place {
  /** Whether it looks at all that an expression sees, and not at a value inside of it. */
  readonly isWhole: boolean
  /** The variables that a `let` around it has made. */
  readonly bound: ReadonlySet<string>
  /** Those of them that the interpreter does not find inside of an expression with &. */
  readonly hidden: ReadonlySet<string>
}

const isOfType = (node: unknown, type: string): node is Node => isRecord(node) && node["type"] === type

const referred = "an expression with &, such as &name"

/** As the library numbers them. A list may be one of several. */
const literalTypes = new Map<string, ReadonlyArray<number>>([
  ["number", [0]],
  ["string", [2]],
  ["boolean", [5]],
  ["object", [4]],
  ["null", [7]],
  ["list", [3, 8, 9, 10, 11]]
])
const anyType = 1

/** Whether a value that stands in the expression can be an argument of one of these types. */
const fitsType = (types: ReadonlyArray<number>, value: unknown): boolean => {
  const kinds = literalTypes.get(Array.isArray(value) ? "list" : value === null ? "null" : typeof value) ?? []
  return types.some((type) => type === anyType || kinds.includes(type))
}

const callMistake = (name: string, args: ReadonlyArray<unknown>): string | null => {
  const known = member(functions, name)
  if (known === undefined) return `there is no function ${name}${didYouMean(similar(name, Object.keys(functions)))}`
  const { _signature: wanted } = known
  const most = wanted.at(-1)?.variadic === true ? Infinity : wanted.length
  const least = wanted.filter(({ optional }) => optional !== true).length
  if (args.length < least || args.length > most) {
    const all = most === Infinity ? `at least ${counted(least, "argument")}` : counted(most, "argument")
    return `${name} takes ${least < most && most < Infinity ? `${least} to ` : ""}${all}, and has ${args.length}`
  }
  for (const [at, arg] of args.entries()) {
    const types = (wanted[at] ?? wanted.at(-1))?.types ?? []
    const wantsReference = types.every((type) => type === TYPE_EXPREF)
    if (wantsReference && !isOfType(arg, "ExpressionReference") && !isOfType(arg, "Variable"))
      return `argument ${at + 1} of ${name} must be ${referred}`
    if (isOfType(arg, "Literal") && !wantsReference && !fitsType(types, arg["value"]))
      return `argument ${at + 1} of ${name} cannot be ${JSON.stringify(arg["value"])}`
  }
  return null
}

/** The header that a node reads; null for any other node. */
const headerRead = (node: unknown, { isWhole }: Place): string | null =>
  isOfType(node, "Subexpression") &&
  partNamed(node["left"], isWhole) === "headers" &&
  isOfType(node["right"], "Field") &&
  typeof node["right"]["name"] === "string"
    ? node["right"]["name"]
    : null

const headerIsText = (name: string): string =>
  `a header is text, which is no number; write to_number(headers.${JSON.stringify(name)})`

/** A status is a number, and a header is text. */
const comparisonMistake = ({ left, name, right }: Node, place: Place): string | null => {
  for (const [one, other] of [
    [left, right],
    [right, left]
  ]) {
    const value = isOfType(other, "Literal") ? other["value"] : undefined
    if (partNamed(one, place.isWhole) === "status" && typeof value === "string")
      return `status is a number, and '${value}' is text; write a number in backticks`
    const header = headerRead(one, place)
    if (header !== null && (typeof value === "number" || (name !== "EQ" && name !== "NE"))) return headerIsText(header)
  }
  return null
}

const memberMistake = (node: Node, place: Place): string | null => {
  if (partNamed(node["left"], place.isWhole) === "status") return "status is a number, which has no members"
  const header = headerRead(node, place)
  return header !== null && header !== header.toLowerCase()
    ? `names of headers are in lower case: headers.${JSON.stringify(header.toLowerCase())}`
    : null
}

const negatedStart = "`!a.b` reads as `(!a).b` and never holds; write `!(a.b)`"

const negatesOnlyTheStart = (node: Node): boolean =>
  isOfType(node["type"] === "Flatten" ? node["child"] : node["left"], "NotExpression")

/** Of `left` and `right`, of which the right one looks at what the left one gave. */
const leadingMistake = (node: Node, place: Place, seen: Seen): string | null => {
  const { condition, left, right, type } = node
  if (negatesOnlyTheStart(node)) return negatedStart
  const isStill = isWholeAt(left, place.isWhole)
  const isOfList = type === "IndexExpression" || type === "Projection" || type === "FilterProjection"
  if (isOfList && isStill) return noList
  if (type === "Subexpression") {
    const found = memberMistake(node, place)
    if (found !== null) return found
  }
  const goesOn = { ...place, isWhole: isStill && (type === "Subexpression" || type === "Pipe") }
  return (isStill ? null : mistakeAt(left, place, seen)) ?? firstOf([right, condition], goesOn, seen)
}

const noList = "what an expression sees is no list; say of which list, such as body[0]"

type Seen = ReadonlyArray<string>

const unseen = (name: string, seen: Seen): string | null =>
  // There is no member of the name null, so the name gives null, which is what is meant.
  seen.includes(name) || name === "null"
    ? null
    : name === "true" || name === "false"
      ? `${name} without backticks is the name of a member; write \`${name}\` in backticks`
      : `an expression sees ${seen.join(", ")}, and there is no ${name}${didYouMean(similar(name, seen))}`

/** The first name of a node that is a name, or leads from one to another. */
const firstNameOf = (node: unknown): string | null =>
  isOfType(node, "Field") && typeof node["name"] === "string"
    ? node["name"]
    : isOfType(node, "Subexpression")
      ? firstNameOf(node["left"])
      : null

const isOfHyphen = (node: unknown, seen: Seen): node is Node => {
  const first = isOfType(node, "Arithmetic") && node["operator"] === "Minus" ? firstNameOf(node["right"]) : null
  return first !== null && !seen.includes(first)
}

/** The name that a node ends with, with its hyphens. */
const hyphenated = (node: unknown, seen: Seen): string | null => {
  if (isOfType(node, "Field")) return firstNameOf(node)
  if (isOfType(node, "Subexpression")) return hyphenated(node["right"], seen)
  if (!isOfHyphen(node, seen)) return null
  const start = hyphenated(node["left"], seen)
  return start === null ? null : `${start}-${firstNameOf(node["right"]) ?? ""}`
}

/** `headers.content-type` takes `type`, which nothing is called, from `headers.content`. */
const hyphenMistake = (node: Node, { isWhole }: Place, seen: Seen): string | null => {
  const name = isWhole && isOfHyphen(node, seen) ? hyphenated(node, seen) : null
  return name === null ? null : `a hyphen takes away; a name that has one is in quotes: ${JSON.stringify(name)}`
}

const variableMistake = (name: string, { bound, hidden }: Place): string | null =>
  hidden.has(name)
    ? `$${name} is not seen inside of an expression with &`
    : bound.has(name)
      ? null
      : `there is no variable $${name}; let $${name} = … in … makes one`

/** Where an expression with & may stand: as an argument, or as the value of a variable. */
const argumentMistake = (node: unknown, place: Place, seen: Seen): string | null =>
  isOfType(node, "ExpressionReference")
    ? mistakeAt(node["child"], { isWhole: false, bound: new Set(), hidden: place.bound }, seen)
    : mistakeAt(node, place, seen)

const firstArgument = (nodes: ReadonlyArray<unknown>, place: Place, seen: Seen): string | null =>
  nodes.reduce<string | null>((found, node) => found ?? argumentMistake(node, place, seen), null)

const letMistake = (node: Node, place: Place, seen: Seen): string | null => {
  const bindings = Array.isArray(node["bindings"]) ? node["bindings"].filter(isRecord) : []
  const made = bindings.flatMap(({ variable }) => (typeof variable === "string" ? [variable] : []))
  const values = bindings.map(({ reference }) => reference)
  return (
    firstArgument(values, place, seen) ??
    mistakeAt(node["expression"], { ...place, bound: new Set([...place.bound, ...made]) }, seen)
  )
}

/** These numbers hold, also 0. */
const countingFunctions: ReadonlySet<unknown> = new Set(["length", "sum"])

const mistakeAt = (node: unknown, place: Place, seen: Seen): string | null => {
  if (Array.isArray(node)) return firstOf(node, place, seen)
  if (!isRecord(node)) return null
  const { name, type } = node
  const inside = () => firstOf(Object.values(node), place, seen)
  switch (type) {
    case "Literal":
      return null
    case "Field":
      return place.isWhole && typeof name === "string" ? unseen(name, seen) : null
    case "Binding":
      return "a single `=` compares nothing; write `==`"
    case "Variable":
      return typeof name === "string" ? variableMistake(name, place) : null
    case "LetExpression":
      return letMistake(node, place, seen)
    case "Function": {
      const args = Array.isArray(node["children"]) ? node["children"] : []
      return (typeof name === "string" ? callMistake(name, args) : null) ?? firstArgument(args, place, seen)
    }
    case "ExpressionReference":
      return "an expression with & can only be an argument of a function"
    case "NotExpression":
      return isOfType(node["child"], "Function") && countingFunctions.has(node["child"]["name"])
        ? `0 holds, so a ! before ${String(node["child"]["name"])}(…) never does; compare it with \`0\``
        : inside()
    case "Comparator":
      return comparisonMistake(node, place) ?? inside()
    case "Arithmetic":
    case "Unary": {
      const [header] = [node["left"], node["right"], node["operand"]].flatMap((each) => headerRead(each, place) ?? [])
      return hyphenMistake(node, place, seen) ?? (header === undefined ? inside() : headerIsText(header))
    }
    case "Flatten":
      return negatesOnlyTheStart(node) ? negatedStart : isWholeAt(node["child"], place.isWhole) ? noList : inside()
    default:
      return leadsOn(node) ? leadingMistake(node, place, seen) : inside()
  }
}

const firstOf = (nodes: ReadonlyArray<unknown>, place: Place, seen: Seen): string | null => {
  for (const node of nodes) {
    const found = mistakeAt(node, place, seen)
    if (found !== null) return found
  }
  return null
}

/** Null for none. `seen` are the members of what the expression sees. */
export const mistakeIn = (ast: unknown, seen: Seen): string | null =>
  mistakeAt(ast, { isWhole: true, bound: new Set(), hidden: new Set() }, seen)

/**
 * Why a rule about answers decides nothing although it can be evaluated: it reads none, or what always holds. Null when
 * it may decide. Of an expression that parses.
 */
export const decidesNothing = (source: string): string | null =>
  !readsOneOf(source, ["status", "headers", "body", "input"])
    ? "reads nothing of the answer, so it says the same of every answer"
    : partNamed(jmespath.compile(source), true) === "status"
      ? "is a number, which always holds; compare it, such as status == `200`"
      : null
