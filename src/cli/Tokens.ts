/**
 * `token`: who may call. At the gateway of a login, or in the database of this machine, where an operator also sees and
 * ends the tokens of others.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, type Layer, Option, Schema, Redacted } from "effect"
import { counted } from "../domain/Counted.js"
import { commandLine } from "../domain/AuditEntry.js"
import { Accounts } from "../services/Accounts.js"
import { type Token, Tokens } from "../services/Tokens.js"
import { badCursor, ValidationError } from "../domain/ApiErrors.js"
import { TokenId } from "../domain/Ids.js"
import { toUsd } from "../domain/Micros.js"
import { announced, dryRun } from "./Announced.js"
import { answer, isoTime } from "./Answer.js"
import { createOver, listOver, more, revokeOver, rotateToken, tokenLine } from "./client/AccountCommands.js"
import { type LoggedIn, loggedIn, loggedInOrTold, urlOption } from "./client/GatewayClient.js"
import * as Inputs from "./Inputs.js"
import { orTell, tokenUnconfirmed } from "./Unconfirmed.js"
import { workspaceOf } from "./Workspaces.js"

const otherWay = "name a workspace of this machine's database with --workspace"

const workspaceHere = Inputs.workspaceOr(", in the database of this machine; that of the login when it is left out")

const timeOrNull = (at: number | null) => (at === null ? null : isoTime(at))

/** Members and times as the API has them. */
const shown = ({ createdAt, expiresAt, lastUsedAt, monthlyLimitMicros, revokedAt, ...token }: Token) => ({
  ...token,
  createdAt: isoTime(createdAt),
  lastUsedAt: timeOrNull(lastUsedAt),
  expiresAt: timeOrNull(expiresAt),
  revokedAt: timeOrNull(revokedAt),
  monthlySpendLimitMicros: monthlyLimitMicros
})

const cursorOf = Schema.decodeUnknown(Schema.NullOr(TokenId))

/** A cursor is the id of the last token: nobody could read more with it than the command shows anyway. */
const listHere = Effect.fn("listHere")(function* (workspace: string, limit: number, cursor: string | null) {
  const after = yield* Effect.mapError(cursorOf(cursor), badCursor)
  const { name, workspaceId } = yield* (yield* Accounts).workspace(yield* workspaceOf(workspace))
  const { items, next } = yield* (yield* Tokens).list(workspaceId, { limit, after })
  const tokens = items.map(shown)
  return {
    json: { tokens, nextCursor: next },
    text: tokens.length === 0 ? `${name} has no token` : [...tokens.map(tokenLine), ...more(next)].join("\n")
  }
})

/** Without a workspace those of the login's; with one, of that in the database of this machine. */
const listTokens = <E, R>(operator: Layer.Layer<Accounts | Tokens, E, R>) =>
  Command.make(
    "list",
    {
      workspace: workspaceHere,
      limit: Inputs.pageLimit,
      cursor: Inputs.cursor,
      url: urlOption,
      json: Inputs.json
    },
    ({ cursor, json, limit, url, workspace }) =>
      answer(
        json,
        Effect.gen(function* () {
          const page = { limit, cursor: Option.getOrNull(cursor) }
          if (Option.isSome(workspace))
            return yield* Effect.provide(listHere(workspace.value, limit, page.cursor), operator)
          return yield* listOver(yield* loggedInOrTold(url, otherWay), page)
        })
      )
  ).pipe(Command.withDescription("The tokens of a workspace, newest first"))

