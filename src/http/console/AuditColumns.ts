/** How an entry of the audit trail looks in a table; for the page of a workspace and for that of the operator. */
import { type Actor, actorName, type AuditEntry, knownName } from "../../domain/AuditEntry.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { member } from "../../domain/Members.js"
import { isMoment, shownState } from "../audit/Bodies.js"
import { time } from "../Fields.js"
import { code, dash, durationText, instant, linkTo, moneyText, shortId } from "./Figures.js"
import { html, type Html, to } from "./Html.js"
import type { Column } from "./Tables.js"

const kinds: { readonly [Kind in Actor["kind"]]: string } = {
  command_line: "command line",
  token: "token",
  member: "member",
  operator: "operator",
  gateway: "the gateway"
}

/** The ids of the people and tokens that are known, with their names. */
type Names = ReadonlyMap<string, string>

const actorText = (actor: Actor, names: Names, segments: ReadonlyArray<string>): Html => {
  const id = actorName(actor)
  const name = knownName(actor, names)
  if (id === actor.kind) return html`${kinds[actor.kind]}`
  return html`${kinds[actor.kind]} ${name === undefined ? shortId(id, to(segments, { actor: id })) : linkTo(to(segments, { actor: id }), html`<bdi>${name}</bdi>`)}`
}

/** `monthlyLimitMicros` as `monthly limit`. */
const wordsOf = (name: string): string =>
  name
    .replace(/(?:Micros|Millis|Seconds)$/, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()

/** Money as dollars, and moments and spans as people read them: the names of the fields say their units. */
const shown = (name: string, value: Json | undefined): string => {
  if (value === undefined || value === null) return "none"
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map((each) => shown(name, each)).join(", ")
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (isMoment(name, value)) return `${time(value).slice(0, 19).replace("T", " ")} UTC`
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    if (name.endsWith("Micros")) return moneyText(value)
    if (name.endsWith("Seconds")) return durationText(value * 1000)
    if (name.endsWith("Millis")) return durationText(value)
  }
  return typeof value === "string" ? value : writeJson(value)
}

/** What a change did to each member that it names. */
const changes = (before: JsonObject | null, after: JsonObject | null): Html => {
  const [from, now] = [before ?? {}, after ?? {}]
  const names = [...new Set([...Object.keys(from), ...Object.keys(now)])].filter(
    (name) => shown(name, member(from, name)) !== shown(name, member(now, name))
  )
  if (names.length === 0) return dash
  return html`<ul class="changes">${names.map((name) => {
    const earlier = member(from, name)
    return html`<li><span class="hint">${wordsOf(name)}:</span> ${earlier !== undefined && html`<bdi>${shown(name, earlier)}</bdi> → `}${after === null ? "gone" : html`<bdi>${shown(name, member(now, name))}</bdi>`}</li>`
  })}</ul>`
}

const csvOf = (state: JsonObject | null): string | null => {
  const visible = shownState(state)
  return visible === null ? null : writeJson(visible)
}

/** `segments` is the address of the list, whose filters the ids set. */
export const auditColumns = (names: Names, segments: ReadonlyArray<string>): ReadonlyArray<Column<AuditEntry>> => [
  { label: "Time", cell: ({ createdAt }) => instant(createdAt), csv: ({ createdAt }) => time(createdAt) },
  {
    label: "Who",
    cell: ({ actor }) =>
      html`${actorText(actor, names, segments)}${actor.from !== null && html`<br /><small>from ${actor.from}</small>`}`,
    csv: ({ actor }) => (actorName(actor) === actor.kind ? actor.kind : `${actor.kind} ${actorName(actor)}`)
  },
  { label: "What", cell: ({ action }) => code(action), csv: ({ action }) => action },
  {
    label: "On",
    cell: ({ subjectId, subjectKind }) => {
      const link = to(segments, { subject: subjectId })
      const name = names.get(subjectId)
      return html`${subjectKind.replaceAll("_", " ")} ${name === undefined ? shortId(subjectId, link) : linkTo(link, html`<bdi>${name}</bdi>`)}`
    },
    csv: ({ subjectId }) => subjectId
  },
  { label: "Change", cell: ({ after, before }) => changes(before, after) },
  { label: "From", fileOnly: true, cell: () => null, csv: ({ actor }) => actor.from },
  {
    label: "Request",
    minor: true,
    cell: ({ actor }) => (actor.requestId === null ? dash : shortId(actor.requestId)),
    csv: ({ actor }) => actor.requestId
  },
  {
    label: "Before",
    fileOnly: true,
    cell: () => null,
    csv: ({ before }) => csvOf(before)
  },
  { label: "After", fileOnly: true, cell: () => null, csv: ({ after }) => csvOf(after) }
]
