/**
 * Workspaces and tokens in Postgres. Requests that come in together are authenticated by one query, and none from a
 * cache. Only the digest of a token is stored. Limits are read where money is decided (Wallet), not here.
 */
import type { Statement } from "@effect/sql"
import { Array as Arr, Clock, Effect, Either, Layer, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { tightest, type TokenSpend } from "../../domain/Admission.js"
import { NotFound, TokenRevoked, Unauthorized, ValidationError } from "../../domain/ApiErrors.js"
import { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { zero } from "../../domain/Micros.js"
import { monthOf } from "../../domain/Run.js"
import { nameProblem } from "../../domain/Labels.js"
import { mayBeToken, newTokenProblem, secretBytes, tokenText } from "../../domain/Token.js"
import { limitsProblem } from "../../domain/WorkspaceLimits.js"
import { changedPolicy, isUnrestricted, unrestricted, WorkspacePolicy } from "../../domain/WorkspacePolicy.js"
import { Accounts, type IssuedToken, type NewToken, type Principal, type Workspace } from "../../services/Accounts.js"
import { Ids } from "../../services/Ids.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { makeGroupCommit } from "../runs/GroupCommit.js"
import { sameDigest, tokenDigest } from "../accounts/TokenDigest.js"

interface TokenRow extends Omit<Principal, "policy"> {
  readonly digest: Buffer
  /** Itself, or one that it comes from. */
  readonly revoked: boolean
  readonly policy: unknown
}
interface WorkspaceRow extends Omit<Workspace, "policy"> {
  readonly policy: unknown
}

const storedPolicy = Schema.parseJson(WorkspacePolicy)
const encodePolicy = Schema.encodeSync(storedPolicy)
const decodePolicy = Schema.decodeUnknown(WorkspacePolicy)
/** A policy that cannot be read lets nothing run: the request dies instead of going on without it. */
const withPolicy = <Row extends { readonly policy: unknown }>(row: Row) =>
  row.policy === null
    ? Effect.succeed({ ...row, policy: unrestricted })
    : Effect.map(Effect.orDie(decodePolicy(row.policy)), (policy) => ({ ...row, policy }))

const make = Effect.gen(function* () {
  const { query, sql, transact } = yield* Database
  const ids = yield* Ids
  const databaseNow = yield* DatabaseNow

  const workspaceColumns = sql.literal(
    `workspace_id as "workspaceId", name, inflight_limit as "inflightLimit", runs_per_minute as "runsPerMinute", run_cap_micros as "runCapMicros", operator, policy, created_at as "createdAt"`
  )
  const one = (found: Statement.Statement<WorkspaceRow>) =>
    Effect.flatMap(query(found), ([row]) => (row === undefined ? Effect.succeed(null) : withPolicy(row)))
  const noWorkspace = (workspaceId: WorkspaceId) => new NotFound({ what: "workspace", id: workspaceId })

  /** To be called in the transaction that changes it. */
  const locked = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
    const found = one(
      sql<WorkspaceRow>`select ${workspaceColumns} from workspaces where workspace_id = ${workspaceId} for update`
    )
    return (yield* found) ?? (yield* noWorkspace(workspaceId))
  })

  const tokensByDigest = (digests: ReadonlyArray<Buffer>) =>
    query(sql<TokenRow>`
      select t.digest, t.token_id as "tokenId", t.label, t.workspace_id as "workspaceId", w.name as "workspaceName", t.scopes,
        t.created_at as "createdAt", t.expires_at as "expiresAt", t.ancestors, t.operator, w.operator as "operatorWorkspace", w.policy,
        t.revoked_at is not null or exists (select from tokens a where a.token_id = any(t.ancestors) and a.revoked_at is not null) as revoked
      from tokens t join workspaces w using (workspace_id)
      where t.digest = any(${digests}::bytea[])`).pipe(
      Effect.map((rows) => {
        const byDigest = new Map(rows.map((row) => [row.digest.toString("hex"), row]))
        return digests.map((digest) => byDigest.get(digest.toString("hex")) ?? null)
      })
    )
  // Callers that come while a lookup runs share the next one; nothing is remembered.
  const tokenByDigest = yield* makeGroupCommit({ batchMax: 256, waitingMax: 4096, commit: tokensByDigest })

  return Accounts.of({
    authenticate: Effect.fnUntraced(function* (token) {
      const text = Redacted.value(token)
      if (!mayBeToken(text)) return yield* new Unauthorized()
      const asked = tokenDigest(text)
      const found = yield* tokenByDigest(asked)
      if (found === null || !sameDigest(found.digest, asked)) return yield* new Unauthorized()
      const { digest: _digest, revoked, ...principal } = found
      if (revoked) return yield* new TokenRevoked()
      if (principal.expiresAt !== null && principal.expiresAt <= (yield* Clock.currentTimeMillis))
        return yield* new Unauthorized()
      return yield* withPolicy(principal)
    }),

    monthSpend: Effect.fn("Accounts.monthSpend")(function* (tokenId) {
      const spends = yield* query(sql<TokenSpend & { readonly now: number }>`
        select t.monthly_limit_micros as "limitMicros", t.spend_month as month, t.spend_micros as "spentMicros", ${sql.literal(yield* databaseNow)} as now
        from tokens own join tokens t on t.token_id = any(own.token_id || own.ancestors)
        where own.token_id = ${tokenId} order by array_position(own.ancestors, t.token_id) nulls first`)
      return Arr.isNonEmptyReadonlyArray(spends)
        ? tightest(spends, monthOf(spends[0].now))
        : { limitMicros: null, spentMicros: zero }
    }),

    createWorkspace: Effect.fn("Accounts.createWorkspace")(function* (name) {
      const problem = nameProblem("name", name)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      const workspaceId = WorkspaceId.make(`ws_${yield* ids.suffix}`)
      const now = yield* Clock.currentTimeMillis
      const made = yield* transact(
        one(sql<WorkspaceRow>`
        with made as (
          insert into workspaces (workspace_id, name, created_at) values (${workspaceId}, ${name}, ${now})
          on conflict (name) do nothing returning *
        ), wallet as (
          insert into wallets (workspace_id) select workspace_id from made
        )
        select ${workspaceColumns} from made`)
      )
      return made ?? (yield* ValidationError.of("name", "is the name of another workspace"))
    }),

    workspace: Effect.fn("Accounts.workspace")(function* (workspaceId) {
      return (
        (yield* one(
          sql<WorkspaceRow>`select ${workspaceColumns} from workspaces where workspace_id = ${workspaceId}`
        )) ?? (yield* noWorkspace(workspaceId))
      )
    }),

    workspaceByName: Effect.fn("Accounts.workspaceByName")(function* (name) {
      return yield* one(sql<WorkspaceRow>`select ${workspaceColumns} from workspaces where name = ${name}`)
    }),

    workspaces: Effect.suspend(() =>
      Effect.flatMap(
        query(sql<WorkspaceRow>`select ${workspaceColumns} from workspaces order by created_at, workspace_id`),
        Effect.forEach(withPolicy)
      )
    ),

    setLimits: Effect.fn("Accounts.setLimits")(function* (workspaceId, limits) {
      const problem = limitsProblem(limits)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      return yield* transact(
        Effect.gen(function* () {
          const before = yield* locked(workspaceId)
          const after: Workspace = { ...before, ...limits }
          yield* sql`
          update workspaces set inflight_limit = ${after.inflightLimit}, runs_per_minute = ${after.runsPerMinute}, run_cap_micros = ${after.runCapMicros}
          where workspace_id = ${workspaceId}`
          return after
        })
      )
    }),

    setPolicy: Effect.fn("Accounts.setPolicy")(function* (workspaceId, change) {
      return yield* transact(
        Effect.gen(function* () {
          const before = yield* locked(workspaceId)
          const policy = yield* Either.mapLeft(
            changedPolicy(before.policy, change),
            (problem) => new ValidationError({ details: [problem] })
          )
          yield* sql`
          update workspaces set policy = ${isUnrestricted(policy) ? null : encodePolicy(policy)}::jsonb where workspace_id = ${workspaceId}`
          return { ...before, policy }
        })
      )
    }),

    createToken: Effect.fn("Accounts.createToken")(function* (token: NewToken) {
      const now = yield* Clock.currentTimeMillis
      const problem = newTokenProblem(token, now)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      const suffix = yield* ids.suffix
      const tokenId = TokenId.make(`tok_${suffix}`)
      const text = tokenText(suffix, yield* Effect.sync(() => randomBytes(secretBytes)))
      const operator = token.operator ?? false
      const made = yield* transact(
        Effect.gen(function* () {
          const rows = yield* sql`
          insert into tokens (token_id, workspace_id, label, scopes, digest, monthly_limit_micros, created_at, expires_at, operator)
          select ${tokenId}, workspace_id, ${token.label}, ${token.scopes}::text[], ${tokenDigest(text)}::bytea, ${token.monthlyLimitMicros}::bigint, ${now}::bigint,
            ${token.expiresAt}::bigint, ${operator}
          from workspaces where workspace_id = ${token.workspaceId} returning 1`
          if (operator) yield* sql`update workspaces set operator = true where workspace_id = ${token.workspaceId}`
          return rows
        })
      )
      if (made.length === 0) return yield* noWorkspace(token.workspaceId)
      return { tokenId, token: Redacted.make(text) } satisfies IssuedToken
    }),

    revokeToken: Effect.fn("Accounts.revokeToken")(function* (tokenId) {
      const now = yield* Clock.currentTimeMillis
      const revoked = yield* transact(
        Effect.gen(function* () {
          const [token] = yield* sql<{ workspaceId: WorkspaceId; operator: boolean }>`
          update tokens set revoked_at = coalesce(revoked_at, ${now}) where token_id = ${tokenId} returning workspace_id as "workspaceId", operator`
          if (token?.operator === true) {
            // Locked first: of two revocations at once, the second sees the first.
            yield* sql`select from workspaces where workspace_id = ${token.workspaceId} for update`
            yield* sql`
            update workspaces w set operator = exists (select from tokens t where t.workspace_id = w.workspace_id and t.operator and t.revoked_at is null)
            where w.workspace_id = ${token.workspaceId}`
          }
          return token !== undefined
        })
      )
      if (!revoked) return yield* new NotFound({ what: "token", id: tokenId })
    })
  })
})

export const AccountsPg: Layer.Layer<Accounts, never, Database | Ids> = Layer.scoped(Accounts, make)
