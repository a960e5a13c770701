/** A file of a table has all rows that were asked for, or there is no file. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { consoleCsvRowsMax } from "../../../src/domain/limits/Lists.js"
import type { Visit } from "../../../src/http/console/Page.js"
import { listing, noFilters } from "../../../src/http/console/Tables.js"
import { CursorKeyMemory } from "../../../src/layers/memory/CursorKeyMemory.js"

/** The file of a list with so many rows, of which each page has at most so many. */
const fileOf = (rows: number, pageRows: number) =>
  listing({
    visit: { query: new Map([["format", "csv"]]), queryProblems: new Map() } as unknown as Visit,
    name: "rows",
    owner: "operator",
    segments: ["rows"],
    filters: noFilters,
    columns: [{ label: "Row", cell: (row: number) => row, csv: (row) => row }],
    caption: "Rows",
    empty: null,
    read: (_, { after }) => {
      const begin = Number(after ?? 0)
      const end = Math.min(begin + pageRows, rows)
      // Like a list that looks through a part of its rows, a page may be the last one and not know it.
      return Effect.succeed({
        items: Array.from({ length: end - begin }, (_, n) => begin + n),
        next: begin === rows ? null : String(end)
      })
    }
  }).pipe(Effect.either, Effect.provide(CursorKeyMemory))

describe("the file of a table", () => {
  it.effect("has every row up to as many as a file may have", () =>
    Effect.gen(function* () {
      for (const pageRows of [100, 77]) {
        const file = Either.getOrThrow(yield* fileOf(consoleCsvRowsMax, pageRows))
        assert.strictEqual(file._tag, "File")
        assert.deepStrictEqual(
          file._tag === "File" ? file.text.trimEnd().split("\r\n").slice(1).map(Number) : [],
          Array.from({ length: consoleCsvRowsMax }, (_, n) => n)
        )
      }
    })
  )

  it.effect("is refused with one row more, instead of being cut without a sign", () =>
    Effect.gen(function* () {
      const refused = Either.getOrThrow(Either.flip(yield* fileOf(consoleCsvRowsMax + 1, 100)))
      assert.strictEqual(refused._tag, "Refusal")
      assert.deepInclude(refused, { status: 422, title: "Too many rows for one file" })
    })
  )
})
