/** How an entry of the audit trail looks in a table; for the page of a workspace and for that of the operator. */
import { type Actor, actorName, type AuditEntry } from "../../domain/AuditEntry.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { member } from "../../domain/Members.js"
import { time } from "../Fields.js"
import { code, dash, instant } from "./Figures.js"
import { html, type Html } from "./Html.js"
import type { Column } from "./Tables.js"

const kinds: { readonly [Kind in Actor["kind"]]: string } = {
  command_line: "command line",
  token: "token",
  member: "member",
  operator: "operator",
  gateway: "the gateway"
}

/** The ids of the people and tokens that are known, with their names. */
export type Names = ReadonlyMap<string, string>

const actorText = (actor: Actor, names: Names): Html => {
  const id = actorName(actor)
  const name = names.get(id)
  if (id === actor.kind) return html`${kinds[actor.kind]}`
  return html`${kinds[actor.kind]} ${name === undefined ? code(id) : html`<bdi>${name}</bdi>`}`
}

const shown = (value: Json | undefined): string => {
  if (value === undefined || value === null) return "none"
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(shown).join(", ")
  return typeof value === "string" ? value : writeJson(value)
}

/** What a change did to each member that it names. */
const changes = (before: JsonObject | null, after: JsonObject | null): Html => {
  const [from, to] = [before ?? {}, after ?? {}]
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
    (name) => shown(member(from, name)) !== shown(member(to, name))
  )
  if (names.length === 0) return dash
  return html`<ul class="changes">${names.map((name) => {
    const earlier = member(from, name)
    return html`<li>${code(name)}: ${earlier !== undefined && `${shown(earlier)} → `}${after === null ? "gone" : shown(member(to, name))}</li>`
  })}</ul>`
}

export const auditColumns = (names: Names): ReadonlyArray<Column<AuditEntry>> => [
  { label: "Time", cell: ({ createdAt }) => instant(createdAt), csv: ({ createdAt }) => time(createdAt) },
  {
    label: "Who",
    cell: ({ actor }) => actorText(actor, names),
    csv: ({ actor }) => (actorName(actor) === actor.kind ? actor.kind : `${actor.kind} ${actorName(actor)}`)
  },
  { label: "What", cell: ({ action }) => code(action), csv: ({ action }) => action },
  {
    label: "On",
    cell: ({ subjectId, subjectKind }) => html`${subjectKind} ${code(names.get(subjectId) ?? subjectId)}`,
    csv: ({ subjectId }) => subjectId
  },
  { label: "Change", cell: ({ after, before }) => changes(before, after) },
  { label: "From", minor: true, cell: ({ actor }) => actor.from ?? dash, csv: ({ actor }) => actor.from },
  {
    label: "Request",
    minor: true,
    cell: ({ actor }) => (actor.requestId === null ? dash : code(actor.requestId)),
    csv: ({ actor }) => actor.requestId
  },
  {
    label: "Before",
    fileOnly: true,
    cell: () => null,
    csv: ({ before }) => (before === null ? null : writeJson(before))
  },
  { label: "After", fileOnly: true, cell: () => null, csv: ({ after }) => (after === null ? null : writeJson(after)) }
]
