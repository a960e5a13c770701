import { assert, it } from "@effect/vitest"
import { Arbitrary, Cause, Effect, Exit, FastCheck, Schema } from "effect"
import { describe } from "vitest"
import { WorkspaceId } from "../../../src/domain/Ids.js"
import { Json } from "../../../src/domain/Json.js"
import { Micros } from "../../../src/domain/Micros.js"
import { Scope } from "../../../src/domain/Scope.js"
import { rowOf, rowsOf } from "../../../src/layers/postgres/database/Rows.js"

/** Columns of every kind that has a compiled check. */
const Plain = Schema.Struct({
  id: WorkspaceId,
  amount: Schema.NullOr(Micros),
  count: Schema.Int,
  name: Schema.String,
  open: Schema.Boolean,
  scopes: Schema.Array(Scope),
  key: Schema.Uint8ArrayFromSelf,
  limits: Schema.NullOr(Schema.Struct({ runs: Schema.Int, label: Schema.String }))
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
const anyRow = FastCheck.tuple(
  Arbitrary.make(Plain),
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
