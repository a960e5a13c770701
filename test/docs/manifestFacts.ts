/** What the Schemas of manifests say of each field: whether it must be there, its default, its words and its bounds. */
import { Option, SchemaAST as AST } from "effect"
import { stringify } from "yaml"
import { JobManifest, ProviderManifest } from "../../src/domain/Manifest.js"
import type { SchemaKind } from "../../src/domain/ManifestSchemas.js"

export interface Fact {
  /** Of each kind of an object that has it: `needed`, `optional`, or its default as a manifest would write it. */
  readonly without: Set<string>
  /** The words that it may be, or the items of its list. */
  readonly words: Set<string>
  /** The least and the largest number, where it has both. */
  readonly bounds: Set<string>
}

const grouped = (number: unknown): string => Number(number).toLocaleString("en-US")

/** An object whose fields have these defaults themselves, so that nothing is gained by writing it out. */
const repeatsItsFields = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 1

const written = (value: unknown): string => {
  if (repeatsItsFields(value)) return "the defaults of its fields"
  const text = stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim()
  return `\`${text.replace(/^\[ (.*) \]$/, "[$1]")}\``
}

/** The fields of an object, with what each is when it is absent. */
const fieldsOf = (ast: AST.AST): ReadonlyArray<readonly [AST.PropertySignature, string]> => {
  if (AST.isTypeLiteral(ast))
    return ast.propertySignatures.map((field) => [field, field.isOptional ? "optional" : "needed"])
  if (!AST.isTransformation(ast) || !AST.isTypeLiteralTransformation(ast.transformation)) return []
  const defaults = new Map(
    ast.transformation.propertySignatureTransformations.flatMap(({ decode, from }) => {
      const made = decode(Option.none())
      return Option.isSome(made) ? [[from, written(made.value)] as const] : []
    })
  )
  return fieldsOf(ast.from).map(([field, without]) => [field, defaults.get(field.name) ?? without])
}

const boundsOf = (ast: AST.Refinement): string | null => {
  const { maximum, minimum }: { readonly maximum?: unknown; readonly minimum?: unknown } = Option.getOrElse(
    AST.getJSONSchemaAnnotation(ast),
    () => ({})
  )
  // The largest whole number is a bound of numbers, not of the field.
  return minimum === undefined || maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? null
    : `${grouped(minimum)} to ${grouped(maximum)}`
}

/** By dotted path, without the names that an author chooses, such as those of inputs. */
export const factsOf = (kind: SchemaKind): ReadonlyMap<string, Fact> => {
  const facts = new Map<string, Fact>()
  const factAt = (path: string): Fact => {
    const fact = facts.get(path) ?? { without: new Set(), words: new Set(), bounds: new Set() }
    facts.set(path, fact)
    return fact
  }
  const walk = (ast: AST.AST, at: string): void => {
    const fields = fieldsOf(ast)
    for (const [{ name, type }, without] of fields) {
      const path = at === "" ? String(name) : `${at}.${String(name)}`
      factAt(path).without.add(without)
      walk(type, path)
    }
    if (AST.isLiteral(ast) && typeof ast.literal === "string") factAt(at).words.add(ast.literal)
    if (AST.isUnion(ast)) for (const member of ast.types) walk(member, at)
    if (AST.isTupleType(ast)) for (const { type } of [...ast.elements, ...ast.rest]) walk(type, at)
    if (AST.isTypeLiteral(ast)) for (const { type } of ast.indexSignatures) walk(type, at)
    if (AST.isTransformation(ast) && fields.length === 0) walk(ast.from, at)
    if (AST.isRefinement(ast)) {
      const bounds = boundsOf(ast)
      if (bounds !== null) factAt(at).bounds.add(bounds)
      walk(ast.from, at)
    }
  }
  walk((kind === "provider" ? ProviderManifest : JobManifest).ast, "")
  return facts
}
