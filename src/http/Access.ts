/**
 * What each endpoint asks of its caller, as an annotation on the endpoint: a scope, any valid token, a token if there is one, none,
 * or (`probe`) not even a place in a rate bucket. An endpoint without the annotation stops the server from starting.
 */
import { HttpApi, type HttpApiGroup, OpenApi } from "@effect/platform"
import { Context, Data, Option, SchemaAST } from "effect"
import type { Scope } from "../domain/Scope.js"

export type Required = Scope | "any-token" | "optional-token" | "public" | "probe"

export class Access extends Context.Reference<Access>()("gateway/http/Access", { defaultValue: (): Required | null => null }) {}

export class AccessMissing extends Data.TaggedError("AccessMissing")<{ readonly endpoints: ReadonlyArray<string> }> {
  override get message() {
    return `These endpoints say nothing about who may call them: ${this.endpoints.join(", ")}`
  }
}

export interface Route {
  readonly method: string
  readonly path: string
  readonly access: Required | null
  /** In a sentence what it is for. */
  readonly summary: string
  /** The names of the query parameters that it reads. */
  readonly parameters: ReadonlySet<string>
}

const namesOf = (schema: Option.Option<{ readonly ast: SchemaAST.AST }>): ReadonlySet<string> =>
  new Set(Option.match(schema, { onNone: () => [], onSome: ({ ast }) => SchemaAST.getPropertySignatures(SchemaAST.encodedAST(ast)).map(({ name }) => String(name)) }))

export const routesOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(api: HttpApi.HttpApi<Id, Groups, E, R>): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      routes.push({ method: endpoint.method, path: endpoint.path, access: Context.get(mergedAnnotations, Access), summary: Option.getOrElse(Context.getOption(mergedAnnotations, OpenApi.Summary), () => ""), parameters: namesOf(endpoint.urlParamsSchema) })
    }
  })
  return routes
}