/** Without a workspace it is the one of the login; with one, that of the database of this machine. */
const createToken = <E, R>(operator: Layer.Layer<Accounts, E, R>) =>
  Command.make(
    "create",
    {
      workspace: workspaceHere,
      label: Inputs.label,
      scopes: Inputs.scope,
      monthlyLimit: Inputs.monthlyLimit,
      expiresAt: Inputs.expiresAt,
      operator: Options.boolean("operator").pipe(
        Options.withDescription(
          "With --workspace: a token of the platform's operator. Its searches also show what cannot be run, and its workspace is the operator's own and takes no top-ups"
        )
      ),
      url: urlOption,
      json: Inputs.json
    },
    ({ expiresAt, json, label, monthlyLimit, operator: ofOperator, scopes, url, workspace }) =>
      answer(
        json,
        Effect.gen(function* () {
          if (Option.isNone(workspace)) {
            if (ofOperator) return yield* ValidationError.of("operator", "needs --workspace")
            const gateway = yield* loggedInOrTold(url, otherWay)
            return yield* createOver(gateway, {
              label,
              scopes: [...scopes],
              ...(Option.isNone(monthlyLimit) ? {} : { monthlyLimitUsd: toUsd(monthlyLimit.value) }),
              ...(Option.isNone(expiresAt) ? {} : { expiresAt: isoTime(expiresAt.value) })
            })
          }
          const issued = yield* Effect.gen(function* () {
            const workspaceId = yield* workspaceOf(workspace.value)
            const asked = {
              workspaceId,
              label,
              scopes,
              monthlyLimitMicros: Option.getOrNull(monthlyLimit),
              expiresAt: Option.getOrNull(expiresAt),
              operator: ofOperator
            }
            return yield* (yield* Accounts).createToken(asked, commandLine).pipe(orTell(tokenUnconfirmed))
          }).pipe(Effect.provide(operator))
          const token = Redacted.value(issued.token)
          return {
            json: { tokenId: issued.tokenId, token },
            text: `${issued.tokenId}\n${token}\nThe token is shown this once.`
          }
        })
      )
  ).pipe(Command.withDescription("Make a token; it is shown once"))

const revokeHere = (tokenId: TokenId) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { descendants, label, revokedAt, workspaceId } = yield* accounts.tokenById(tokenId)
    const children = descendants === 0 ? "" : `, and ${counted(descendants, "token")} that came from it`
    return {
      will: [
        revokedAt === null
          ? `Revokes ${tokenId} (${label}) of ${workspaceId}${children}: whatever uses it stops working at once`
          : `Leaves ${tokenId} (${label}) of ${workspaceId} revoked, as it is since ${isoTime(revokedAt)}`
      ],
      work: Effect.as(accounts.revokeToken(tokenId, commandLine), {
        json: { tokenId, revoked: true },
        text: `${tokenId} is revoked`
      })
    }
  })

/** At the gateway of the login where there is one; else, or with --database, in the database of this machine. */
const revokeToken = <E, R>(operator: Layer.Layer<Accounts, E, R>) =>
  Command.make(
    "revoke",
    {
      tokenId: Inputs.tokenArgument,
      database: Options.boolean("database").pipe(
        Options.withDescription("In the database of this machine, although there is a login")
      ),
      url: urlOption,
      dryRun,
      json: Inputs.json
    },
    ({ database, tokenId, url, ...asked }) =>
      Effect.gen(function* () {
        const gateway = database ? Option.none() : yield* loginIfAny(url)
        return yield* Option.match(gateway, {
          onSome: (it) => announced(asked, revokeOver(it, tokenId)),
          onNone: () => Effect.provide(announced(asked, revokeHere(tokenId)), operator)
        })
      })
  ).pipe(Command.withDescription("Revoke a token, from the next request on"))

/** None where no gateway was asked for and there is no login; asking for one needs a login there. */
const loginIfAny = (url: Option.Option<string>) =>
  Option.isSome(url)
    ? Effect.map(loggedIn(url), Option.some)
    : Effect.map(loggedIn(url), Option.some).pipe(
        Effect.catchTag("NotLoggedIn", () => Effect.succeed(Option.none<LoggedIn>()))
      )

export const token = <E, R>(operator: Layer.Layer<Accounts | Tokens, E, R>) =>
  Command.make("token").pipe(
    Command.withDescription("Access tokens"),
    Command.withSubcommands([listTokens(operator), createToken(operator), revokeToken(operator), rotateToken])
  )
