/** `token list`, `create`, `revoke` and `rotate` over HTTP, and `audit`: the workspace of the login. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import { counted } from "../../domain/Counted.js"
import { NotFound } from "../../domain/ApiErrors.js"
import type { TokenId } from "../../domain/Ids.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { pageRowsMax } from "../../domain/limits/Lists.js"
import { dollars } from "../../domain/Micros.js"
import { type Answer, answer } from "../Answer.js"
import * as Inputs from "../Inputs.js"
import { orTell, tokenUnconfirmed } from "../Unconfirmed.js"
import { anObject, expectShape, type LoggedIn, loggedIn, sendAgain, urlOption } from "./GatewayClient.js"

const token = {
  tokenId: Schema.String,
  label: Schema.String,
  scopes: Schema.Array(Schema.String),
  createdAt: Schema.String,
  lastUsedAt: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Schema.String),
  revokedAt: Schema.NullOr(Schema.String),
  monthlySpendLimitMicros: Schema.NullOr(Schema.Int),
  monthSpendMicros: Schema.Int
}
const TokenPageShape = Schema.Struct({
  tokens: Schema.Array(Schema.Struct(token)),
  nextCursor: Schema.NullOr(Schema.String)
})
type TokenPageShape = typeof TokenPageShape.Type
const TokenPage = expectShape(TokenPageShape)
const WithSecret = expectShape(Schema.Struct({ ...token, token: Schema.String }))
const page = { limit: Inputs.pageLimit, cursor: Inputs.cursor, url: urlOption, json: Inputs.json }

export const more = (nextCursor: string | null): ReadonlyArray<string> =>
  nextCursor === null ? [] : [`more: --cursor ${nextCursor}`]

/** What a token has spent in the month, and may. */
export const spentInWords = (token: {
  readonly monthlySpendLimitMicros: number | null
  readonly monthSpendMicros: number
}): string => {
  const { monthSpendMicros, monthlySpendLimitMicros } = token
  const limit = monthlySpendLimitMicros === null ? "" : ` of ${dollars(monthlySpendLimitMicros)}`
  return `${dollars(monthSpendMicros)}${limit} spent this month`
}

export const tokenLine = (token: TokenPageShape["tokens"][number]): string =>
  [
    token.tokenId,
    token.label,
    token.scopes.join(","),
    spentInWords(token),
    token.lastUsedAt === null ? "no use written yet" : `used ${token.lastUsedAt}`,
    ...(token.revokedAt === null ? [] : [`revoked ${token.revokedAt}`]),
    ...(token.expiresAt === null ? [] : [`until ${token.expiresAt}`])
  ].join("  ")

/** A page of the tokens of the login's workspace. */
export const listOver = Effect.fn("listOver")(function* (
  gateway: LoggedIn,
  query: { readonly limit: number; readonly cursor: string | null }
) {
  const found = yield* gateway.get("/v1/tokens", query)
  const { nextCursor, tokens } = yield* TokenPage(gateway.url, found)
  return {
    json: yield* anObject(gateway.url, found),
    text: [...tokens.map(tokenLine), ...more(nextCursor)].join("\n")
  }
})

/** What makes or renews a secret is sent once: a repeated request would make another. */
const withSecret = (gateway: LoggedIn, path: string, body: JsonObject, unconfirmed: string) =>
  Effect.gen(function* () {
    const made = yield* gateway.send({ method: "POST", path, body })
    const found = yield* WithSecret(gateway.url, made)
    const shown: Answer = {
      json: yield* anObject(gateway.url, made),
      text: `${found.tokenId}\n${found.token}\nThe token is shown this once.`
    }
    return shown
  }).pipe(orTell(unconfirmed))

export const createOver = (gateway: LoggedIn, body: JsonObject) =>
  withSecret(gateway, "/v1/tokens", body, tokenUnconfirmed)

