/**
 * Workspaces and tokens in Postgres: the rows of `accounts/AccountRows`. Requests that arrive together are
 * authenticated by one query. Nothing is authenticated from a cache.
 */
import { Effect, Layer, Schema, type Scope as EffectScope } from "effect"
import { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { tokenReadsSharedMax } from "../../domain/limits/Requests.js"
import { Micros } from "../../domain/Micros.js"
import { Scope } from "../../domain/Scope.js"
import { isUnrestricted, unrestricted, WorkspacePolicy } from "../../domain/WorkspacePolicy.js"
import { Accounts } from "../../services/Accounts.js"
import type { Ids } from "../../services/Ids.js"
import type { AccountRows, TokenRow } from "../accounts/AccountRows.js"
import type { SessionRows } from "../accounts/members/SessionRows.js"
import { accountsOver } from "../accounts/AccountsOver.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { makeBatchedReads } from "./database/BatchedReads.js"
import { forgetUses } from "./SearchUsesPg.js"
import { makeTokenPlaces, placeOfToken } from "./TokenPlacesPg.js"

/** A policy that cannot be read lets nothing run: the request dies instead of going on without it. */
const policy = Schema.NullOr(WorkspacePolicy)
const encodePolicy = Schema.encodeSync(Schema.parseJson(WorkspacePolicy))
const withPolicy = <Row extends { readonly policy: WorkspacePolicy | null }>(row: Row) => ({
  ...row,
  policy: row.policy ?? unrestricted
})

const WorkspaceRow = Schema.Struct({
  workspaceId: WorkspaceId,
  name: Schema.String,
  inflightLimit: Schema.NullOr(Schema.Int),
  runsPerMinute: Schema.NullOr(Schema.Int),
  runCapMicros: Schema.NullOr(Micros),
  operator: Schema.Boolean,
  policy,
  learnsFromUse: Schema.Boolean,
  createdAt: Schema.Int
})
const storedWorkspaces = rowsOf(WorkspaceRow)
const workspaceRows = <E>(answer: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(storedWorkspaces(answer), (rows) => rows.map(withPolicy))
const workspaceRow = <E>(answer: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(workspaceRows(answer), ([row]) => row ?? null)
const workspaceColumns = `workspace_id as "workspaceId", name, inflight_limit as "inflightLimit", runs_per_minute as "runsPerMinute",
  run_cap_micros as "runCapMicros", operator, policy, learns_from_use as "learnsFromUse", created_at as "createdAt"`

const TokenColumns = Schema.Struct({
  digest: Schema.Uint8ArrayFromSelf,
  tokenId: TokenId,
  label: Schema.String,
  workspaceId: WorkspaceId,
  workspaceName: Schema.String,
  scopes: Schema.Array(Scope),
  createdAt: Schema.Int,
  expiresAt: Schema.NullOr(Schema.Int),
  ancestors: Schema.Array(TokenId),
  operator: Schema.Boolean,
  operatorWorkspace: Schema.Boolean,
  policy,
  learnsFromUse: Schema.Boolean,
  revoked: Schema.Boolean
})
const tokenRows = rowsOf(TokenColumns)
const spendRow = rowOf(
  Schema.Struct({
    limitMicros: Schema.NullOr(Micros),
    month: Schema.String,
    spentMicros: Micros,
    now: Schema.Int
  })
)
const revokedRow = rowOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    label: Schema.String,
    operator: Schema.Boolean,
    revokedBefore: Schema.NullOr(Schema.Int)
  })
)
const knownTokenRow = rowOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    label: Schema.String,
    revokedAt: Schema.NullOr(Schema.Int),
    descendants: Schema.Int
  })
)

const tokenOf = (row: typeof TokenColumns.Type): TokenRow => {
  const { digest, revoked, ...principal } = withPolicy(row)
  return { principal, digest, revoked }
}

/** One that was made while the token above it got its end has none of its own. */
const endOfLine = `case when t.ancestors = '{}' then t.expires_at else least(t.expires_at, (select min(a.expires_at) from tokens a
    where a.workspace_id = t.workspace_id and a.token_id = any(t.ancestors))) end`

const principalColumns = `t.token_id as "tokenId", t.label, t.workspace_id as "workspaceId", w.name as "workspaceName", t.scopes,
  t.created_at as "createdAt", ${endOfLine} as "expiresAt", t.ancestors, t.operator, w.operator as "operatorWorkspace", w.policy,
  w.learns_from_use as "learnsFromUse",
  t.revoked_at is not null or exists (select from tokens a
    where a.workspace_id = t.workspace_id and a.token_id = any(t.ancestors) and a.revoked_at is not null) as revoked`

const hexOf = (digest: Uint8Array): string => Buffer.from(digest).toString("hex")

