import { assert, it } from "@effect/vitest"
import { Arbitrary, Cause, Effect, Exit, FastCheck, Schema } from "effect"
import { describe } from "vitest"
import { WorkspaceId } from "../../../src/domain/Ids.js"
import { optional } from "../../../src/domain/Described.js"
import { Json, JsonObject } from "../../../src/domain/Json.js"
import { Micros } from "../../../src/domain/Micros.js"
import { Attempt, RunSummary, summarise } from "../../../src/domain/Run.js"
import { StoredRun, toStoredRun } from "../../../src/domain/StoredPlan.js"
import { Scope } from "../../../src/domain/Scope.js"
import { rowOf, rowsOf } from "../../../src/layers/postgres/database/Rows.js"
import { attempt, completedRun } from "../../support/httpSamples.js"

/** Columns of every kind that has a compiled check. */
const Plain = Schema.Struct({
  id: WorkspaceId,
  amount: Schema.NullOr(Micros),
  count: Schema.Int,
  name: Schema.String,
  open: Schema.Boolean,
  scopes: Schema.Array(Scope),
  key: Schema.Uint8ArrayFromSelf,
  limits: Schema.NullOr(Schema.Struct({ runs: Schema.Int, label: Schema.String })),
  input: Schema.Union(JsonObject, Schema.String),
  result: Schema.NullOr(
    Schema.Union(
      Schema.TaggedStruct("Json", { value: Json }),
      Schema.TaggedStruct("Text", { text: Schema.String, note: optional(Schema.String) })
    )
  ),
  /** Both take a value with `a` and `b`, and the first leaves `b` out. */
  either: Schema.Union(Schema.Struct({ a: Schema.Int }), Schema.Struct({ a: Schema.Int, b: Schema.Int })),
  dropped: optional(Schema.Literal(true))
})
/** Columns that only the Schema can tell. */
const Nested = Schema.Struct({ id: WorkspaceId, input: Json, at: Schema.NumberFromString })

const wrongValue = FastCheck.oneof(
  FastCheck.anything(),
  FastCheck.constantFrom(null, undefined, -1, 1.5, "", "ws_x", [], [null], ["runs:read", "nothing"], new Date(0), {
    runs: 1,
    label: "a",
    more: 2
  })
)
const anyJson = FastCheck.jsonValue()
const jsonColumns = FastCheck.record({
  input: FastCheck.oneof(FastCheck.string(), FastCheck.dictionary(FastCheck.string(), anyJson)),
  result: FastCheck.oneof(
    FastCheck.constant(null),
    FastCheck.record({ _tag: FastCheck.constant("Json"), value: anyJson }),
    FastCheck.record(
      { _tag: FastCheck.constant("Text"), text: FastCheck.string(), note: FastCheck.string() },
      { requiredKeys: ["_tag", "text"] }
    )
  )
})
const rightRow = FastCheck.tuple(Arbitrary.make(Plain.omit("input", "result")), jsonColumns).map(
  ([others, json]): { readonly [column: string]: unknown } => ({ ...others, ...json })
)
const anyRow = FastCheck.tuple(
  rightRow,
  FastCheck.option(FastCheck.tuple(FastCheck.constantFrom(...Object.keys(Plain.fields), "more"), wrongValue))
).map(([row, change]): unknown => (change === null ? row : { ...row, [change[0]]: change[1] }))

describe("rowsOf", () => {
  it.effect.prop(
    "answers what the Schema answers, for rows that are right and rows that are not",
    { rows: FastCheck.array(anyRow, { maxLength: 4 }) },
    ({ rows }) =>
      Effect.gen(function* () {
        const checked = yield* Effect.exit(rowsOf(Plain)(Effect.succeed(rows)))
        const decoded = yield* Effect.exit(Schema.decodeUnknown(Schema.Array(Plain))(rows))
        assert.strictEqual(Exit.isSuccess(checked), Exit.isSuccess(decoded))
        if (Exit.isSuccess(checked) && Exit.isSuccess(decoded)) {
          assert.deepStrictEqual(
            checked.value.map((row) => ({ ...row })),
            decoded.value.map((row) => ({ ...row }))
          )
        }
      })
  )

  it.effect("uses the rows of runs, of attempts and of lists as they are", () =>
    Effect.gen(function* () {
      const run = toStoredRun(completedRun)
      const [same] = yield* rowsOf(StoredRun)(Effect.succeed([run]))
      assert.strictEqual(same, run)
      const [sameAttempt] = yield* rowsOf(Attempt)(Effect.succeed([attempt]))
      assert.strictEqual(sameAttempt, attempt)
      const summary = summarise(completedRun)
      const [sameSummary] = yield* rowsOf(RunSummary)(Effect.succeed([summary]))
      assert.strictEqual(sameSummary, summary)
    })
  )

  it.effect("decodes columns that the Schema changes", () =>
    Effect.gen(function* () {
      const id = WorkspaceId.make(`ws_${"0".repeat(26)}`)
      const rows = yield* rowsOf(Nested)(Effect.succeed([{ id, input: { a: [1, null] }, at: "17" }]))
      assert.deepStrictEqual(rows, [{ id, input: { a: [1, null] }, at: 17 }])
    })
  )

  it.effect("dies with the name of a column that is missing or of another type", () =>
    Effect.gen(function* () {
      const Row = Schema.Struct({ runs: Schema.Int, status: Schema.Literal("open", "closed") })
      const storyOf = (row: unknown) =>
        Effect.map(Effect.flip(Effect.sandbox(rowsOf(Row)(Effect.succeed([row])))), Cause.pretty)
      assert.match(yield* storyOf({ runs: "3", status: "open" }), /\["runs"\][\s\S]*"3"/)
      assert.match(yield* storyOf({ runs: 3 }), /\["status"\][\s\S]*is missing/)
      assert.match(yield* storyOf({ runs: 3, status: "lost" }), /\["status"\][\s\S]*"lost"/)
    })
  )

  it.effect("an answer of one row is that row, and an empty one is null", () =>
    Effect.gen(function* () {
      const row = rowOf(Schema.Struct({ n: Schema.Int }))
      assert.deepStrictEqual(yield* row(Effect.succeed([{ n: 1 }])), { n: 1 })
      assert.isNull(yield* row(Effect.succeed([])))
    })
  )
})
