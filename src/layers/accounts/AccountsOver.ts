/**
 * Workspaces and tokens over the rows of any storage. Only the digest of a token is stored. Limits are read where money
 * is decided (Wallet), not here.
 */
import { Clock, Effect, Either, Redacted, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { spendInMonth } from "../../domain/Admission.js"
import { NotFound, TokenRevoked, Unauthorized, ValidationError } from "../../domain/ApiErrors.js"
import { type AuditAction, memberActing } from "../../domain/AuditEntry.js"
import { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { canonical, type JsonObject } from "../../domain/Json.js"
import { zero } from "../../domain/Micros.js"
import { monthOf } from "../../domain/Run.js"
import { nameProblem } from "../../domain/Labels.js"
import { mayBeToken, newTokenProblem, secretBytes, tokenText } from "../../domain/Token.js"
import { limitsProblem, limitsText } from "../../domain/WorkspaceLimits.js"
import { changedPolicy, policyText, rulesOf, ruleText, unrestricted } from "../../domain/WorkspacePolicy.js"
import { Accounts, type Workspace } from "../../services/Accounts.js"
import { AuditTrail, changed, unchanged } from "../../services/AuditTrail.js"
import { Ids } from "../../services/Ids.js"
import { repeatInBackground } from "../node/Background.js"
import type { AccountRows, TokenUse } from "./AccountRows.js"
import { sameDigest, tokenDigest } from "./TokenDigest.js"

interface Parts {
  readonly rows: AccountRows
  readonly ids: Ids["Type"]
  readonly trail: AuditTrail["Type"]
  readonly uses: Uses
}

interface Uses {
  /** Keeps in memory when a token was used; no request waits for the storage. */
  readonly note: (use: TokenUse) => void
}

/**
 * Writes which tokens were used on this node, a minute after the first of them, in one statement, and once more when
 * the node stops. A node that is killed loses the uses of its last minute.
 */
const makeUses = (rows: AccountRows): Effect.Effect<Uses, never, Scope.Scope> =>
  Effect.gen(function* () {
    const used = new Map<TokenId, TokenUse>()
    const someUsed = yield* Effect.makeLatch()
    const write = Effect.suspend(() => {
      const uses = Array.from(used.values()).sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1))
      used.clear()
      // The storage itself tells the log that it is away; the next minute has uses again.
      return uses.length === 0 ? Effect.void : Effect.ignore(rows.noteUses(uses))
    }).pipe(Effect.uninterruptible)
    yield* Effect.addFinalizer(() => write)
    yield* repeatInBackground(
      "uses of tokens",
      Effect.gen(function* () {
        yield* someUsed.await
        yield* Effect.sleep("1 minute")
        // Closed first: a use that comes from here on is in this turn, or opens the next one.
        yield* someUsed.close
        yield* write
      })
    )
    return {
      note: (use) => {
        used.set(use.tokenId, use)
        if (used.size === 1) someUsed.unsafeOpen()
      }
    }
  })

const foundOr = (workspaceId: WorkspaceId) => (found: Workspace | null) =>
  found === null ? Effect.fail(new NotFound({ what: "workspace", id: workspaceId })) : Effect.succeed(found)

const authenticate = ({ rows, uses }: Parts): Accounts["Type"]["authenticate"] =>
  Effect.fnUntraced(function* (token) {
    const text = Redacted.value(token)
    if (!mayBeToken(text)) return yield* new Unauthorized()
    const digest = tokenDigest(text)
    const found = yield* rows.tokenByDigest(digest)
    if (found === null || !sameDigest(found.digest, digest)) return yield* new Unauthorized()
    const { principal, revoked } = found
    if (revoked) return yield* new TokenRevoked()
    const usedAt = yield* Clock.currentTimeMillis
    if (principal.expiresAt !== null && principal.expiresAt <= usedAt) return yield* new Unauthorized({ expired: true })
    uses.note({ tokenId: principal.tokenId, workspaceId: principal.workspaceId, usedAt })
    return principal
  })

const createWorkspace = ({ ids, rows, trail }: Parts): Accounts["Type"]["createWorkspace"] =>
  Effect.fn("Accounts.createWorkspace")(function* (name, by) {
    const problem = nameProblem("name", name)
    if (problem !== null) return yield* new ValidationError({ details: [problem] })
    const made: Workspace = {
      workspaceId: WorkspaceId.make(`ws_${yield* ids.suffix}`),
      name,
      inflightLimit: null,
      runsPerMinute: null,
      runCapMicros: null,
      operator: false,
      policy: unrestricted,
      learnsFromUse: false,
      createdAt: yield* Clock.currentTimeMillis
    }
    const { workspaceId } = made
    return yield* trail.change(
      by,
      Effect.flatMap(rows.insertWorkspace(made), (isNew) =>
        isNew
          ? Effect.succeed(
              changed(made, {
                action: "workspace.created",
                subjectId: workspaceId,
                workspaceId,
                before: null,
                after: { name }
              })
            )
          : Effect.fail(ValidationError.of("name", "is the name of another workspace"))
      )
    )
  })

/** Changes what an operator sets, and notes `shown` of it before and after, unless nothing of it changed. */
const changeWorkspace =
  ({ rows, trail }: Parts, action: AuditAction, shown: (workspace: Workspace) => JsonObject) =>
  <E>(
    workspaceId: WorkspaceId,
    by: Parameters<AuditTrail["Type"]["change"]>[0],
    change: (before: Workspace) => Effect.Effect<Workspace, E>
  ) =>
    trail.change(
      by,
      Effect.gen(function* () {
        const found = yield* rows.changeWorkspace(workspaceId, change)
        const after = yield* foundOr(workspaceId)(found?.after ?? null)
        const [was, is] = [shown(found?.before ?? after), shown(after)]
        return canonical(was) === canonical(is)
          ? unchanged(after)
          : changed(after, { action, subjectId: workspaceId, workspaceId, before: was, after: is })
      })
    )

