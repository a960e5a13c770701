/**
 * What the routes of login approvals take and give. The client's token is never among it: only its digest comes, and
 * nothing of it goes.
 */
import { Schema } from "effect"
import { labelCharsMax, loginPollSeconds } from "../../domain/Limits.js"
import { Scope, ScopeInput } from "../../domain/Scope.js"
import type { LoginApproval } from "../../services/LoginApprovals.js"
import { Instant, line, optional, says, Time, time, timeOrNull } from "../Fields.js"

export const LoginInput = Schema.Struct({
  digest: Schema.String.annotations({
    ...says("must be text"),
    jsonSchema: {
      type: "string",
      pattern: "^[0-9a-fA-F]{64}$",
      description:
        "SHA-256, in hex, of the text of a token that the client made itself: 43 to 80 random characters of A-Z a-z 0-9 - _, such as 32 random bytes in base64url or hex, after pgw_ or nothing"
    }
  }),
  label: line(labelCharsMax, "What the person who approves sees, and what the token is called"),
  scopes: Schema.Array(ScopeInput.annotations(says(`must be one of ${Scope.literals.join(", ")}`))),
  expiresAt: optional(
    Schema.NullOr(Instant).annotations({ description: "When the token is to expire; never without it" })
  )
}).annotations({ identifier: "LoginApprovalRequest" })

const DecideBefore = Schema.String.annotations({
  jsonSchema: { type: "string", format: "date-time", description: "Until when the login can be approved" }
})

export const LoginCreated = Schema.Struct({
  approvalId: Schema.String,
  userCode: Schema.String.annotations({
    description: "To be shown beside the link, so that the person can compare it"
  }),
  approveUrl: Schema.String,
  expiresAt: DecideBefore,
  pollIntervalSeconds: Schema.Int
}).annotations({ identifier: "LoginApprovalCreated" })

export const LoginBody = Schema.Struct({
  approvalId: Schema.String,
  status: Schema.Literal("pending", "approved", "denied", "expired"),
  label: Schema.String,
  scopes: Schema.Array(Scope),
  tokenExpiresAt: Schema.NullOr(Time),
  expiresAt: DecideBefore,
  pollIntervalSeconds: Schema.Int
}).annotations({ identifier: "LoginApproval" })

/** Where a person decides; the id is in it, the code is for comparing only. */
export const approvePath = (approvalId: string): string => `/approve/${approvalId}`

export const loginCreated = (login: LoginApproval, publicUrl: string): typeof LoginCreated.Type => ({
  approvalId: login.approvalId,
  userCode: login.userCode,
  approveUrl: publicUrl + approvePath(login.approvalId),
  expiresAt: time(login.expiresAt),
  pollIntervalSeconds: loginPollSeconds
})

export const loginBody = (login: LoginApproval): typeof LoginBody.Type => ({
  approvalId: login.approvalId,
  status: login.status,
  label: login.label,
  scopes: login.scopes,
  tokenExpiresAt: timeOrNull(login.tokenExpiresAt),
  expiresAt: time(login.expiresAt),
  pollIntervalSeconds: loginPollSeconds
})
