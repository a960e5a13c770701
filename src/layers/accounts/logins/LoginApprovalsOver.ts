/**
 * Login approvals over any rows. A decision and the token that comes of it are written together: an approved token is a
 * child of the approver's (domain/TokenLine), a denied one is the same but born revoked, so that its client hears of
 * it.
 */
import { Clock, Effect } from "effect"
import { randomInt } from "node:crypto"
import { Forbidden, NotFound, ValidationError } from "../../../domain/ApiErrors.js"
import { ApprovalId, TokenId } from "../../../domain/Ids.js"
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
import { loginLineMax, loginMillis } from "../../../domain/Limits.js"
import { newTokenProblem } from "../../../domain/Token.js"
import { childEnd, lineOf } from "../../../domain/TokenLine.js"
import type { Principal } from "../../../services/Accounts.js"
import { Ids } from "../../../services/Ids.js"
import { type LoginApproval, LoginApprovals } from "../../../services/LoginApprovals.js"
import type { LoginRow, LoginRows } from "./LoginRows.js"

const keptMillis = 24 * 60 * 60_000

const userCode = Effect.sync(() =>
  showUserCode(
    Array.from({ length: userCodeLength }, () => userCodeAlphabet.charAt(randomInt(userCodeAlphabet.length))).join("")
  )
)

export const loginApprovalsOver = (rows: LoginRows): Effect.Effect<LoginApprovals["Type"], never, Ids> =>
  Effect.gen(function* () {
    const ids = yield* Ids

    const shown = (approvalId: string, row: LoginRow | null) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (row === null) return Effect.fail(new NotFound({ what: "login approval", id: approvalId }))
        const { digest: _digest, ...approval } = row
        return Effect.succeed<LoginApproval>({ ...approval, status: loginStatus(row, now) })
      })

    const decide = Effect.fnUntraced(function* (approvalId: string, by: Principal, decision: LoginDecision) {
      const now = yield* Clock.currentTimeMillis
      const tokenId = TokenId.make(`tok_${yield* ids.suffix}`)
      const row = yield* rows.decide(
        approvalId,
        Effect.fnUntraced(function* (row) {
          const status = loginStatus(row, now)
          const problem = decisionProblem(status, decision)
          if (problem !== null) return yield* problem
          if (status === decision) return null
          const { digest, label, scopes, tokenExpiresAt } = row
          return {
            decision,
            token: {
              tokenId,
              workspaceId: by.workspaceId,
              label,
              scopes,
              // Those of the approver count, so it needs none of its own.
              monthlyLimitMicros: null,
              ancestors: lineOf(by),
              expiresAt: childEnd(tokenExpiresAt, by.expiresAt),
              digest,
              createdAt: now,
              revokedAt: decision === "denied" ? now : null
            }
          }
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
      approve: Effect.fn("LoginApprovals.approve")(function* (approvalId: string, by: Principal) {
        const { scopes } = yield* Effect.flatMap(rows.get(approvalId), (row) => shown(approvalId, row))
        const scope = missingScope(scopes, by.scopes)
        if (scope !== null) return yield* new Forbidden({ scope })
        if (by.ancestors.length >= loginLineMax) {
          return yield* ValidationError.of(
            "token",
            `was let in by a chain of ${loginLineMax} logins; approve with a token that is nearer to the first one`
          )
        }
        return yield* decide(approvalId, by, "approved")
      }),
      deny: Effect.fn("LoginApprovals.deny")((approvalId: string, by: Principal) => decide(approvalId, by, "denied"))
    })
  })
