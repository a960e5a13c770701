/** What a token may do. On input a dot is accepted for the colon (completions, section 1). */
import { ParseResult, Schema } from "effect"

export const scopes = [
  "catalog:read",
  "runs:read",
  "runs:execute",
  "usage:read",
  "billing:write",
  "capabilities:write",
  "account:manage"
] as const
export const Scope = Schema.Literal(...scopes).annotations({
  identifier: "Scope",
  description: "What a token may do",
  examples: ["runs:execute"]
})
export type Scope = typeof Scope.Type

export const ScopeInput = Schema.transformOrFail(Schema.String, Scope, {
  strict: true,
  decode: (raw, _, ast) => {
    const scope = scopes.find((known) => known === raw.replace(".", ":"))
    return scope === undefined
      ? ParseResult.fail(new ParseResult.Type(ast, raw, `must be one of ${scopes.join(", ")}`))
      : ParseResult.succeed(scope)
  },
  encode: ParseResult.succeed
}).annotations({ jsonSchema: { type: "string", enum: [...scopes] } })

/** What a new token is to do. What is wrong with one of the scopes is said of that one. */
export const ScopesInput = Schema.Array(ScopeInput).pipe(
  Schema.minItems(1, { message: () => `must be a list of at least one of ${scopes.join(", ")}` })
)

const writing: ReadonlySet<Scope> = new Set(["runs:execute", "billing:write", "capabilities:write", "account:manage"])
/** A read-only token can look, and neither run nor pay. */
export const isReadOnly = (granted: ReadonlyArray<Scope>): boolean => !granted.some((scope) => writing.has(scope))
