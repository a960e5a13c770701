/**
 * Login approvals over any rows. A decision and the token that comes of it are written together. A token that a person
 * approved has no parent. One that a token approved is its child (domain/TokenLine). A denied one is the same but born
 * revoked, so that its client hears of it.
 */
import { Clock, Effect } from "effect"
import { randomInt } from "node:crypto"
import { type Actor, memberActing } from "../../../domain/AuditEntry.js"
import { Forbidden, NotFound, ValidationError } from "../../../domain/ApiErrors.js"
import { ApprovalId, type MemberId, TokenId } from "../../../domain/Ids.js"
import {
  decisionProblem,
  digestPattern,
  type LoginDecision,
  loginStatus,
  missingScope,
  showUserCode,
  userCodeAlphabet,
  userCodeLength
} from "../../../domain/LoginApproval.js"
import { loginMillis } from "../../../domain/Limits.js"
import { newTokenProblem } from "../../../domain/Token.js"
import { childEnd, lineOf, lineProblem } from "../../../domain/TokenLine.js"
import type { Principal } from "../../../services/Accounts.js"
import { AuditTrail, changed, unchanged } from "../../../services/AuditTrail.js"
import { Ids } from "../../../services/Ids.js"
import { type LoginApproval, LoginApprovals } from "../../../services/LoginApprovals.js"
import type { DecidedToken, LoginRow, LoginRows } from "./LoginRows.js"

const keptMillis = 24 * 60 * 60_000

const userCode = Effect.sync(() =>
  showUserCode(
    Array.from({ length: userCodeLength }, () => userCodeAlphabet.charAt(randomInt(userCodeAlphabet.length))).join("")
  )
)

const decidedToken = (
  { digest, label, scopes, tokenExpiresAt }: LoginRow,
  { approver, person }: { readonly approver: Principal; readonly person: MemberId | null },
  tokenId: TokenId,
  decision: LoginDecision,
  now: number
): DecidedToken => ({
  tokenId,
  workspaceId: approver.workspaceId,
  label,
  scopes,
  // Those of an approving token count, so it needs none of its own.
  monthlyLimitMicros: null,
  ancestors: person === null ? lineOf(approver) : [],
  expiresAt: person === null ? childEnd(tokenExpiresAt, approver.expiresAt) : tokenExpiresAt,
  madeBy: person,
  digest,
  createdAt: now,
  revokedAt: decision === "denied" ? now : null
})

export const loginApprovalsOver = (rows: LoginRows): Effect.Effect<LoginApprovals["Type"], never, AuditTrail | Ids> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const trail = yield* AuditTrail

    const shown = (approvalId: string, row: LoginRow | null) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (row === null) return Effect.fail(new NotFound({ what: "login approval", id: approvalId }))
        const { digest: _digest, ...approval } = row
        return Effect.succeed<LoginApproval>({ ...approval, status: loginStatus(row, now) })
      })

    const decide = Effect.fnUntraced(function* (
      approvalId: string,
      approver: Principal,
      by: Actor,
      decision: LoginDecision
    ) {
      const now = yield* Clock.currentTimeMillis
      const tokenId = TokenId.make(`tok_${yield* ids.suffix}`)
      const row = yield* trail.change(
        by,
        Effect.gen(function* () {
          const decided = yield* rows.decide(
            approvalId,
            Effect.fnUntraced(function* (row) {
              const status = loginStatus(row, now)
              const problem = decisionProblem(status, decision)
              if (problem !== null) return yield* problem
              return status === decision
                ? null
                : { decision, token: decidedToken(row, { approver, person: memberActing(by) }, tokenId, decision, now) }
            })
          )
          if (decided === null || decided.token === null) return unchanged(decided?.row ?? null)
          const { expiresAt, label, scopes } = decided.token
          return changed(decided.row, {
            action: `login.${decision}`,
            subjectId: approvalId,
            workspaceId: approver.workspaceId,
            before: { status: "pending" },
            after: { status: decision, tokenId, label, scopes, expiresAt }
          })
        })
      )
      return yield* shown(approvalId, row)
    })

    return LoginApprovals.of({
      create: Effect.fn("LoginApprovals.create")(function* ({ digest, label, scopes, tokenExpiresAt }) {
        const now = yield* Clock.currentTimeMillis
        const problem = digestPattern.test(digest)
          ? newTokenProblem({ label, scopes, expiresAt: tokenExpiresAt }, now)
          : { field: "digest", message: "must be the SHA-256 of a token, as 64 hexadecimal digits" }
        if (problem !== null) return yield* new ValidationError({ details: [problem] })
        const row: LoginRow = {
          approvalId: ApprovalId.make(`apr_${yield* ids.suffix}`),
          digest: digest.toLowerCase(),
          userCode: yield* userCode,
          label,
          scopes,
          tokenExpiresAt,
          status: "pending",
          createdAt: now,
          expiresAt: now + loginMillis
        }
        if (!(yield* rows.insert(row, now - keptMillis)))
          return yield* ValidationError.of("digest", "was used before; make a new token")
        return yield* Effect.catchTag(shown(row.approvalId, row), "not_found", Effect.die)
      }),
      get: (approvalId) => Effect.flatMap(rows.get(approvalId), (row) => shown(approvalId, row)),
      approve: Effect.fn("LoginApprovals.approve")(function* (approvalId: string, approver: Principal, by: Actor) {
        const { scopes } = yield* Effect.flatMap(rows.get(approvalId), (row) => shown(approvalId, row))
        const scope = missingScope(scopes, approver.scopes)
        if (scope !== null) return yield* new Forbidden({ scope })
        const tooLong = lineProblem(approver)
        if (tooLong !== null) return yield* tooLong
        return yield* decide(approvalId, approver, by, "approved")
      }),
      deny: Effect.fn("LoginApprovals.deny")((approvalId: string, approver: Principal, by: Actor) =>
        decide(approvalId, approver, by, "denied")
      )
    })
  })
