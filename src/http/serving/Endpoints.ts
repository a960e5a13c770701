/**
 * Serves the endpoints of the `HttpApi`: each becomes a route that finds the caller, reads path, headers and query by
 * the endpoint's schemas, calls its handler and sends what the handler gives. The definition, the types of handlers and
 * the OpenAPI document are those of the platform library; only the way from a request to its handler is here, because
 * the library's took 157 steps and 111 kB for a route that does nothing (`npm run bench:steps`).
 *
 * It serves what this interface has. A start is a defect where a group has not exactly one of the two middlewares of
 * `Auth.ts`, or where a body would have to be read for its handler. A handler that gives no response of its own has one
 * in JSON or text made for it; for any other kind of answer that is a defect.
 */
import type * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Array as Arr, Context, Effect, Either, FiberRef, Option, ParseResult, Schema, SchemaAST } from "effect"
import { ValidationError } from "../../domain/ApiErrors.js"
import { member, setMember } from "../../domain/Members.js"
import type { Principal as Caller } from "../../services/Accounts.js"
import { Access, type Required } from "../Access.js"
import { Bearer, Entrance, Open, Principal } from "../Auth.js"
import { fromIssues } from "../FieldProblems.js"
import { undecodableIn } from "../UrlEncoded.js"
import { type Call, queryOf, route, Routes } from "./Routes.js"

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

/** No schema of the interface needs a service, which the type of an endpoint does not say. */
const standalone = ({ ast }: Schema.Schema.Any) => Schema.make<unknown, unknown>(ast)

/** What a handler is given beside its request. */
type Parts = { readonly [part in "path" | "headers" | "urlParams"]?: unknown }

/** The parameters that are one text. One in any form (`anyCursorParam`) has an error of its own for what it is not. */
const textsOf = (schema: Option.Option<Schema.Schema.Any>): ReadonlySet<string> =>
  new Set(
    Option.match(schema, {
      onNone: () => [],
      onSome: ({ ast }) =>
        SchemaAST.getPropertySignatures(SchemaAST.encodedAST(ast))
          .filter(({ type }) => SchemaAST.isStringKeyword(type))
          .map(({ name }) => String(name))
    })
  )

/** Reads path, headers and query, in this order; the first that is wrong is told. */
const readerOf = (endpoint: Endpoint): ((call: Call) => Either.Either<Parts, ValidationError>) => {
  const parts = [
    { part: "path", schema: endpoint.pathSchema, of: ({ params }: Call): unknown => params },
    { part: "headers", schema: endpoint.headersSchema, of: ({ request }: Call): unknown => request.headers },
    { part: "urlParams", schema: endpoint.urlParamsSchema, of: ({ query }: Call): unknown => query }
  ].flatMap(({ of, part, schema }) =>
    Option.isNone(schema) ? [] : [{ part, of, decode: Schema.decodeUnknownEither(standalone(schema.value)) }]
  )
  const texts = textsOf(endpoint.urlParamsSchema)
  return (call) => {
    const read: { [part: string]: unknown } = {}
    for (const { decode, of, part } of parts) {
      const undecodable = part === "urlParams" ? undecodableIn(queryOf(call.request.url), texts) : []
      if (Arr.isNonEmptyReadonlyArray(undecodable)) return Either.left(new ValidationError({ details: undecodable }))
      const value = decode(of(call))
      if (Either.isLeft(value))
        return Either.left(fromIssues(ParseResult.ArrayFormatter.formatErrorSync(value.left), "request"))
      setMember(read, part, value.right)
    }
    return Either.right(read)
  }
}

