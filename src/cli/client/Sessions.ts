/** `login`, `logout` and `whoami`: a person's own token for a gateway. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Data, Duration, Effect, Option, Redacted, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { hostname, userInfo } from "node:os"
import type { Scope } from "../../domain/Scope.js"
import { announced, dryRun } from "../Announced.js"
import { answer } from "../Answer.js"
import * as Inputs from "../Inputs.js"
import { Screen } from "../Screen.js"
import {
  anObject,
  addressFor,
  expectShape,
  gatewayAt,
  keptLogin,
  loggedIn,
  NotLoggedIn,
  send,
  sendAgain,
  urlOption,
  warnOfPlainHttp
} from "./GatewayClient.js"
import { spentInWords } from "./AccountCommands.js"
import { forgetLogin, keepLogin } from "./KeptLogins.js"

class LoginNotApproved extends Data.TaggedError("LoginNotApproved")<{ readonly status: string }> {
  override get message() {
    return this.status === "denied" ? "The login was denied" : "Nobody approved the login in time; start it again"
  }
}

const Asked = expectShape(
  Schema.Struct({
    approvalId: Schema.String,
    userCode: Schema.String,
    approveUrl: Schema.String,
    expiresAt: Schema.String,
    pollIntervalSeconds: Schema.Int
  })
)
const Decided = expectShape(Schema.Struct({ status: Schema.Literal("pending", "approved", "denied", "expired") }))
const WhoamiShape = Schema.Struct({
  tokenId: Schema.String,
  label: Schema.String,
  workspaceId: Schema.String,
  workspaceName: Schema.String,
  scopes: Schema.Array(Schema.String),
  expiresAt: Schema.NullOr(Schema.String),
  monthlySpendLimitMicros: Schema.NullOr(Schema.Int),
  monthSpendMicros: Schema.Int
})
const Whoami = expectShape(WhoamiShape)

/** A token that a client makes for itself: 256 random bits. */
const newToken = Effect.sync(() => Redacted.make(`pgw_${randomBytes(32).toString("base64url")}`))

const personHere = Effect.sync(() => `${userInfo().username} on ${hostname()}`).pipe(
  Effect.catchAllDefect(() => Effect.succeed("command line"))
)

const defaultScopes: ReadonlyArray<Scope> = ["catalog:read", "runs:read", "runs:execute", "usage:read"]

export const login = Command.make(
  "login",
  {
    url: urlOption,
    label: Options.text("label").pipe(
      Options.withDescription(
        "What the one who approves sees, and what the token is called; your name and machine when it is left out"
      ),
      Options.optional
    ),
    scopes: Inputs.loginScopes,
    json: Inputs.json
  },
  ({ json, label, scopes, url: asked }) =>
    answer(
      json,
      Effect.gen(function* () {
        const { note, progress } = yield* Screen
        const url = yield* addressFor(asked)
        if (url === null) return yield* new NotLoggedIn({ url })
        yield* warnOfPlainHttp(url)
        const token = yield* newToken
        const created = yield* Asked(
          url,
          yield* send(url, null, {
            method: "POST",
            path: "/v1/login-approvals",
            body: {
              digest: createHash("sha256").update(Redacted.value(token)).digest("hex"),
              label: Option.isSome(label) ? label.value : yield* personHere,
              scopes: scopes.length === 0 ? [...defaultScopes] : [...scopes]
            }
          })
        )
        yield* note(`Open ${created.approveUrl}`)
        yield* note(`and approve the login with the code ${created.userCode}, before ${created.expiresAt}`)
        yield* progress("Waiting for the approval …")
        const asking = Effect.flatMap(
          sendAgain(send(url, null, { method: "GET", path: `/v1/login-approvals/${created.approvalId}` })),
          (json) => Decided(url, json)
        )
        const { status } = yield* asking.pipe(
          Effect.delay(Duration.seconds(created.pollIntervalSeconds)),
          Effect.repeat({ until: ({ status }) => status !== "pending" }),
          Effect.ensuring(progress(""))
        )
        if (status !== "approved") return yield* new LoginNotApproved({ status })
        yield* keepLogin(url, token)
        const who = yield* Whoami(url, yield* gatewayAt(url, token).get("/v1/whoami"))
        return {
          json: { url, ...who },
          text: `You are logged in to ${url}, workspace ${who.workspaceName}, as ${who.label}`
        }
      })
    )
).pipe(
  Command.withDescription("Log in to a gateway: a person approves it in a browser; the token stays on this machine")
)

export const logout = Command.make("logout", { url: urlOption, dryRun, json: Inputs.json }, ({ url: asked, ...how }) =>
  announced(
    how,
    Effect.map(keptLogin(asked), ({ send, url }) => ({
      will: [`Revokes the token of your login to ${url}, and forgets it on this machine`],
      work: Effect.gen(function* () {
        yield* sendAgain(send({ method: "POST", path: "/v1/logout" })).pipe(
          // It works no more already.
          Effect.catchIf(
            (error) => error._tag === "GatewayRefused" && error.status === 401,
            () => Effect.void
          )
        )
        yield* forgetLogin(url)
        return { json: { url, revoked: true }, text: `You are logged out of ${url}; the token is revoked` }
      })
    }))
  )
).pipe(Command.withDescription("Revoke the token of the login and forget it"))

export const whoami = Command.make("whoami", { url: urlOption, json: Inputs.json }, ({ json, url: asked }) =>
  answer(
    json,
    Effect.gen(function* () {
      const { get, url } = yield* loggedIn(asked)
      const found = yield* get("/v1/whoami")
      const who = yield* Whoami(url, found)
      return {
        json: { url, ...(yield* anObject(url, found)) },
        text: [
          `${who.label} (${who.tokenId}) at ${url}`,
          `workspace ${who.workspaceName} (${who.workspaceId})`,
          `may ${who.scopes.join(", ")}${who.expiresAt === null ? "" : `, until ${who.expiresAt}`}`,
          spentInWords(who)
        ].join("\n")
      }
    })
  )
).pipe(Command.withDescription("Who you are at the gateway of the login, and what you may do"))
