/**
 * The audit trail: who changed what, when, from where, with what stood before and after. An entry holds no secret, and
 * is never changed or deleted.
 */
import { Schema, Struct } from "effect"
import { AuditEntryId, MemberId, TokenId, WorkspaceId } from "./Ids.js"
import { JsonObject } from "./Json.js"

/** Where an act came from. Both are null for the command line and for what the gateway does by itself. */
const origin = {
  /** The address of the client. */
  from: Schema.NullOr(Schema.String),
  requestId: Schema.NullOr(Schema.String)
}
/** The request that an act came with. */
export type Origin = Pick<Actor, keyof typeof origin>

/** What a person was called when they acted: they may be removed since. Entries of older versions have no name. */
const name = Schema.optionalWith(Schema.String, { exact: true })

/** Who acts. An operator acts on the whole gateway, a member on one workspace. */
export const Actor = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("command_line"), ...origin }),
  Schema.Struct({ kind: Schema.Literal("token"), tokenId: TokenId, workspaceId: WorkspaceId, ...origin }),
  Schema.Struct({ kind: Schema.Literal("member"), memberId: MemberId, name, workspaceId: WorkspaceId, ...origin }),
  Schema.Struct({ kind: Schema.Literal("operator"), memberId: MemberId, name, ...origin }),
  Schema.Struct({ kind: Schema.Literal("gateway"), ...origin })
)
export type Actor = typeof Actor.Type

/** Somebody who can run the gateway's own commands on its machine. */
export const commandLine = { kind: "command_line", from: null, requestId: null } satisfies Actor
/** The gateway itself, for example when a payment arrives. */
export const gatewayItself: Actor = { kind: "gateway", from: null, requestId: null }

/** The member who acts; null when nobody is signed in. */
export const memberActing = (actor: Actor): MemberId | null =>
  actor.kind === "member" || actor.kind === "operator" ? actor.memberId : null

/** The id of a token or member. An actor without an id is named by its kind. */
export const actorName = (actor: Actor): string => {
  switch (actor.kind) {
    case "token":
      return actor.tokenId
    case "member":
    case "operator":
      return actor.memberId
    default:
      return actor.kind
  }
}

/** What an actor is called now, or was called then; undefined where neither is known. */
export const knownName = (actor: Actor, names: ReadonlyMap<string, string>): string | undefined =>
  names.get(actorName(actor)) ?? ("name" in actor ? actor.name : undefined)

/** Everything that can stand in the trail, with the kind of thing that it happens to. */
export const auditActions = {
  "workspace.created": "workspace",
  "workspace.credited": "workspace",
  "workspace.limits_changed": "workspace",
  "workspace.policy_changed": "workspace",
  "workspace.search_learning_changed": "workspace",
  "top_up.requested": "top_up",
  "top_up.mismatched": "top_up",
  "automatic_top_up.set": "automatic_top_up",
  "automatic_top_up.removed": "automatic_top_up",
  "automatic_top_up.disabled": "automatic_top_up",
  "token.created": "token",
  "token.changed": "token",
  "token.rotated": "token",
  "token.revoked": "token",
  "login.approved": "login_approval",
  "login.denied": "login_approval",
  "connection.authorization_begun": "connection",
  "connection.created": "connection",
  "connection.refused": "connection",
  "connection.deleted": "connection",
  "connection.resealed": "connection",
  "platform_key.set": "provider",
  "platform_key.removed": "provider",
  "platform_key.resealed": "provider",
  "provider.state_changed": "provider",
  "catalog.published": "catalog_revision",
  "run.resolved": "run",
  "run.resolution_proposed": "run",
  "run.resolution_rejected": "run",
  "run.resolution_closed": "run",
  "member.added": "member",
  "member.renamed": "member",
  "member.role_changed": "member",
  "member.removed": "member",
  "member.identity_bound": "member",
  "member.link_made": "member",
  "member.signed_in": "member",
  "member.signed_out": "member"
} as const
export type AuditAction = keyof typeof auditActions
export const auditActionNames = Struct.keys(auditActions)

/** What a change was. `before` is null for something new, `after` for something that is gone. */
export interface AuditRecord {
  readonly action: AuditAction
  /** The id of the thing that was changed. */
  readonly subjectId: string
  /** Null for what belongs to no workspace. */
  readonly workspaceId: WorkspaceId | null
  readonly before: JsonObject | null
  readonly after: JsonObject | null
}

export const AuditEntry = Schema.Struct({
  entryId: AuditEntryId,
  /** By the storage's clock. */
  createdAt: Schema.Int,
  actor: Actor,
  /** One of `auditActions`, or one that a newer version of the gateway knows. */
  action: Schema.String,
  subjectKind: Schema.String,
  subjectId: Schema.String,
  workspaceId: Schema.NullOr(WorkspaceId),
  before: Schema.NullOr(JsonObject),
  after: Schema.NullOr(JsonObject)
})
export type AuditEntry = typeof AuditEntry.Type

/** Which entries a list shows. A filter that is left out lets all pass. */
export interface AuditFilter {
  readonly workspaceId?: WorkspaceId
  readonly action?: AuditAction
  /** An `actorName`. */
  readonly actor?: string
  readonly subjectId?: string
  /** From this time on, in milliseconds. */
  readonly fromMillis?: number
  /** Before this time, in milliseconds. */
  readonly toMillis?: number
}

/** Where an entry stands in a list, which is in the order of time. `seq` decides between equal times. */
export interface AuditPlace {
  readonly createdAt: number
  readonly seq: number
}

/** The sort key of an entry, which a cursor carries. */
export const auditKey = ({ createdAt, seq }: AuditPlace): string => `${createdAt}.${seq}`
export const auditPlaceOf = (key: string): AuditPlace => {
  const [createdAt, seq] = key.split(".")
  return { createdAt: Number(createdAt), seq: Number(seq) }
}
