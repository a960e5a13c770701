/** Large results as they are shown: by the tools of agents, trimmed by `max_items`, and as files of the console. */
import { Effect, Either, Schema } from "effect"
import { AuditEntry } from "../../src/domain/AuditEntry.js"
import { auditColumns } from "../../src/http/console/AuditColumns.js"
import { csvText } from "../../src/http/console/Tables.js"
import { consoleCsvRowsMax } from "../../src/domain/limits/Lists.js"
import type { Json, JsonObject } from "../../src/domain/Json.js"
import { trim } from "../../src/domain/Trim.js"
import { partOfRun } from "../../src/http/mcp/RunView.js"
import { runInSlices } from "../../src/services/Slices.js"
import type { Case, Run } from "./Case.js"

const times = <A>(count: number, each: (at: number) => A): Array<A> =>
  Array.from({ length: count }, (_, at) => each(at))
const named = (count: number, each: (at: number) => Json): JsonObject =>
  Object.fromEntries(times(count, (at) => [`k${at}`, each(at)]))

const nested = (levels: number): Json => {
  let value: Json = 1
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}
const listed = (levels: number): Json => {
  let value: Json = times(10, (at) => at)
  for (let level = 0; level < levels; level += 1) value = [value, ...times(9, (at) => at)]
  return value
}
const tree = (levels: number): Json =>
  levels === 0 ? 1 : Object.fromEntries(times(10, (at) => [`name${at}`, tree(levels - 1)]))

/** About 1 MB each: what a result may be that stands in the run itself. */
const results: ReadonlyArray<readonly [what: string, result: () => Json]> = [
  ["90,000 names", () => ({ found: true, counts: named(90_000, () => 1) })],
  ["70,000 named lists", () => named(70_000, () => [1, 2])],
  ["a tree of ten names, five deep", () => tree(5)],
  ["340,000 empty lists", () => times(340_000, () => [])],
  ["200,000 lists of two", () => times(200_000, () => [1, 2])],
  ["400 values, 500 levels deep", () => times(400, () => nested(500))],
  ["100 lists of lists, 500 levels deep", () => times(100, () => listed(500))],
  ["100 texts of 10,000 characters", () => times(100, () => "x".repeat(10_000))],
  [
    "300,000 empty lists below one name of 100,000 characters",
    () => ({ ["n".repeat(100_000)]: times(300_000, () => []) })
  ],
  ["20,000 rows, one of 20,000 names", () => [...times(20_000, (at) => ({ id: at })), named(20_000, () => 1)]]
]

const reader = { publicUrl: "https://gateway.test", caller: { scopes: ["runs:read"] } } as const
const runOf = (result: Json): Parameters<typeof partOfRun>[0] => ({
  runId: "run_bounds",
  endpointId: "bounds-operation",
  providerResponseStatus: 200,
  status: "completed",
  outcome: "hit",
  result,
  resultBytes: 1_000_000,
  actualCost: 0.01,
  estimatedCost: 0.01,
  pricing: { maximumChargeMicros: 10_000, finalChargeMicros: 10_000 },
  createdAt: "2026-01-01T00:00:00.000Z",
  startedAt: "2026-01-01T00:00:00.000Z",
  completedAt: "2026-01-01T00:00:01.000Z"
})

const said = (value: unknown): string => `${JSON.stringify(value).length} characters`

const tools = ([what, result]: (typeof results)[number]): ReadonlyArray<Case> =>
  [null, 1].map((maxItems): Case => ({
    name: `shown: get_run of ${what}${maxItems === null ? "" : `, max_items ${maxItems}`}`,
    prepare: (): Run => {
      const body = runOf(result())
      return () => Effect.runPromise(Effect.map(partOfRun(body, reader, { maxItems, skipItems: 0 }), said))
    }
  }))

const trimmed = ([what, result]: (typeof results)[number]): Case => ({
  name: `shown: max_items 1 of ${what}`,
  prepare: (): Run => {
    const value = result()
    return () =>
      Effect.runPromise(
        Effect.map(
          runInSlices(() => trim(value, { fields: null, maxItems: 1 })),
          (kept) => `${Either.match(kept, { onLeft: () => 0, onRight: ({ arrays }) => arrays.length })} lists cut`
        )
      )
  }
})

const picked: Case = {
  name: "shown: fields of 100,000 rows",
  prepare: (): Run => {
    const value: Json = { rows: times(100_000, (at) => ({ id: at, name: "Ada" })) }
    return () =>
      Effect.runPromise(
        Effect.map(
          runInSlices(() => trim(value, { fields: ["rows.name", "rows.id"], maxItems: null })),
          (kept) => kept._tag
        )
      )
  }
}

const batch: Case = {
  name: "shown: twenty get_run of 70,000 named lists at once",
  prepare: (): Run => {
    const body = runOf(named(70_000, () => [1, 2]))
    return () =>
      Effect.runPromise(
        Effect.map(
          Effect.forEach(times(20, String), () => partOfRun(body, reader), { concurrency: "unbounded" }),
          ({ length }) => `${length} answers`
        )
      )
  }
}

const id = (at: number): string => String(at).padStart(26, "0")
const entryOf = Schema.decodeUnknownSync(AuditEntry)
const entry = (at: number): AuditEntry =>
  entryOf({
    entryId: `aud_${id(at)}`,
    createdAt: 1_700_000_000_000 + at,
    actor: {
      kind: "token",
      tokenId: `tok_${id(1)}`,
      workspaceId: `ws_${id(1)}`,
      from: "192.0.2.1",
      requestId: `req_${at}`
    },
    action: "token.created",
    subjectKind: "token",
    subjectId: `tok_${id(at)}`,
    workspaceId: `ws_${id(1)}`,
    before: null,
    after: { label: "x", scopes: ["runs:read", "runs:execute"], expiresAt: 1_700_000_000_000 }
  })

const file: Case = {
  name: `shown: ${consoleCsvRowsMax} rows of the audit trail as CSV`,
  prepare: (): Run => {
    const rows = times(consoleCsvRowsMax, entry)
    return () =>
      Effect.runPromise(
        Effect.map(
          runInSlices(() => csvText(auditColumns(new Map(), []), rows)),
          said
        )
      )
  }
}

export const shownResults: ReadonlyArray<Case> = [
  ...results.flatMap(tools),
  ...results.map(trimmed),
  picked,
  batch,
  file
]
