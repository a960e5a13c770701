/**
 * What the author of an expression cannot have meant although it parses: it would stumble or say the same over every
 * answer, so a rule would never hold, or always. Decided by the parsed expression alone.
 */
import { TreeInterpreter, TYPE_EXPREF } from "@jmespath-community/jmespath"
import { isRecord } from "effect/Predicate"
import { counted } from "../../domain/Counted.js"
import { member } from "../../domain/Members.js"
import { didYouMean, similar } from "../../domain/Similar.js"
import { namesRead } from "./NamesRead.js"

const { _functionTable: functions } = TreeInterpreter.runtime

/** `!a.b` reads as `(!a).b`, which is null for every answer. */
const negatesOnlyTheStart = (node: { readonly [part: string]: unknown }): boolean => {
  const start = node["type"] === "Subexpression" ? node["left"] : node["type"] === "Flatten" ? node["child"] : undefined
  return isRecord(start) && start["type"] === "NotExpression"
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
  const at = wanted.findIndex(({ types }, index) => {
    const arg = args[index]
    return types.every((type) => type === TYPE_EXPREF) && !(isRecord(arg) && arg["type"] === "ExpressionReference")
  })
  return at < 0 ? null : `argument ${at + 1} of ${name} must be an expression with &, such as &name`
}

/** `bound` are the variables that a `let` around the node has made. */
const mistakeAt = (node: unknown, bound: ReadonlySet<string>): string | null => {
  if (Array.isArray(node)) return firstOf(node, bound)
  if (!isRecord(node)) return null
  const { name, type } = node
  switch (type) {
    case "Literal":
      return null
    case "Binding":
      return "a single `=` compares nothing; write `==`"
    case "Variable":
      return typeof name === "string" && !bound.has(name)
        ? `there is no variable $${name}; let $${name} = … in … makes one`
        : null
    case "LetExpression": {
      const bindings = Array.isArray(node["bindings"]) ? node["bindings"].filter(isRecord) : []
      const made = bindings.flatMap(({ variable }) => (typeof variable === "string" ? [variable] : []))
      return (
        firstOf(
          bindings.map(({ reference }) => reference),
          bound
        ) ?? mistakeAt(node["expression"], new Set([...bound, ...made]))
      )
    }
    case "Function": {
      const args = Array.isArray(node["children"]) ? node["children"] : []
      return (typeof name === "string" ? callMistake(name, args) : null) ?? firstOf(args, bound)
    }
    default:
      return negatesOnlyTheStart(node)
        ? "`!a.b` reads as `(!a).b` and never holds; write `!(a.b)`"
        : firstOf(Object.values(node), bound)
  }
}

const firstOf = (nodes: ReadonlyArray<unknown>, bound: ReadonlySet<string>): string | null => {
  for (const node of nodes) {
    const found = mistakeAt(node, bound)
    if (found !== null) return found
  }
  return null
}

/** Null for none. `seen` are the members of what the expression sees. */
export const mistakeIn = (ast: unknown, seen: ReadonlyArray<string>): string | null => {
  const unknown = namesRead(ast).find((name) => name !== null && !seen.includes(name))
  return (
    mistakeAt(ast, new Set()) ??
    (typeof unknown === "string"
      ? `an expression sees ${seen.join(", ")}, and there is no ${unknown}${didYouMean(similar(unknown, seen))}`
      : null)
  )
}
