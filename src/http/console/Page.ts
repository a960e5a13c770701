/**
 * How a page of the console is declared: its path, who may see it, and a handler that answers a screen, a redirect or a
 * file. A form is declared with its schema and with the screen that shows it again: what does not fit the schema and
 * what the gateway refuses comes back beside the fields, with everything that was typed. The frame, the checks of
 * session, role and CSRF token, and the pages of errors are the same for all (`Serving.ts`).
 *
 * Pages are routes beside the `HttpApi`, not groups of it: they answer HTML and redirects only, their forms keep what
 * was typed when it does not fit, and they are in no document, so an endpoint's types would say nothing about them.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Either, ParseResult, Schema, SchemaAST } from "effect"
import { type FieldProblem, ValidationError } from "../../domain/ApiErrors.js"
import type { Actor, Origin } from "../../domain/AuditEntry.js"
import type { OperatorActing } from "../../domain/Resolution.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import type { Principal } from "../../services/Accounts.js"
import { type HttpError, wireErrors } from "../Envelope.js"
import { fromIssues } from "../FieldProblems.js"
import type { RequestState } from "../RequestState.js"
import { fieldProblems, type UrlEncoded } from "../UrlEncoded.js"
import { type Filled, type Typed, unfilled } from "./Forms.js"
import { html, type Html, type Link } from "./Html.js"
import { sameFormHint, wordsOf } from "./Words.js"
import type { Session, SetCookie, Visitor } from "./Visitors.js"

/** A whole page, to be put into the frame. */
export interface Screen {
  readonly _tag: "Screen"
  readonly title: string
  readonly content: Html
  /** Beside the title: what can be done here. */
  readonly actions: Html | null
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly cookies: ReadonlyArray<SetCookie>
}
/** To another page, after a form was taken: loading that page again sends nothing twice. */
export interface Redirect {
  readonly _tag: "Redirect"
  readonly to: Link
  /** What was done, by its name: the page that is led to says it, to this visitor alone. */
  readonly notice: string | null
  readonly cookies: ReadonlyArray<SetCookie>
}
/** Something to keep, such as a table as CSV. */
export interface File {
  readonly _tag: "File"
  readonly name: string
  readonly contentType: string
  readonly text: string
}
/** The bytes of a stored file. */
export interface Download {
  readonly _tag: "Download"
  readonly response: HttpServerResponse.HttpServerResponse
}
export type Answer = Screen | Redirect | File | Download

export const screen = (
  options: Pick<Screen, "title" | "content"> & Partial<Pick<Screen, "actions" | "cookies" | "headers" | "status">>
): Screen => ({ _tag: "Screen", actions: null, status: 200, headers: {}, cookies: [], ...options })

export const redirect = (
  to: Link,
  { cookies = [], notice = null }: Partial<Pick<Redirect, "cookies" | "notice">> = {}
): Redirect => ({ _tag: "Redirect", to, notice, cookies })

/** A request for a page. */
export interface Visit {
  /** The values of the path's parameters, decoded. */
  readonly path: ReadonlyMap<string, string>
  /** The parameters of the address. */
  readonly query: ReadonlyMap<string, string>
  /** What this visitor did a moment ago, as the redirect to this page named it. An address alone cannot claim it. */
  readonly notice: string | null
  /** What cannot be read of the parameters. Always empty, except on a page with filters, which shows it beside them. */
  readonly queryProblems: ReadonlyMap<string, string>
  readonly request: Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">
  readonly requestId: string
  readonly state: RequestState
  /** Where the request came from, for the audit trail. */
  readonly origin: Origin
  readonly visitor: Visitor
  readonly session: Session | null
}
export interface SignedInVisit extends Visit {
  readonly session: Session
  /** The person, as one who changes something. */
  readonly by: Actor
}
export interface OperatorVisit extends SignedInVisit {
  readonly by: OperatorActing
}
export interface WorkspaceVisit extends SignedInVisit {
  readonly workspaceId: WorkspaceId
  /** As whom the session acts on this workspace. */
  readonly principal: Principal
}

/** What a handler asks of the framework: it fails where the visitor may not come in. */
export interface Entry {
  readonly visit: Visit
  readonly signedIn: Effect.Effect<SignedInVisit, PageError>
  readonly operator: Effect.Effect<OperatorVisit, PageError>
  readonly workspace: (role: "member" | "owner") => Effect.Effect<WorkspaceVisit, PageError>
  /** The form that was sent, once its CSRF token was found right. Only for a `POST`. */
  readonly sent: Effect.Effect<UrlEncoded, PageError>
  /** The same for a form that is not shown again: each of its fields comes once. */
  readonly typed: Effect.Effect<Typed, PageError>
}

export const typedFrom = (sent: UrlEncoded): Effect.Effect<Typed, ValidationError> => {
  const [first, ...more] = fieldProblems(sent)
  return first === undefined
    ? Effect.succeed(sent.fields)
    : Effect.fail(new ValidationError({ details: [first, ...more] }))
}