/** By the digests of their secrets, which are the keys as hexadecimal digits. */
const tokensByDigest = (database: Database["Type"], databaseNow: Effect.Effect<string>) => {
  const { query, sql } = database
  const columns = sql.literal(principalColumns)
  const places = makeTokenPlaces(database)
  return Effect.fnUntraced(function* (digests: ReadonlyMap<string, Uint8Array>) {
    const now = yield* databaseNow
    const found = yield* places.ofDigests([...digests.keys()])
    const placed = [...digests].flatMap(([hex, digest]) => {
      const workspaceId = found.get(hex)
      return workspaceId === undefined ? [] : [{ workspaceId, digest }]
    })
    if (placed.length === 0) return new Map<string, never>()
    const asked = sql`unnest(${placed.map(({ workspaceId }) => workspaceId)}::text[], ${placed.map(({ digest }) => digest)}::bytea[])
          as k (workspace_id, digest)`
    const rows = yield* tokenRows(
      query(sql`
        select t.digest, ${columns} from ${asked}
        join tokens t on t.workspace_id = k.workspace_id and t.digest = k.digest
        join workspaces w on w.workspace_id = k.workspace_id
        union all
        select r.digest, ${columns} from ${asked}
        join superseded_secrets r on r.workspace_id = k.workspace_id and r.digest = k.digest
        join tokens t on t.workspace_id = k.workspace_id and t.token_id = r.token_id
        join workspaces w on w.workspace_id = k.workspace_id
        where r.works_until > ${sql.literal(now)}`)
    )
    const byDigest = new Map(rows.map((row) => [hexOf(row.digest), tokenOf(row)]))
    for (const hex of digests.keys()) if (!byDigest.has(hex)) places.forget(hex)
    return byDigest
  })
}

/** The token by which a member acts in a workspace, as a caller; made where there is none. */
export const actingPrincipal =
  ({ query, sql }: Database["Type"]): SessionRows["acting"] =>
  (token) => {
    const found = Effect.map(
      tokenRows(
        query(sql`
          select t.digest, ${sql.literal(principalColumns)} from tokens t join workspaces w using (workspace_id)
          where t.workspace_id = ${token.workspaceId} and t.member_id = ${token.memberId}`)
      ),
      ([row]) => {
        if (row === undefined) return null
        const { principal, revoked } = tokenOf(row)
        return revoked ? null : principal
      }
    )
    const made = query(sql`
      insert into tokens (token_id, workspace_id, label, scopes, digest, created_at, member_id)
      select ${token.tokenId}, workspace_id, ${token.label}, ${token.scopes}::text[], ${token.digest}::bytea, ${token.createdAt}::bigint, ${token.memberId}
      from workspaces where workspace_id = ${token.workspaceId}
        and exists (select from members where member_id = ${token.memberId} and removed_at is null)
      on conflict (workspace_id, member_id) where member_id is not null do nothing`)
    return Effect.flatMap(found, (principal) =>
      principal === null ? Effect.zipRight(made, found) : Effect.succeed(principal)
    )
  }

const changeWorkspace =
  (database: Database["Type"]): AccountRows["changeWorkspace"] =>
  (workspaceId, change) =>
    Effect.gen(function* () {
      const { query, sql } = database
      const before = yield* workspaceRow(
        query(
          sql`select ${sql.literal(workspaceColumns)} from workspaces where workspace_id = ${workspaceId} for update`
        )
      )
      if (before === null) return null
      const after = yield* change(before)
      yield* query(sql`
        update workspaces set inflight_limit = ${after.inflightLimit}, runs_per_minute = ${after.runsPerMinute}, run_cap_micros = ${after.runCapMicros},
          policy = ${isUnrestricted(after.policy) ? null : encodePolicy(after.policy)}::jsonb, learns_from_use = ${after.learnsFromUse}
        where workspace_id = ${workspaceId}`)
      if (before.learnsFromUse && !after.learnsFromUse) yield* forgetUses(database, workspaceId)
      return { before, after }
    })

const insertToken =
  ({ query, sql }: Database["Type"]): AccountRows["insertToken"] =>
  (token) =>
    Effect.gen(function* () {
      const made = yield* query(sql`
        insert into tokens (token_id, workspace_id, label, scopes, digest, monthly_limit_micros, created_at, expires_at, operator, made_by)
        select ${token.tokenId}, workspace_id, ${token.label}, ${token.scopes}::text[], ${token.digest}::bytea, ${token.monthlyLimitMicros}::bigint,
          ${token.createdAt}::bigint, ${token.expiresAt}::bigint, ${token.operator}, ${token.madeBy}
        from workspaces where workspace_id = ${token.workspaceId} returning 1`)
      if (token.operator)
        yield* query(sql`update workspaces set operator = true where workspace_id = ${token.workspaceId}`)
      return made.length > 0
    })

