/**
 * What the routes of login approvals take and give. The client's token is never among it: only its digest comes, and
 * nothing of it goes.
 */
import { Schema } from "effect"
import { loginPollSeconds } from "../../domain/limits/Access.js"
import { Scope, ScopesInput } from "../../domain/Scope.js"
import type { LoginApproval } from "../../services/LoginApprovals.js"
import {
  asked,
  askedMaybe,
  exampleId,
  exampleTime,
  field,
  Instant,
  label,
  says,
  Time,
  time,
  timeOrNull
} from "../Fields.js"

/** Where a person decides; the id is in it, the code is for comparing only. */
const approvePath = (approvalId: string): string => `/approve/${approvalId}`

export const LoginInput = Schema.Struct({
  digest: asked(
    Schema.String.annotations({
      ...says("must be text"),
      jsonSchema: { type: "string", pattern: "^[0-9a-fA-F]{64}$" }
    }),
    "SHA-256, in hex, of the text of a token that the client made itself: 43 to 80 random characters of A-Z a-z 0-9 - _, such as 32 random bytes in base64url or hex, after pgw_ or nothing",
    "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
  ),
  label: asked(label, "What the person who approves sees, and what the token is called", "Ada's laptop"),
  scopes: asked(ScopesInput, "What the token may do", ["catalog:read", "runs:execute"]),
  expiresAt: askedMaybe(Schema.NullOr(Instant), "When the token is to expire; never without it", Date.UTC(2027, 0, 1))
}).annotations({ identifier: "LoginApprovalRequest", description: "A login that a person is to approve" })

const approvalId = field(Schema.String, "Names the login", exampleId("apr"))
const decideBefore = field(Time, "Until when the login can be approved", exampleTime)
const pollIntervalSeconds = field(Schema.Int, "How long to wait between two questions", loginPollSeconds)

export const LoginCreated = Schema.Struct({
  approvalId,
  userCode: field(Schema.String, "To be shown beside the link, so that the person can compare it", "KTHW-PXNC"),
  approveUrl: field(
    Schema.String,
    "Where the person decides",
    `https://gateway.example.com${approvePath(exampleId("apr"))}`
  ),
  expiresAt: decideBefore,
  pollIntervalSeconds
}).annotations({ identifier: "LoginApprovalCreated", description: "A login that waits for a person" })

export const LoginBody = Schema.Struct({
  approvalId,
  status: field(
    Schema.Literal("pending", "approved", "denied", "expired"),
    "What has become of it: once approved, the client's token works",
    "approved"
  ),
  label: field(Schema.String, "What the token is called", "Ada's laptop"),
  scopes: field(Schema.Array(Scope), "What the token may do", ["catalog:read", "runs:execute"]),
  tokenExpiresAt: field(Schema.NullOr(Time), "When the token ends; null for never", null),
  expiresAt: decideBefore,
  pollIntervalSeconds
}).annotations({ identifier: "LoginApproval", description: "What has become of a login" })

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
