/** What a page makes of a change in the audit trail: units and times as people read them. */
import { assert, it } from "@effect/vitest"
import { auditColumns } from "../../../src/http/console/AuditColumns.js"
import type { AuditEntry } from "../../../src/domain/AuditEntry.js"
import { html } from "../../../src/http/console/Html.js"

const entry = (before: AuditEntry["before"], after: AuditEntry["after"]): AuditEntry =>
  ({
    entryId: "aud_1",
    createdAt: 1_700_000_000_000,
    actor: { kind: "command_line", from: null, requestId: null },
    action: "token.changed",
    subjectKind: "token",
    subjectId: "tok_1",
    workspaceId: null,
    before,
    after
  }) as never

const shownIn = (before: AuditEntry["before"], after: AuditEntry["after"]): string => {
  const change = auditColumns(new Map(), ["audit"]).find(({ label }) => label === "Change")
  return html`${change?.cell(entry(before, after))}`
    .render({ prefix: "", csrf: null })
    .replace(/<\/li>/g, "; ")
    .replace(/<[^>]*>/g, "")
}

it("a change shows money in dollars and moments as times, and nothing raw", () => {
  assert.strictEqual(
    shownIn(
      { monthlyLimitMicros: 2_500_000, expiresAt: null, label: "same", operator: false },
      { monthlyLimitMicros: null, expiresAt: 1_798_761_600_000, label: "same", operator: true }
    ),
    "monthly limit: $2.50 → none; expires at: none → 2027-01-01 00:00:00 UTC; operator: no → yes; "
  )
  assert.strictEqual(
    shownIn(null, { overlapSeconds: 3600, waitMillis: 1500, scopes: ["runs:read", "runs:execute"] }),
    "overlap: 1 h; wait: 1.5 s; scopes: runs:read, runs:execute; "
  )
  // A number that is no moment stays a number.
  assert.strictEqual(shownIn(null, { seenAt: 9e15, countAt: 1.5 }), "seen at: 9000000000000000; count at: 1.5; ")
})

it("a person is named as they were called when they acted, also when nobody knows them any more", () => {
  const acted = {
    ...entry(null, null),
    actor: { kind: "operator", memberId: "mem_1", name: "Grace", from: null }
  } as never
  const who = (names: ReadonlyMap<string, string>) =>
    html`${auditColumns(names, ["audit"])
      .find(({ label }) => label === "Who")
      ?.cell(acted)}`
      .render({ prefix: "", csrf: null })
      .replace(/<[^>]*>/g, "")
  assert.strictEqual(who(new Map()), "operator Grace")
  assert.strictEqual(who(new Map([["mem_1", "Grace Hopper"]])), "operator Grace Hopper")
})

it("a name keeps its own direction of writing beside the words around it", () => {
  const change = auditColumns(new Map(), ["audit"]).find(({ label }) => label === "Change")
  assert.include(
    html`${change?.cell(entry({ name: "שלום 1" }, { name: "Ada" }))}`.render({ prefix: "", csrf: null }),
    "<bdi>שלום 1</bdi> → <bdi>Ada</bdi>"
  )
})