const revokeToken =
  (database: Database["Type"]): AccountRows["revokeToken"] =>
  (tokenId, now) =>
    Effect.gen(function* () {
      const { query, sql } = database
      const workspaceId = yield* placeOfToken(database, tokenId)
      if (workspaceId === null) return null
      const token = yield* revokedRow(
        query(sql`
          with before as (
            select revoked_at from tokens where workspace_id = ${workspaceId} and token_id = ${tokenId} for update
          )
          update tokens t set revoked_at = coalesce(t.revoked_at, ${now}) from before
          where t.workspace_id = ${workspaceId} and t.token_id = ${tokenId}
          returning t.workspace_id as "workspaceId", t.label, t.operator, before.revoked_at as "revokedBefore"`)
      )
      if (token === null) return null
      const { operator, ...revoked } = token
      if (operator) {
        // The workspace is locked first, so that the second of two revocations at once sees the result of the first.
        yield* query(sql`select from workspaces where workspace_id = ${token.workspaceId} for update`)
        yield* query(sql`
          update workspaces w set operator = exists (select from tokens t where t.workspace_id = w.workspace_id and t.operator and t.revoked_at is null)
          where w.workspace_id = ${token.workspaceId}`)
      }
      return revoked
    })

const makeRows: Effect.Effect<AccountRows, never, Database | EffectScope.Scope> = Effect.gen(function* () {
  const database = yield* Database
  const { query, sql } = database
  const databaseNow = yield* DatabaseNow
  const columns = sql.literal(workspaceColumns)
  return {
    insertWorkspace: ({ createdAt, name, workspaceId }) =>
      Effect.map(
        query(sql`
          with made as (
            insert into workspaces (workspace_id, name, created_at) values (${workspaceId}, ${name}, ${createdAt})
            on conflict (name) do nothing returning workspace_id
          )
          insert into wallets (workspace_id) select workspace_id from made returning 1`),
        (made) => made.length > 0
      ),
    workspace: (workspaceId) =>
      workspaceRow(query(sql`select ${columns} from workspaces where workspace_id = ${workspaceId}`)),
    workspaceByName: (name) => workspaceRow(query(sql`select ${columns} from workspaces where name = ${name}`)),
    workspaces: Effect.suspend(() =>
      workspaceRows(query(sql`select ${columns} from workspaces order by created_at, workspace_id`))
    ),
    changeWorkspace: changeWorkspace(database),
    insertToken: insertToken(database),
    revokeToken: revokeToken(database),
    tokenById: (tokenId) =>
      Effect.flatMap(placeOfToken(database, tokenId), (workspaceId) =>
        workspaceId === null
          ? Effect.succeed(null)
          : knownTokenRow(
              query(sql`
                select t.workspace_id as "workspaceId", t.label, t.revoked_at as "revokedAt",
                  (select count(*)::int from tokens d
                    where d.workspace_id = ${workspaceId} and t.token_id = any(d.ancestors) and d.revoked_at is null) as descendants
                from tokens t where t.workspace_id = ${workspaceId} and t.token_id = ${tokenId}`)
            )
      ),
    tokenByDigest: yield* makeBatchedReads({
      readersMax: tokenReadsSharedMax,
      keyOf: hexOf,
      read: tokensByDigest(database, databaseNow)
    }),
    noteUses: (uses) =>
      Effect.flatMap(databaseNow, (now) =>
        Effect.asVoid(
          query(sql`
            insert into token_last_uses (workspace_id, token_id, last_used_at) select workspace_id, token_id, least(used_at, ${sql.literal(now)})
            from unnest(${uses.map(({ workspaceId }) => workspaceId)}::text[], ${uses.map(({ tokenId }) => tokenId)}::text[],
              ${uses.map(({ usedAt }) => usedAt)}::bigint[]) as t (workspace_id, token_id, used_at)
            on conflict (workspace_id, token_id) do update set last_used_at = excluded.last_used_at
            where token_last_uses.last_used_at < excluded.last_used_at`)
        )
      ),
    spend: ({ tokenId, workspaceId }) =>
      Effect.flatMap(databaseNow, (now) =>
        spendRow(
          query(sql`
            select monthly_limit_micros as "limitMicros", spend_month as month, spend_micros as "spentMicros", ${sql.literal(now)} as now
            from tokens where workspace_id = ${workspaceId} and token_id = ${tokenId}`)
        )
      )
  }
})

export const AccountsPg: Layer.Layer<Accounts, never, Database | Ids> = Layer.scoped(
  Accounts,
  Effect.flatMap(makeRows, accountsOver)
).pipe(Layer.provide(AuditTrailPg))
