/**
 * Translates between command-line logins and their service. On the page, a person decides with a token in the form: it
 * is checked like any other, and needs `account:manage`. Whatever fails there is told as a page, with the status of the
 * table of errors.
 */
import { HttpApiBuilder, HttpServerResponse, type HttpApiGroup } from "@effect/platform"
import { Effect, Option, Schema, type Layer } from "effect"
import { cutText } from "../../domain/Characters.js"
import { Forbidden, NotFound } from "../../domain/ApiErrors.js"
import { ApprovalId } from "../../domain/Ids.js"
import { Accounts } from "../../services/Accounts.js"
import { LoginApprovals } from "../../services/LoginApprovals.js"
import { makeActing } from "../Acting.js"
import { Api } from "../Api.js"
import type { Open } from "../Auth.js"
import { formBody, jsonBody } from "../Body.js"
import { publicBudget } from "../BodyBudget.js"
import { wireErrors } from "../Envelope.js"
import { answering } from "../RequestState.js"
import { HttpSettings } from "../Settings.js"
import { approvePage, approvePageHeaders, noLoginPage, troublePage } from "./ApprovePage.js"
import { DecisionForm, loginBody, loginCreated, LoginInput } from "./Bodies.js"

const readLogin = jsonBody(LoginInput, publicBudget)
const readDecision = formBody(DecisionForm)
const toApprovalId = Schema.decodeOption(ApprovalId)
/** A text that cannot be an id names nothing, so it is not looked up. This holds for user codes too. */
const approvalIdOf = (raw: string) =>
  Option.match(toApprovalId(raw), {
    onNone: () => Effect.fail(new NotFound({ what: "login approval", id: cutText(raw, 100) })),
    onSome: Effect.succeed
  })

const page = (html: string, status: number, headers: { readonly [name: string]: string } = {}) =>
  HttpServerResponse.text(html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...approvePageHeaders, ...headers }
  })
const noLogin = page(noLoginPage, 404)

type Services = Accounts | HttpSettings | LoginApprovals | Open

export const LoginsHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "logins">,
  never,
  Services
> = HttpApiBuilder.group(Api, "logins", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const logins = yield* LoginApprovals
    const acting = yield* makeActing
    const { publicUrl } = yield* HttpSettings

    const get = (raw: string) => Effect.flatMap(approvalIdOf(raw), logins.get)

    return handlers
      .handleRaw(
        "create",
        answering(
          Effect.fnUntraced(function* ({ request }) {
            const { digest, expiresAt = null, label, scopes } = yield* readLogin(request)
            return loginCreated(
              yield* logins.create({ digest, label, scopes: [...new Set(scopes)], tokenExpiresAt: expiresAt }),
              publicUrl
            )
          })
        )
      )
      .handle(
        "get",
        answering(({ path }) => Effect.map(get(path.approvalId), loginBody))
      )
      .handle(
        "page",
        answering(({ path }) =>
          get(path.approvalId).pipe(
            Effect.map((login) => page(approvePage(login, null), 200)),
            Effect.catchTag("not_found", () => Effect.succeed(noLogin))
          )
        )
      )
      .handleRaw(
        "decide",
        answering(({ path, request }) =>
          Effect.gen(function* () {
            const approvalId = yield* approvalIdOf(path.approvalId)
            const { decision, token } = yield* readDecision(request)
            const principal = yield* accounts.authenticate(token)
            if (!principal.scopes.includes("account:manage")) return yield* new Forbidden({ scope: "account:manage" })
            const by = yield* acting(principal)
            yield* Effect.uninterruptible(
              decision === "approve"
                ? logins.approve(approvalId, principal, by)
                : logins.deny(approvalId, principal, by)
            )
            // Back to the page itself, which now shows the decision: loading it again sends nothing twice.
            return HttpServerResponse.empty({
              status: 303,
              headers: { location: approvalId, "cache-control": "no-store" }
            })
          }).pipe(
            Effect.catchAll((error) =>
              Effect.gen(function* () {
                if (error._tag === "not_found") return noLogin
                const { headers, status } = wireErrors.get(error._tag) ?? { headers: () => ({}), status: 500 }
                const login = yield* Effect.option(get(path.approvalId))
                // A person has pasted something into a form, and sent no header.
                const problem =
                  error._tag === "unauthorized" ? "That is not a valid token of this gateway." : error.message
                return page(
                  Option.match(login, {
                    onNone: () => troublePage(problem),
                    onSome: (found) => approvePage(found, problem)
                  }),
                  status,
                  headers(error)
                )
              })
            )
          )
        )
      )
  })
)
