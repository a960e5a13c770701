/** What `GET /v1/audit` gives. Of an operator of the gateway a workspace learns that they acted, and not from where. */
import { Schema } from "effect"
import { type Actor, type AuditEntry, auditActionNames } from "../../domain/AuditEntry.js"
import { type Json, JsonObject } from "../../domain/Json.js"
import { exampleId, exampleTime, field, NextCursor, optional, Time, time } from "../Fields.js"

const nullable = Schema.NullOr

/** The last moment that a date can be. */
const instantMax = 8.64e15
/** Whether a member of a state is a moment, in milliseconds. */
export const isMoment = (name: string, value: Json | undefined): value is number =>
  name.endsWith("At") && typeof value === "number" && Number.isSafeInteger(value) && Math.abs(value) <= instantMax

const ActorBody = Schema.Struct({
  kind: field(
    Schema.Literal("command_line", "token", "member", "operator", "gateway"),
    "Who acted: somebody at the gateway's command line, a token, a member of the workspace, an operator of the gateway, or the gateway by itself",
    "token"
  ),
  tokenId: optional(field(Schema.String, "The token that acted", exampleId("tok"))),
  memberId: optional(field(Schema.String, "The member who acted", exampleId("mem"))),
  from: field(nullable(Schema.String), "The address of the client; null where there is none to tell", "192.0.2.7"),
  requestId: field(nullable(Schema.String), "The request by which they acted", exampleId("req"))
}).annotations({ identifier: "AuditActor", description: "Who acted" })

const state = (description: string, example: JsonObject) => field(nullable(JsonObject), description, example)

const AuditEntryBody = Schema.Struct({
  entryId: field(Schema.String, "Names the entry", exampleId("aud")),
  createdAt: field(Time, "When the change was made, by the database's clock", exampleTime),
  actor: ActorBody,
  action: field(Schema.String, `What was done. Today: ${auditActionNames.join(", ")}`, "token.created"),
  subject: Schema.Struct({
    kind: field(Schema.String, "What kind of thing was changed", "token"),
    id: field(Schema.String, "Which one", exampleId("tok"))
  }).annotations({ description: "What was changed" }),
  before: state("What stood before, without secrets; null for something new", { label: "build server" }),
  after: state("What stands since, without secrets; null for something that is gone", { label: "release server" })
}).annotations({ identifier: "AuditEntry", description: "A change, and who made it" })

export const AuditPage = Schema.Struct({
  entries: Schema.Array(AuditEntryBody).annotations({ description: "Entries, newest first" }),
  nextCursor: NextCursor
}).annotations({ identifier: "AuditPage", description: "A page of the audit trail" })

const actorBody = ({ from, kind, requestId, ...who }: Actor): typeof ActorBody.Type => {
  if (kind === "operator") return { kind, from: null, requestId: null }
  return {
    kind,
    ...("tokenId" in who ? { tokenId: who.tokenId } : {}),
    ...("memberId" in who ? { memberId: who.memberId } : {}),
    from,
    requestId
  }
}

/**
 * A state as clients read it: with moments in ISO 8601, as everywhere else. The trail keeps milliseconds, in fields
 * whose names end in `At`.
 */
export const shownState = (state: JsonObject | null): JsonObject | null =>
  state &&
  Object.fromEntries(Object.entries(state).map(([name, value]) => [name, isMoment(name, value) ? time(value) : value]))

export const auditEntryBody = (entry: AuditEntry): typeof AuditEntryBody.Type => ({
  entryId: entry.entryId,
  createdAt: time(entry.createdAt),
  actor: actorBody(entry.actor),
  action: entry.action,
  subject: { kind: entry.subjectKind, id: entry.subjectId },
  before: shownState(entry.before),
  after: shownState(entry.after)
})
