/** The tokens of a workspace in Postgres: the rows of `accounts/tokens/TokenRows`. */
import { Effect, Layer, Schema } from "effect"
import { TokenId } from "../../domain/Ids.js"
import { Micros } from "../../domain/Micros.js"
import { Scope } from "../../domain/Scope.js"
import type { Ids } from "../../services/Ids.js"
import { Tokens } from "../../services/Tokens.js"
import type { TokenRows } from "../accounts/tokens/TokenRows.js"
import { tokensOver } from "../accounts/tokens/TokensOver.js"
import { AccountsPg } from "./AccountsPg.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { memberStaysPg } from "./MembersPg.js"

const OwnToken = Schema.Struct({
  tokenId: TokenId,
  label: Schema.String,
  scopes: Schema.Array(Scope),
  createdAt: Schema.Int,
  lastUsedAt: Schema.NullOr(Schema.Int),
  expiresAt: Schema.NullOr(Schema.Int),
  revokedAt: Schema.NullOr(Schema.Int),
  aboveRevokedAt: Schema.NullOr(Schema.Int),
  monthlyLimitMicros: Schema.NullOr(Micros),
  ancestors: Schema.Array(TokenId),
  operator: Schema.Boolean,
  spendMonth: Schema.String,
  spentMicros: Micros,
  now: Schema.Int
})
const tokenRow = rowOf(OwnToken)
const tokenRows = rowsOf(OwnToken)
const aboveRow = rowOf(Schema.Struct({ expiresAt: Schema.NullOr(Schema.Int), limitMicros: Schema.NullOr(Micros) }))

const columns = `t.token_id as "tokenId", t.label, t.scopes, t.created_at as "createdAt", u.last_used_at as "lastUsedAt", t.expires_at as "expiresAt",
  t.revoked_at as "revokedAt", (select min(a.revoked_at) from tokens a
    where a.workspace_id = t.workspace_id and a.token_id = any(t.ancestors)) as "aboveRevokedAt", t.monthly_limit_micros as "monthlyLimitMicros", t.ancestors, t.operator, t.spend_month as "spendMonth",
  t.spend_micros as "spentMicros"`

const make: Effect.Effect<TokenRows, never, Database> = Effect.gen(function* () {
  const database = yield* Database
  const { query, send, sql } = database
  const databaseNow = yield* DatabaseNow
  const wanted = Effect.map(databaseNow, (now) => sql.literal(`${columns}, ${now} as now`))
  const of = (workspaceId: string, tokenId: string, lock: "" | "for update of t") =>
    Effect.flatMap(wanted, (shown) =>
      tokenRow(
        query(sql`
          select ${shown} from tokens t left join token_last_uses u using (workspace_id, token_id)
          where t.workspace_id = ${workspaceId} and t.token_id = ${tokenId} and t.member_id is null ${sql.literal(lock)}`)
      )
    )
  return {
    newest: (workspaceId, { after, limit }) =>
      Effect.flatMap(wanted, (shown) =>
        tokenRows(
          query(sql`
            select ${shown} from tokens t left join token_last_uses u using (workspace_id, token_id)
            where t.workspace_id = ${workspaceId} and t.member_id is null ${after === null ? sql.literal("") : sql`and t.token_id < ${after}`}
            order by t.token_id desc limit ${limit + 1}`)
        )
      ),
    get: (workspaceId, tokenId) => of(workspaceId, tokenId, ""),
    lock: (workspaceId, tokenId) =>
      Effect.zipRight(
        query(sql`select from wallets where workspace_id = ${workspaceId} for update`),
        of(workspaceId, tokenId, "for update of t")
      ),
    above: (workspaceId, tokenIds) =>
      Effect.map(
        aboveRow(
          query(sql`
            select min(expires_at) as "expiresAt", min(monthly_limit_micros) as "limitMicros" from tokens
            where workspace_id = ${workspaceId} and token_id = any(${tokenIds}::text[])`)
        ),
        (row) => row ?? { expiresAt: null, limitMicros: null }
      ),
    memberStays: memberStaysPg(database),
    insert: (token) =>
      send(sql`
        insert into tokens (token_id, workspace_id, label, scopes, digest, monthly_limit_micros, created_at, expires_at, ancestors, made_by)
        values (${token.tokenId}, ${token.workspaceId}, ${token.label}, ${token.scopes}::text[], ${token.digest}::bytea, ${token.monthlyLimitMicros}::bigint,
          ${token.createdAt}::bigint, ${token.expiresAt}::bigint, ${token.ancestors}::text[], ${token.madeBy})`),
    update: (workspaceId, tokenId, { expiresAt, label, monthlyLimitMicros }) =>
      Effect.zipRight(
        send(sql`
          update tokens set label = ${label}, monthly_limit_micros = ${monthlyLimitMicros}::bigint, expires_at = ${expiresAt}::bigint
          where workspace_id = ${workspaceId} and token_id = ${tokenId}`),
        // Least of a time and of none is the time.
        send(sql`
          update tokens set expires_at = least(expires_at, ${expiresAt}::bigint)
          where workspace_id = ${workspaceId} and ${tokenId} = any(ancestors)`)
      ),
    rotate: (workspaceId, tokenId, digest, overlapSeconds) =>
      Effect.flatMap(databaseNow, (now) =>
        Effect.gen(function* () {
          const until = sql`${sql.literal(now)} + ${overlapSeconds * 1000}::bigint`
          const ofToken = sql`workspace_id = ${workspaceId} and token_id = ${tokenId}`
          yield* send(sql`delete from superseded_secrets where ${ofToken} and works_until <= ${sql.literal(now)}`)
          yield* send(sql`
            update superseded_secrets set works_until = least(works_until, ${until}) where ${ofToken}`)
          yield* send(sql`
            insert into superseded_secrets (workspace_id, digest, token_id, works_until)
            select workspace_id, digest, token_id, ${until} from tokens where ${ofToken}`)
          yield* send(sql`update tokens set digest = ${digest}::bytea where ${ofToken}`)
        })
      )
  }
})

export const TokensPg: Layer.Layer<Tokens, never, Database | Ids> = Layer.effect(
  Tokens,
  Effect.flatMap(make, tokensOver)
).pipe(Layer.provide([AccountsPg, AuditTrailPg]))