/** Makes the response of what a handler gives. If that breaks its own schema, it is a mistake of ours. */
const writerOf = ({
  name,
  successSchema
}: Endpoint): ((value: unknown) => Effect.Effect<HttpServerResponse.HttpServerResponse>) => {
  const choices = new Set<Schema.Schema.Any>()
  HttpApiSchema.deunionize(choices, successSchema)
  const ways = [...choices].map(({ ast }) => ({
    ...HttpApiSchema.getEncoding(ast),
    status: HttpApiSchema.getStatusSuccessAST(ast),
    isEmpty: HttpApiSchema.isVoid(ast)
  }))
  const [way, ...others] = ways
  const { contentType, isEmpty, kind, status } = way ?? { contentType: undefined, isEmpty: false, kind: "", status: 0 }
  if (others.length === 0 && isEmpty) return () => Effect.succeed(HttpServerResponse.empty({ status }))
  const isOne = others.every((other) => other.kind === kind && other.status === status)
  if (!isOne || (kind !== "Json" && kind !== "Text"))
    return () => Effect.dieMessage(`The handler of ${name} has to give a response`)
  const encode = Schema.encodeUnknownEither(standalone(successSchema))
  return (value) =>
    Either.match(encode(value), {
      onLeft: Effect.die,
      onRight: (encoded) =>
        Effect.succeed(
          HttpServerResponse.text(kind === "Json" ? JSON.stringify(encoded) : String(encoded), { status, contentType })
        )
    })
}

type Entrances = Context.Tag.Service<typeof Entrance>
type Enter = (call: Call) => Effect.Effect<Caller | null, unknown>

/** How a caller gets in: with a token, and the handler knows whose it is; or without. Null for anything else. */
const enterBy = (
  asked: ReadonlySet<unknown>,
  { open, withToken }: Entrances,
  access: Required | null
): Enter | null => {
  if (asked.size !== 1) return null
  if (asked.has(Bearer)) return ({ request, state }) => withToken(request, state, access)
  return asked.has(Open) ? ({ request, state }) => Effect.as(open(request, state, access), null) : null
}

/** The rest of the request's fiber belongs to its handler, so nothing has to be put back: that would take 18 steps. */
const knowing = (caller: Caller): Effect.Effect<void> =>
  FiberRef.update(FiberRef.currentContext, Context.add(Principal, caller))

/** What it takes to serve a group. */
export type Served = Entrance | Routes

/**
 * Adds the routes of a group to `Routes`; `HttpApiBuilder.group` adds them to a router that nobody asks. `keep` is
 * `Context.pick` of the services that handlers ask for while they answer; a missing one does not compile. All that
 * stands around the layer, some seventy services, would be copied for each request. A `Context.Reference` that a
 * handler reads must be among them, or it would read the default: nothing checks that.
 */
export const served = <E, Provided, R, EX, RX>(
  build: Effect.Effect<HttpApiBuilder.Handlers<E, Provided, R>, EX, RX>,
  keep: (context: Context.Context<R>) => Context.Context<R>
): Effect.Effect<HttpApiBuilder.Handlers<E, Provided, R>, EX, R | RX | Served> =>
  Effect.tap(build, ({ group, handlers }) =>
    Effect.gen(function* () {
      const routes = yield* Routes
      const entrance = yield* Entrance
      const services = keep(yield* Effect.context<R>())
      for (const {
        endpoint: { name },
        handler,
        withFullRequest
      } of handlers) {
        const endpoint = member(group.endpoints, name)
        if (endpoint === undefined) return yield* Effect.dieMessage(`No endpoint is called ${name}`)
        const access = Context.get(Context.merge(group.annotations, endpoint.annotations), Access)
        const enter = enterBy(new Set([...group.middlewares, ...endpoint.middlewares]), entrance, access)
        if (enter === null)
          return yield* Effect.dieMessage(`${name} needs exactly one of the middlewares Bearer and Open`)
        if (Option.isSome(endpoint.payloadSchema) && !withFullRequest)
          return yield* Effect.dieMessage(`The handler of ${name} has to read its body itself`)
        const read = readerOf(endpoint)
        const write = writerOf(endpoint)
        yield* routes.add(
          route(endpoint, services, (call) =>
            Effect.flatMap(enter(call), (caller) => {
              const parts = read(call)
              if (Either.isLeft(parts)) return Effect.fail(parts.left)
              const handled = Effect.flatMap(handler({ ...parts.right, request: call.request }), (value) =>
                HttpServerResponse.isServerResponse(value) ? Effect.succeed(value) : write(value)
              )
              return caller === null ? handled : Effect.zipRight(knowing(caller), handled)
            })
          )
        )
      }
    })
  )