/** Asked under the lock of the row, so that of two who change the same at once the second one is told. */
const asSeen = (what: string, now: string, seen: string | undefined): Effect.Effect<void, ValidationError> =>
  seen === undefined || seen === now
    ? Effect.void
    : Effect.fail(ValidationError.of(what, "was changed by somebody else meanwhile, so nothing was saved"))

const shownLimits = ({ inflightLimit, runCapMicros, runsPerMinute }: Workspace): JsonObject => ({
  inflightLimit,
  runCapMicros,
  runsPerMinute
})

const shownPolicy = ({ policy }: Workspace): JsonObject => {
  const { allow, deny } = rulesOf(policy)
  return { allow: allow.map(ruleText), deny: deny.map(ruleText) }
}

const shownLearning = ({ learnsFromUse }: Workspace): JsonObject => ({ learnsFromUse })

const createToken = ({ ids, rows, trail }: Parts): Accounts["Type"]["createToken"] =>
  Effect.fn("Accounts.createToken")(function* (token, by) {
    const now = yield* Clock.currentTimeMillis
    const problem = newTokenProblem(token, now)
    if (problem !== null) return yield* new ValidationError({ details: [problem] })
    const suffix = yield* ids.suffix
    const tokenId = TokenId.make(`tok_${suffix}`)
    const text = tokenText(suffix, yield* Effect.sync(() => randomBytes(secretBytes)))
    const row = {
      ...token,
      operator: token.operator ?? false,
      tokenId,
      digest: tokenDigest(text),
      createdAt: now,
      madeBy: memberActing(by)
    }
    return yield* trail.change(
      by,
      Effect.gen(function* () {
        const { expiresAt, label, monthlyLimitMicros, operator, scopes, workspaceId } = row
        if (!(yield* rows.insertToken(row))) return yield* new NotFound({ what: "workspace", id: workspaceId })
        return changed(
          { tokenId, token: Redacted.make(text) },
          {
            action: "token.created",
            subjectId: tokenId,
            workspaceId,
            before: null,
            after: { label, scopes, monthlyLimitMicros, expiresAt, operator }
          }
        )
      })
    )
  })

const revokeToken = ({ rows, trail }: Parts): Accounts["Type"]["revokeToken"] =>
  Effect.fn("Accounts.revokeToken")((tokenId, by) =>
    trail.change(
      by,
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const token = yield* rows.revokeToken(tokenId, now)
        if (token === null) return yield* new NotFound({ what: "token", id: tokenId })
        const { label, revokedBefore, workspaceId } = token
        return revokedBefore !== null
          ? unchanged(undefined)
          : changed(undefined, {
              action: "token.revoked",
              subjectId: tokenId,
              workspaceId,
              before: { label, revokedAt: null },
              after: { label, revokedAt: now }
            })
      })
    )
  )

export const accountsOver = (
  rows: AccountRows
): Effect.Effect<Accounts["Type"], never, AuditTrail | Ids | Scope.Scope> =>
  Effect.gen(function* () {
    const uses = yield* makeUses(rows)
    const parts: Parts = { rows, ids: yield* Ids, trail: yield* AuditTrail, uses }
    const changeLimits = changeWorkspace(parts, "workspace.limits_changed", shownLimits)
    const changePolicy = changeWorkspace(parts, "workspace.policy_changed", shownPolicy)
    const changeLearning = changeWorkspace(parts, "workspace.search_learning_changed", shownLearning)
    return Accounts.of({
      authenticate: authenticate(parts),
      monthSpend: Effect.fn("Accounts.monthSpend")(function* (token) {
        const spend = yield* rows.spend(token)
        return spend === null ? { limitMicros: null, spentMicros: zero } : spendInMonth(spend, monthOf(spend.now))
      }),
      createWorkspace: createWorkspace(parts),
      workspace: Effect.fn("Accounts.workspace")((workspaceId) =>
        Effect.flatMap(rows.workspace(workspaceId), foundOr(workspaceId))
      ),
      workspaceByName: Effect.fn("Accounts.workspaceByName")(rows.workspaceByName),
      workspaces: rows.workspaces,
      setLimits: Effect.fn("Accounts.setLimits")(function* (workspaceId, limits, by, seen) {
        const problem = limitsProblem(limits)
        if (problem !== null) return yield* new ValidationError({ details: [problem] })
        return yield* changeLimits(workspaceId, by, (before) =>
          Effect.as(asSeen("limits", limitsText(before), seen), { ...before, ...limits })
        )
      }),
      setPolicy: Effect.fn("Accounts.setPolicy")((workspaceId, change, by, seen) =>
        changePolicy(workspaceId, by, (before) =>
          Effect.zipRight(
            asSeen("policy", policyText(before.policy), seen),
            Either.mapBoth(changedPolicy(before.policy, change), {
              onLeft: (problem) => new ValidationError({ details: [problem] }),
              onRight: (policy) => ({ ...before, policy })
            })
          )
        )
      ),
      setSearchLearning: Effect.fn("Accounts.setSearchLearning")((workspaceId, learnsFromUse, by) =>
        changeLearning(workspaceId, by, (before) => Effect.succeed({ ...before, learnsFromUse }))
      ),
      createToken: createToken(parts),
      tokenById: Effect.fn("Accounts.tokenById")((tokenId) =>
        Effect.filterOrFail(
          rows.tokenById(tokenId),
          (token) => token !== null,
          () => new NotFound({ what: "token", id: tokenId })
        )
      ),
      revokeToken: revokeToken(parts)
    })
  })