/** To the sign-in page and back. */
export class SignInFirst {
  readonly _tag = "SignInFirst"
}
/** Not for this visitor, in the words of a page. */
export class Refusal {
  readonly _tag = "Refusal"
  constructor(
    readonly status: number,
    readonly title: string,
    readonly message: string,
    readonly hint: string,
    /** Where to go on from here. */
    readonly onward: { readonly label: string; readonly link: Link } | null = null
  ) {}
}
export type PageError = HttpError | SignInFirst | Refusal

/** The place of a page in the navigation. */
export interface NavigationEntry {
  readonly label: string
  /** Entries stand in this order. */
  readonly order: number
}

export type Sees = "anyone" | "signed_in" | "member" | "owner" | "operator"

export interface Page<R> {
  readonly method: "GET" | "POST"
  readonly path: `/${string}`
  readonly sees: Sees
  readonly navigation: NavigationEntry | null
  /** It shows again what its address asks for; any other page refuses an address that it cannot read. */
  readonly filters?: boolean
  /** Reading it does something, so that a HEAD, which must do nothing, is refused. */
  readonly acts?: boolean
  readonly handle: (entry: Entry) => Effect.Effect<Answer, PageError, R>
}

type Handled<R> = Effect.Effect<Answer, PageError, R>

/** Below `/console`; nothing behind it is `/console` itself. */
const below = (path: string): `/${string}` => (path === "" ? "/console" : `/console/${path}`)
const belowOperator = (path: string) => below(path === "" ? "operator" : `operator/${path}`)

/** A page that needs no session. */
export const openPage = <R>(options: {
  readonly path: string
  readonly acts?: boolean
  readonly show: (visit: Visit) => Handled<R>
}): Page<R> => ({
  method: "GET",
  path: below(options.path),
  sees: "anyone",
  navigation: null,
  acts: options.acts ?? false,
  handle: ({ visit }) => options.show(visit)
})

/** A form that needs no session. The framework has checked that it comes from a page of this gateway. */
export const openForm = <R>(options: {
  readonly path: string
  readonly act: (visit: Visit, typed: Typed) => Handled<R>
}): Page<R> => ({
  method: "POST",
  path: below(options.path),
  sees: "anyone",
  navigation: null,
  handle: ({ typed, visit }) => Effect.flatMap(typed, (fields) => options.act(visit, fields))
})

/** A page or a form for everybody who is signed in. */
export const signedInPage = <R>(options: {
  readonly path: string
  readonly show: (visit: SignedInVisit) => Handled<R>
}): Page<R> => ({
  method: "GET",
  path: below(options.path),
  sees: "signed_in",
  navigation: null,
  handle: ({ signedIn }) => Effect.flatMap(signedIn, options.show)
})
export const signedInForm = <R>(options: {
  readonly path: string
  readonly act: (visit: SignedInVisit, typed: Typed) => Handled<R>
}): Page<R> => ({
  method: "POST",
  path: below(options.path),
  sees: "signed_in",
  navigation: null,
  handle: ({ signedIn, typed }) =>
    Effect.flatMap(signedIn, (visit) => Effect.flatMap(typed, (fields) => options.act(visit, fields)))
})

/** A page of a workspace, under `/console/:workspaceId/`. */
export const workspacePage = <R>(options: {
  readonly path: string
  readonly sees?: "member" | "owner"
  readonly navigation?: NavigationEntry
  readonly filters?: boolean
  readonly show: (visit: WorkspaceVisit) => Handled<R>
}): Page<R> => ({
  method: "GET",
  path: `/console/:workspaceId/${options.path}`,
  sees: options.sees ?? "member",
  navigation: options.navigation ?? null,
  filters: options.filters ?? false,
  handle: ({ workspace }) => Effect.flatMap(workspace(options.sees ?? "member"), options.show)
})

/** A page of the operator, under `/console/operator/`. */
export const operatorPage = <R>(options: {
  readonly path: string
  readonly navigation?: NavigationEntry
  readonly filters?: boolean
  readonly show: (visit: OperatorVisit) => Handled<R>
}): Page<R> => ({
  method: "GET",
  path: belowOperator(options.path),
  sees: "operator",
  navigation: options.navigation ?? null,
  filters: options.filters ?? false,
  handle: ({ operator }) => Effect.flatMap(operator, options.show)
})

interface FormOptions<V, A, I, R, R2> {
  readonly path: string
  /** Of the fields, each a text or, where it may come several times, a list of texts. */
  readonly fields: Schema.Schema<A, I>
  readonly act: (visit: V, values: A, typed: Typed) => Handled<R>
  /** The screen with the form on it. */
  readonly again: (visit: V, form: Filled) => Handled<R2>
}