/** One token of the workspace of the login, of however many. */
const tokenAt = (gateway: LoggedIn, tokenId: TokenId) =>
  Effect.gen(function* () {
    let cursor: string | null = null
    do {
      const found: Json = yield* gateway.get("/v1/tokens", { limit: pageRowsMax, cursor })
      const { nextCursor, tokens }: TokenPageShape = yield* TokenPage(gateway.url, found)
      const token = tokens.find((each) => each.tokenId === tokenId)
      if (token !== undefined) return token
      cursor = nextCursor
    } while (cursor !== null)
    return yield* new NotFound({ what: "token", id: tokenId })
  })

export const revokeOver = (gateway: LoggedIn, tokenId: TokenId) =>
  Effect.map(tokenAt(gateway, tokenId), ({ label, revokedAt }) => ({
    will: [
      revokedAt === null
        ? `Revokes ${tokenId} (${label}) at ${gateway.url}, and the tokens that came from it: whatever uses it stops working at once`
        : `Leaves ${tokenId} (${label}) at ${gateway.url} revoked, as it is since ${revokedAt}`
    ],
    work: Effect.as(sendAgain(gateway.send({ method: "DELETE", path: `/v1/tokens/${tokenId}` })), {
      json: { tokenId, revoked: true },
      text: `${tokenId} is revoked`
    })
  }))

/** What a rotation does to the secret until now. */
export const untilThen = (overlapSeconds: number): string =>
  `the one until now ${overlapSeconds === 0 ? "stops working at once" : `works ${counted(overlapSeconds, "second")} more`}`

/** Where nobody knows whether a token has a new secret. */
export const rotationUnconfirmed = (tokenId: TokenId): string =>
  `Whether ${tokenId} has a new secret is not known, and the new one is lost: gateway token rotate ${tokenId} gives it another`

export const rotateOver = (gateway: LoggedIn, tokenId: TokenId, overlapSeconds: number) =>
  Effect.map(tokenAt(gateway, tokenId), ({ label }) => ({
    will: [`Gives ${tokenId} (${label}) a new secret; ${untilThen(overlapSeconds)}`],
    work: withSecret(gateway, `/v1/tokens/${tokenId}/rotate`, { overlapSeconds }, rotationUnconfirmed(tokenId))
  }))

const AuditPage = expectShape(
  Schema.Struct({
    entries: Schema.Array(
      Schema.Struct({
        createdAt: Schema.String,
        action: Schema.String,
        actor: Schema.Struct({
          kind: Schema.String,
          tokenId: Schema.optional(Schema.String),
          memberId: Schema.optional(Schema.String),
          from: Schema.NullOr(Schema.String)
        }),
        subject: Schema.Struct({ kind: Schema.String, id: Schema.String })
      })
    ),
    nextCursor: Schema.NullOr(Schema.String)
  })
)

const only = (name: string, description: string) =>
  Options.optional(Options.text(name).pipe(Options.withDescription(description)))

export const audit = Command.make(
  "audit",
  {
    action: only("action", "Only this action, such as token.created"),
    actor: only("actor", "Only what this token or member did, by id"),
    subject: only("subject", "Only what was done to this, by id"),
    ...page
  },
  ({ action, actor, cursor, json, limit, subject, url }) =>
    answer(
      json,
      Effect.gen(function* () {
        const gateway = yield* loggedIn(url)
        const found = yield* gateway.get("/v1/audit", {
          action: Option.getOrNull(action),
          actor: Option.getOrNull(actor),
          subject: Option.getOrNull(subject),
          limit,
          cursor: Option.getOrNull(cursor)
        })
        const { entries, nextCursor } = yield* AuditPage(gateway.url, found)
        const lines = entries.map(({ action, actor, createdAt, subject }) =>
          [
            createdAt,
            action,
            `${subject.kind} ${subject.id}`,
            `by ${actor.memberId ?? actor.tokenId ?? actor.kind}`,
            ...(actor.from === null ? [] : [`from ${actor.from}`])
          ].join("  ")
        )
        return {
          json: yield* anObject(gateway.url, found),
          text: [...(lines.length === 0 ? ["Nothing was changed"] : lines), ...more(nextCursor)].join("\n")
        }
      })
    )
).pipe(Command.withDescription("Who changed what in the workspace of the login, newest first"))
