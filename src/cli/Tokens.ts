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
import {
  createOver,
  listOver,
  more,
  revokeOver,
  rotateOver,
  rotationUnconfirmed,
  tokenLine,
  untilThen
} from "./client/AccountCommands.js"
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

/** A secret that nobody can be shown again. */
const once = (tokenId: TokenId, secret: Redacted.Redacted, ...more: ReadonlyArray<string>) => {
  const token = Redacted.value(secret)
  return { json: { tokenId, token }, text: [tokenId, token, "The token is shown this once.", ...more].join("\n") }
}

/** A customer's workspace could pay no more. */
const operatorNow = (workspace: string): string =>
  `${workspace} is an operator's workspace from now on: it takes no top-ups. Revoke the token to undo that.`

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
          return once(issued.tokenId, issued.token, ...(ofOperator ? [operatorNow(workspace.value)] : []))
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

/** The operator keeps the secret for whoever has the token, so that nothing of it is more than they may have. */
const rotateHere = (tokenId: TokenId, overlapSeconds: number) =>
  Effect.gen(function* () {
    const tokens = yield* Tokens
    const { workspaceId } = yield* (yield* Accounts).tokenById(tokenId)
    const { label, scopes } = yield* tokens.get(workspaceId, tokenId)
    const keeper = { tokenId, workspaceId, scopes, ancestors: [], operator: true }
    return {
      will: [`Gives ${tokenId} (${label}) of ${workspaceId} a new secret; ${untilThen(overlapSeconds)}`],
      work: Effect.uninterruptible(tokens.rotate(keeper, tokenId, overlapSeconds, commandLine)).pipe(
        orTell(rotationUnconfirmed(tokenId)),
        Effect.map(({ secret }) => once(tokenId, secret))
      )
    }
  })

const databaseHere = Options.boolean("database").pipe(
  Options.withDescription("In the database of this machine, although there is a login")
)

/** The gateway of the login; null without one that was asked for, and with --database: the database of this machine. */
const gatewayOr = (database: boolean, url: Option.Option<string>) => {
  if (database) return Effect.succeed<LoggedIn | null>(null)
  const gateway = Effect.map(loggedIn(url), (it): LoggedIn | null => it)
  return Option.isSome(url) ? gateway : Effect.catchTag(gateway, "NotLoggedIn", () => Effect.succeed(null))
}

const revokeToken = <E, R>(operator: Layer.Layer<Accounts, E, R>) =>
  Command.make(
    "revoke",
    { tokenId: Inputs.tokenArgument, database: databaseHere, url: urlOption, dryRun, json: Inputs.json },
    ({ database, tokenId, url, ...asked }) =>
      Effect.gen(function* () {
        const gateway = yield* gatewayOr(database, url)
        if (gateway !== null) return yield* announced(asked, revokeOver(gateway, tokenId))
        return yield* Effect.provide(announced(asked, revokeHere(tokenId)), operator)
      })
  ).pipe(Command.withDescription("Revoke a token, from the next request on"))

const rotateToken = <E, R>(operator: Layer.Layer<Accounts | Tokens, E, R>) =>
  Command.make(
    "rotate",
    {
      tokenId: Inputs.tokenArgument,
      overlapSeconds: Inputs.overlapSeconds,
      database: databaseHere,
      url: urlOption,
      dryRun,
      json: Inputs.json
    },
    ({ database, overlapSeconds, tokenId, url, ...asked }) =>
      Effect.gen(function* () {
        const gateway = yield* gatewayOr(database, url)
        if (gateway !== null) return yield* announced(asked, rotateOver(gateway, tokenId, overlapSeconds))
        return yield* Effect.provide(announced(asked, rotateHere(tokenId, overlapSeconds)), operator)
      })
  ).pipe(Command.withDescription("Give a token a new secret; it is shown once"))

export const token = <E, R>(operator: Layer.Layer<Accounts | Tokens, E, R>) =>
  Command.make("token").pipe(
    Command.withDescription("Access tokens"),
    Command.withSubcommands([listTokens(operator), createToken(operator), revokeToken(operator), rotateToken(operator)])
  )
