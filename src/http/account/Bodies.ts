/**
 * What the routes about the caller, and those of wishes for jobs and providers, take and give (completions: section 4).
 * Names ending in `Micros` are integers.
 */
import { Schema } from "effect"
import { isReadOnly, Scope } from "../../domain/Scope.js"
import type { MonthSpend, Principal } from "../../services/Accounts.js"
import type { CapabilityRequest } from "../../services/CapabilityRequests.js"
import { requestTextCharsMax, requestTitleCharsMax } from "../../domain/limits/Requests.js"
import {
  asked,
  askedMaybe,
  exampleId,
  exampleTime,
  field,
  NextCursor,
  optional,
  says,
  Time,
  time,
  timeOrNull
} from "../Fields.js"
import { mandatoryKeyField } from "../IdempotencyKey.js"

const nullable = Schema.NullOr

const prose = (charsMax: number) =>
  Schema.String.pipe(
    Schema.pattern(new RegExp(`^[\\s\\S]{1,${charsMax}}$`, "u")),
    Schema.annotations({
      ...says(`must be text of 1 to ${charsMax} characters`),
      jsonSchema: { type: "string", minLength: 1, maxLength: charsMax }
    })
  )

const callerScopes = field(Schema.Array(Scope), "What the calling token may do", ["catalog:read", "runs:execute"])

export const WhoamiBody = Schema.Struct({
  tokenId: field(Schema.String, "The calling token's id", exampleId("tok")),
  label: field(Schema.String, "What people call it", "build server"),
  workspaceId: field(Schema.String, "The workspace that it belongs to", exampleId("ws")),
  workspaceName: field(Schema.String, "What the workspace is called", "Example Ltd"),
  scopes: callerScopes,
  createdAt: field(Time, "When it was made", exampleTime),
  expiresAt: field(nullable(Time), "When it ends; null for never", null),
  monthlySpendLimitMicros: field(
    nullable(Schema.Int),
    "How much it may spend in a calendar month (UTC), in micros; null without a limit of its own. GET /v1/limits shows the limit that counts, also that of a token that it comes from",
    5_000_000
  ),
  monthSpendMicros: field(
    Schema.Int,
    "Charges and open holds of this calendar month (UTC), in micros, with those of the tokens that come from it",
    120_000
  ),
  readOnly: field(Schema.Boolean, "It can only read: it starts no run and pays nothing", false)
}).annotations({ identifier: "Whoami", description: "The calling token" })

export const whoamiBody = (caller: Principal, monthSpend: MonthSpend): typeof WhoamiBody.Type => ({
  tokenId: caller.tokenId,
  label: caller.label,
  workspaceId: caller.workspaceId,
  workspaceName: caller.workspaceName,
  scopes: caller.scopes,
  createdAt: time(caller.createdAt),
  expiresAt: timeOrNull(caller.expiresAt),
  monthlySpendLimitMicros: monthSpend.limitMicros,
  monthSpendMicros: monthSpend.spentMicros,
  readOnly: isReadOnly(caller.scopes)
})

export const LoggedOut = Schema.Struct({
  revoked: field(Schema.Literal(true), "The calling token works no more", true)
}).annotations({ identifier: "LoggedOut", description: "The calling token was revoked" })

export const SessionContextBody = Schema.Struct({
  mode: field(Schema.Literal("token"), "How the caller signed in: always with a token", "token"),
  authenticationClass: field(Schema.Literal("api_key"), "What the caller showed", "api_key"),
  organizationId: field(Schema.String, "The workspace's id", exampleId("ws")),
  organizationName: field(Schema.String, "What the workspace is called", "Example Ltd"),
  scopes: callerScopes,
  deploymentMode: field(Schema.String, "How this gateway runs", "production"),
  role: field(
    Schema.Literal("operator", "admin", "member", "viewer"),
    "It follows from the token and is not a person's role in the console. operator: of the gateway; admin: has account:manage; viewer: may only read; member: any other",
    "member"
  ),
  expiresAt: field(nullable(Time), "When the calling token ends; null for never", null)
}).annotations({ identifier: "SessionContext", description: "Who is calling, for a user interface" })

const roleOf = ({ operator, scopes }: Principal): (typeof SessionContextBody.Type)["role"] =>
  operator ? "operator" : isReadOnly(scopes) ? "viewer" : scopes.includes("account:manage") ? "admin" : "member"

export const sessionContextBody = (caller: Principal, deploymentMode: string): typeof SessionContextBody.Type => ({
  mode: "token",
  authenticationClass: "api_key",
  organizationId: caller.workspaceId,
  organizationName: caller.workspaceName,
  scopes: caller.scopes,
  deploymentMode,
  role: roleOf(caller),
  expiresAt: timeOrNull(caller.expiresAt)
})

const requested = {
  title: "Send a fax",
  description: "Send a PDF as a fax to a number in Germany.",
  desiredInputs: "A PDF and a phone number",
  desiredOutputs: "Whether it arrived"
}

export const CapabilityRequestInput = Schema.Struct({
  title: asked(prose(requestTitleCharsMax), "What is wanted, in a few words", requested.title),
  description: asked(prose(requestTextCharsMax), "What it should do", requested.description),
  idempotencyKey: mandatoryKeyField,
  desiredInputs: askedMaybe(prose(requestTextCharsMax), "What would be sent", requested.desiredInputs),
  desiredOutputs: askedMaybe(prose(requestTextCharsMax), "What should come back", requested.desiredOutputs)
}).annotations({ identifier: "CapabilityRequestInput", description: "A wish for something that the catalog lacks" })

export const CapabilityRequestBody = Schema.Struct({
  capabilityRequestId: field(Schema.String, "Names the request", exampleId("cap")),
  title: field(Schema.String, "What is wanted", requested.title),
  description: field(Schema.String, "What it should do", requested.description),
  desiredInputs: optional(field(Schema.String, "What would be sent", requested.desiredInputs)),
  desiredOutputs: optional(field(Schema.String, "What should come back", requested.desiredOutputs)),
  status: field(Schema.Literal("open"), "Where it stands", "open"),
  createdAt: field(Time, "When it was made", exampleTime)
}).annotations({ identifier: "CapabilityRequest", description: "A wish for something that the catalog lacks" })

export const CapabilityRequestPage = Schema.Struct({
  requests: Schema.Array(CapabilityRequestBody).annotations({ description: "Requests, newest first" }),
  nextCursor: NextCursor
}).annotations({ identifier: "CapabilityRequestPage", description: "A page of capability requests" })

export const capabilityRequestBody = (request: CapabilityRequest): typeof CapabilityRequestBody.Type => ({
  capabilityRequestId: request.capabilityRequestId,
  title: request.title,
  description: request.description,
  ...(request.desiredInputs === null ? {} : { desiredInputs: request.desiredInputs }),
  ...(request.desiredOutputs === null ? {} : { desiredOutputs: request.desiredOutputs }),
  status: request.status,
  createdAt: time(request.createdAt)
})
