// Finds look-ups by a name that is only known at run time: `object[name]` where `name` may be any text, `name in
// object`, `{ [name]: x } = object`, `Reflect.get(object, name)`. Names that come from outside must not find what
// objects inherit (`constructor`, `toString`) nor change it (`__proto__`). Names out of a closed set of literals, and
// positions of lists, are not its business. It needs types.
import ts from "typescript"

const openText =
  ts.TypeFlags.String |
  ts.TypeFlags.TemplateLiteral |
  ts.TypeFlags.StringMapping |
  ts.TypeFlags.Any |
  ts.TypeFlags.Unknown

/** What a type parameter was declared with: the compiler's own answer to `K extends keyof T` is any name at all. */
const declaredConstraint = (checker, type) => {
  const node = type.symbol?.declarations?.find(ts.isTypeParameterDeclaration)?.constraint
  return node === undefined ? undefined : checker.getTypeFromTypeNode(node)
}

/** Whether objects of the type may have members of any name. */
const hasOpenNames = (checker, type) => {
  if (type.isUnionOrIntersection()) return type.types.some((part) => hasOpenNames(checker, part))
  const known = (type.flags & ts.TypeFlags.Instantiable) === 0 ? type : checker.getBaseConstraintOfType(type)
  return (
    known !== undefined && checker.getIndexInfosOfType(known).some(({ keyType }) => (keyType.flags & openText) !== 0)
  )
}

const isOpen = (checker, type) => {
  if (type.isUnionOrIntersection()) return type.types.some((part) => isOpen(checker, part))
  if ((type.flags & openText) !== 0) return true
  // Not instantiated yet: `keyof T` has the names of `T`, others those that they are bounded by.
  if ((type.flags & ts.TypeFlags.Index) !== 0) return hasOpenNames(checker, type.type)
  if ((type.flags & ts.TypeFlags.Instantiable) === 0) return false
  const constraint = declaredConstraint(checker, type) ?? checker.getBaseConstraintOfType(type)
  return constraint !== undefined && constraint !== type && isOpen(checker, constraint)
}

/** @type {import("eslint").Rule.RuleModule} */
export default {
  meta: {
    type: "problem",
    docs: { description: "Look up names that are only known at run time through src/domain/Members.ts or a Map" },
    messages: {
      open: "This name is only known at run time: use member() and setMember() of src/domain/Members.ts, or a Map."
    },
    schema: []
  },
  create(context) {
    const services = context.sourceCode.parserServices
    const checker = services.program.getTypeChecker()
    const textOf = (node) => context.sourceCode.getText(node)
    /** `for (const name in object)` found the name in that object, and finds nothing that every object inherits. */
    const wasFoundIn = (object, name) => {
      if (name.type !== "Identifier") return false
      for (let scope = context.sourceCode.getScope(name); scope !== null; scope = scope.upper) {
        const variable = scope.set.get(name.name)
        if (variable === undefined) continue
        const [definition] = variable.defs
        const loop = definition?.parent?.parent
        return (
          definition?.parent?.kind === "const" &&
          loop.type === "ForInStatement" &&
          loop.left === definition.parent &&
          textOf(loop.right) === textOf(object)
        )
      }
      return false
    }
    const look = (name, object) => {
      if (name.type === "Literal" || !isOpen(checker, services.getTypeAtLocation(name))) return
      if (object === undefined || !wasFoundIn(object, name)) context.report({ node: name, messageId: "open" })
    }
    const reflection = "CallExpression[callee.object.name='Reflect'][callee.property.name=/^(get|set|has)$/]"
    return {
      "MemberExpression[computed=true]": (node) => look(node.property, node.object),
      "ObjectPattern > Property[computed=true]": (node) => look(node.key),
      "BinaryExpression[operator='in']": (node) => look(node.left),
      [`${reflection}[arguments.length>1]`]: ({ arguments: [object, name] }) => look(name, object)
    }
  }
}