const handled = <V, A, I, R, R2>(options: FormOptions<V, A, I, R, R2>) => {
  const decode = Schema.decodeUnknownEither(options.fields, { errors: "all" })
  const repeatable = listFields(options.fields)
  return (visit: V, sent: UrlEncoded): Handled<R | R2> => {
    const typed = sent.fields
    const screenAgain = (form: Filled, status: number, headers: Screen["headers"]) =>
      Effect.map(options.again(visit, form), (shown): Answer =>
        shown._tag === "Screen" ? { ...shown, status, headers: { ...shown.headers, ...headers } } : shown
      )
    const refused = (error: HttpError) => {
      const row = wireErrors.get(error._tag)
      const shown = screenAgain(refusedForm(typed, error), row?.status ?? 500, row?.headers(error) ?? {})
      return orFirst(shown, error)
    }
    const unreadable = fieldProblems(sent, repeatable)
    if (unreadable.length > 0)
      return Effect.map(screenAgain({ ...unfilled, typed, problems: byField(unreadable) }, 400, {}), (shown): Answer =>
        shown._tag === "Screen" ? { ...shown, content: html`${unreadableForm(unreadable)}${shown.content}` } : shown
      )
    return Either.match(decode(plain(typed)), {
      onLeft: (error) => refused(fromIssues(ParseResult.ArrayFormatter.formatErrorSync(error), "form")),
      onRight: (values) =>
        Effect.catchAll(options.act(visit, values, typed), (error) =>
          error._tag === "SignInFirst" || error._tag === "Refusal" ? Effect.fail(error) : refused(error)
        )
    })
  }
}

/**
 * The form again, or where it cannot be read either, what became of the change: "nothing was done" of the reading would
 * be wrong about a change whose end is not known.
 */
export const orFirst = <A, E extends PageError, R>(
  again: Effect.Effect<A, E, R>,
  first: HttpError
): Effect.Effect<A, E | HttpError, R> =>
  Effect.catchAll(again, (error) =>
    Effect.fail(error._tag === "SignInFirst" || error._tag === "Refusal" ? error : first)
  )

const byField = (problems: ReadonlyArray<FieldProblem>): ReadonlyMap<string, string> =>
  new Map(problems.map(({ field, message }) => [field, message]))

/** Above the form, because it may not show the field. */
const unreadableForm = (problems: ReadonlyArray<FieldProblem>): Html =>
  html`<div class="told" role="alert">
    <p>The form cannot be read, so nothing was done:</p>
    <ul>
      ${problems.map(({ field, message }) => html`<li><code>${field}</code> ${message}</li>`)}
    </ul>
  </div>`

/** The fields that may come several times: those of which the schema takes a list. */
const listFields = <A, I>(fields: Schema.Schema<A, I>): ReadonlySet<string> => {
  const isList = (ast: SchemaAST.AST): boolean =>
    SchemaAST.isTupleType(ast) || (SchemaAST.isUnion(ast) && ast.types.some(isList))
  return new Set(
    SchemaAST.getPropertySignatures(SchemaAST.encodedAST(fields.ast)).flatMap(({ name, type }) =>
      isList(type) ? [String(name)] : []
    )
  )
}

/** A field that came once is a text. */
const plain = (typed: Typed): { readonly [name: string]: string | ReadonlyArray<string> } =>
  Object.fromEntries(
    [...typed].map(([name, values]) => {
      const [only, ...more] = values
      return [name, only !== undefined && more.length === 0 ? only : values]
    })
  )

/** The form with the problems of an error: beside the fields that it names, or above all of them. */
const refusedForm = (typed: Typed, error: HttpError): Filled => {
  if (error instanceof ValidationError) {
    return { typed, problems: byField(error.details), told: null }
  }
  const { hint, message } = wordsOf(error)
  const sendAgain = error._tag === "storage_uncertain" && typed.has("key")
  return { ...unfilled, typed, told: { code: error._tag, message, hint: sendAgain ? sameFormHint : hint } }
}

/** A form of a workspace. */
export const workspaceForm = <A, I, R, R2>(
  options: FormOptions<WorkspaceVisit, A, I, R, R2> & { readonly sees?: "member" | "owner" }
): Page<R | R2> => {
  const handle = handled(options)
  const sees = options.sees ?? "member"
  return {
    method: "POST",
    path: `/console/:workspaceId/${options.path}`,
    sees,
    navigation: null,
    handle: ({ sent, workspace }) =>
      Effect.flatMap(workspace(sees), (visit) => Effect.flatMap(sent, (fields) => handle(visit, fields)))
  }
}

/** A form of the operator. */
export const operatorForm = <A, I, R, R2>(options: FormOptions<OperatorVisit, A, I, R, R2>): Page<R | R2> => {
  const handle = handled(options)
  return {
    method: "POST",
    path: belowOperator(options.path),
    sees: "operator",
    navigation: null,
    handle: ({ operator, sent }) =>
      Effect.flatMap(operator, (visit) => Effect.flatMap(sent, (fields) => handle(visit, fields)))
  }
}
