// Finds look-ups by a name that is only known at run time: `object[name]` where `name` may be any text, `name in
// object`, `{ [name]: x } = object`. Names that come from outside must not find what objects inherit (`constructor`,
// `toString`) nor change it (`__proto__`). Names out of a closed set of literals, and positions of lists, are not its
// business. It needs types.
import ts from "typescript"

const openText =
  ts.TypeFlags.String |
  ts.TypeFlags.TemplateLiteral |
  ts.TypeFlags.StringMapping |
  ts.TypeFlags.Any |
  ts.TypeFlags.Unknown

const isOpen = (checker, type) => {
  if (type.isUnionOrIntersection()) return type.types.some((part) => isOpen(checker, part))
  if ((type.flags & ts.TypeFlags.TypeParameter) === 0) return (type.flags & openText) !== 0
  const constraint = checker.getBaseConstraintOfType(type)
  return (
    constraint !== undefined &&
    constraint !== type &&
    (constraint.flags & ts.TypeFlags.Index) === 0 &&
    isOpen(checker, constraint)
  )
}

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
    const look = (node) => {
      if (node.type !== "Literal" && isOpen(checker, services.getTypeAtLocation(node)))
        context.report({ node, messageId: "open" })
    }
    return {
      "MemberExpression[computed=true]": (node) => look(node.property),
      "ObjectPattern > Property[computed=true]": (node) => look(node.key),
      "BinaryExpression[operator='in']": (node) => look(node.left)
    }
  }
}
