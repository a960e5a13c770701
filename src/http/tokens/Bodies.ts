/** What the routes of tokens take and give (extensions: section 2). A secret is only ever given, and once. */
import { Redacted, Schema } from "effect"
import { rotationOverlapSecondsMax } from "../../domain/limits/Access.js"
import { Micros, microsPerUsd } from "../../domain/Micros.js"
import { Scope, ScopesInput } from "../../domain/Scope.js"
import type { ShownToken, Token } from "../../services/Tokens.js"
import {
  asked,
  askedMaybe,
  exampleId,
  exampleTime,
  field,
  Instant,
  label,
  NextCursor,
  says,
  Time,
  time,
  timeOrNull,
  UsdInput
} from "../Fields.js"

const nullable = Schema.NullOr

const token = {
  tokenId: field(Schema.String, "Names the token; it stands in the secret too, after pgw_", exampleId("tok")),
  label: field(Schema.String, "What people call it", "build server"),
  scopes: field(Schema.Array(Scope), "What it may do", ["catalog:read", "runs:read", "runs:execute"]),
  createdAt: field(Time, "When it was made", exampleTime),
  lastUsedAt: field(
    nullable(Time),
    "When it was used last, as known up to a minute later; null when it never was",
    null
  ),
  expiresAt: field(nullable(Time), "When it ends; null for never", null),
  revokedAt: field(nullable(Time), "When it was revoked, or a token that it comes from; null for neither", null),
  monthlySpendLimitMicros: field(
    nullable(Schema.Int),
    "How much it may spend in a calendar month (UTC), in micros; null without a limit of its own",
    5_000_000
  ),
  monthSpendMicros: field(
    Schema.Int,
    "Charges and open holds of this calendar month (UTC), in micros, with those of the tokens that come from it",
    120_000
  )
}

export const TokenBody = Schema.Struct(token).annotations({
  identifier: "Token",
  description: "A token, without its secret"
})

export const TokenWithSecret = Schema.Struct({
  ...token,
  token: field(
    Schema.String,
    "The secret, for Authorization: Bearer. It is shown this once and stored nowhere",
    "pgw_01jz3w8m5q0000000000000000…"
  )
}).annotations({ identifier: "TokenWithSecret", description: "A token with its secret, which is shown this once" })

export const TokenPage = Schema.Struct({
  tokens: Schema.Array(TokenBody).annotations({ description: "Tokens, newest first" }),
  nextCursor: NextCursor
}).annotations({ identifier: "TokenPage", description: "A page of tokens" })

const labelMeaning = "What people call it"
const monthlyLimitUsd = (meaning: string) =>
  askedMaybe(
    nullable(UsdInput),
    `How many dollars it may spend in a calendar month (UTC); ${meaning}`,
    Micros.make(25 * microsPerUsd)
  )
const expiresAt = (whenNull: string) => askedMaybe(nullable(Instant), `When it ends; ${whenNull}`, Date.UTC(2027, 0, 1))

export const TokenInput = Schema.Struct({
  label: asked(label, labelMeaning, "build server"),
  scopes: asked(ScopesInput, "What it may do: no more than the calling token", ["catalog:read", "runs:execute"]),
  monthlyLimitUsd: monthlyLimitUsd("without it, what the calling token may; null is refused when that has a limit"),
  expiresAt: expiresAt(
    "without it, when the calling token ends; null is never, and is refused when the calling token ends"
  )
}).annotations({ identifier: "TokenRequest", description: "A token to be made" })

export const TokenChange = Schema.Struct({
  label: askedMaybe(label, labelMeaning, "release server"),
  monthlyLimitUsd: monthlyLimitUsd("null for no limit of its own, unless the calling token has one"),
  expiresAt: expiresAt("null for never")
}).annotations({ identifier: "TokenChange", description: "What is to change of a token; what is left out stays" })

export const RotationInput = Schema.Struct({
  overlapSeconds: askedMaybe(
    Schema.Int.pipe(
      Schema.between(0, rotationOverlapSecondsMax),
      Schema.annotations(says(`must be a whole number of seconds from 0 to ${rotationOverlapSecondsMax}`))
    ),
    "How long the secret until now goes on working; 0 without it",
    3_600
  )
}).annotations({ identifier: "TokenRotation", description: "How a token gets a new secret" })

export const tokenBody = (found: Token): typeof TokenBody.Type => ({
  tokenId: found.tokenId,
  label: found.label,
  scopes: found.scopes,
  createdAt: time(found.createdAt),
  lastUsedAt: timeOrNull(found.lastUsedAt),
  expiresAt: timeOrNull(found.expiresAt),
  revokedAt: timeOrNull(found.revokedAt),
  monthlySpendLimitMicros: found.monthlyLimitMicros,
  monthSpendMicros: found.monthSpendMicros
})

export const tokenWithSecret = (shown: ShownToken): typeof TokenWithSecret.Type => ({
  ...tokenBody(shown.token),
  token: Redacted.value(shown.secret)
})
