/**
 * What each endpoint asks of its caller, as an annotation on the endpoint: a scope, any valid token, a token if there
 * is one, none, a signature over the body (`signed`: only a request without one spends from a rate bucket), or
 * (`probe`) not even a place in a rate bucket. An endpoint without the annotation stops the server from starting.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Data, Option, SchemaAST } from "effect"
import type { Scope } from "../domain/Scope.js"

export type Required = Scope | "any-token" | "optional-token" | "public" | "signed" | "probe"

export class Access extends Context.Reference<Access>()("gateway/http/Access", {
  defaultValue: (): Required | null => null
}) {}

/** Headers that each answer of an endpoint has beside those of every route, by status. */
export class AnswerHeaders extends Context.Reference<AnswerHeaders>()("gateway/http/AnswerHeaders", {
  defaultValue: (): { readonly [status: string]: ReadonlyArray<string> } => ({})
}) {}

export class AccessMissing extends Data.TaggedError("AccessMissing")<{ readonly endpoints: ReadonlyArray<string> }> {
  override get message() {
    return `These endpoints have no annotation Access, which says who may call them: ${this.endpoints.join(", ")}`
  }
}

export interface Route {
  readonly method: string
  readonly path: string
  readonly access: Required | null
  /** One sentence that says what the endpoint is for; empty for one that no document names. */
  readonly summary: string
  /** The names of the query parameters that it reads. */
  readonly parameters: ReadonlySet<string>
  /** The values of query parameters that are left out, for those that have a default. */
  readonly defaults: ReadonlyMap<string, unknown>
  /** Codes of the errors that the endpoint names itself. */
  readonly errors: ReadonlySet<string>
  readonly answerHeaders: { readonly [status: string]: ReadonlyArray<string> }
}

/** A route beside the interface, as the boundary knows it. */
export const plainRoute = (method: string, path: string, access: Required): Route => ({
  method,
  path,
  access,
  summary: "",
  parameters: new Set(),
  defaults: new Map(),
  errors: new Set(),
  answerHeaders: {}
})

/** Wire schemas of errors carry this and their code as identifier. */
export const errorPrefix = "Error_"

const namesOf = (schema: Option.Option<{ readonly ast: SchemaAST.AST }>): ReadonlySet<string> =>
  new Set(
    Option.match(schema, {
      onNone: () => [],
      onSome: ({ ast }) => SchemaAST.getPropertySignatures(SchemaAST.encodedAST(ast)).map(({ name }) => String(name))
    })
  )

/** Reads the default of each property that may be left out. */
const defaultsOf = (schema: Option.Option<{ readonly ast: SchemaAST.AST }>): ReadonlyMap<string, unknown> => {
  const { ast } = Option.getOrElse(schema, () => ({ ast: SchemaAST.unknownKeyword }))
  if (!SchemaAST.isTransformation(ast) || !SchemaAST.isTypeLiteralTransformation(ast.transformation)) return new Map()
  return new Map(
    ast.transformation.propertySignatureTransformations.flatMap(({ decode, from }) =>
      Option.match(decode(Option.none()), {
        onNone: () => [],
        onSome: (value): ReadonlyArray<readonly [string, unknown]> => [[String(from), value]]
      })
    )
  )
}

const errorsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const name = Option.getOrElse(SchemaAST.getIdentifierAnnotation(ast), () => "")
  if (name.startsWith(errorPrefix)) return [name.slice(errorPrefix.length)]
  return SchemaAST.isUnion(ast) ? ast.types.flatMap(errorsOf) : []
}

export const routesOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      routes.push({
        method: endpoint.method,
        path: endpoint.path,
        access: Context.get(mergedAnnotations, Access),
        summary: Option.getOrElse(Context.getOption(mergedAnnotations, OpenApi.Summary), () => ""),
        parameters: namesOf(endpoint.urlParamsSchema),
        defaults: defaultsOf(endpoint.urlParamsSchema),
        errors: new Set(errorsOf(endpoint.errorSchema.ast)),
        answerHeaders: Context.get(mergedAnnotations, AnswerHeaders)
      })
    }
  })
  return routes
}
