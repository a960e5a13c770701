/**
 * CSV as data for the rules and output maps: a list of rows, each an object by the names of the first row, or a list of
 * cells where there is no such row. Every cell is text, so no digit is lost. Empty lines do not count. The work is
 * bounded by `parsedBytesMax`, `csvRowsMax`, `csvColumnsMax` and `csvRecordBytesMax`.
 */
import { type Options, parse as parserOf } from "csv-parse"
import { parse } from "csv-parse/sync"
import { Effect, Either } from "effect"
import type { Json } from "../../domain/Json.js"
import { csvColumnsMax, csvRecordBytesMax, csvRowsMax } from "../../domain/limits/Calls.js"
import { setMember } from "../../domain/Members.js"
import { allSteps, runInSlices } from "../../services/Slices.js"

interface CsvShape {
  readonly delimiter: string
  readonly header: boolean
}

const rowObject = (names: ReadonlyArray<string>, cells: ReadonlyArray<string>): Json => {
  const row: { [name: string]: Json } = {}
  for (const [at, name] of names.entries()) setMember(row, name, cells[at] ?? "")
  return row
}

const optionsOf = (delimiter: string): Options => ({
  delimiter,
  max_record_size: csvRecordBytesMax,
  skip_empty_lines: true,
  // One more than is allowed tells that there are more, and so does the row of names.
  to: csvRowsMax + 2
})

type Rows = ReadonlyArray<ReadonlyArray<string>>

const notWellFormed = (error: unknown): string =>
  `it is not well-formed (${error instanceof Error ? error.message : String(error)})`

function* valueSteps(rows: Rows, header: boolean): Generator<void, Either.Either<Json, string>> {
  const [names = []] = rows
  if (names.length > csvColumnsMax) return Either.left(`it has more than ${csvColumnsMax} columns`)
  if (rows.length - (header ? 1 : 0) > csvRowsMax) return Either.left(`it has more than ${csvRowsMax} rows`)
  if (!header) return Either.right(rows)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) return Either.left("it has two columns of one name")
  const objects: Array<Json> = []
  for (const cells of rows.slice(1)) {
    objects.push(rowObject(names, cells))
    yield
  }
  return Either.right(objects)
}

/** Left: why it is not readable. */
export const readCsv = (text: string, { delimiter, header }: CsvShape): Either.Either<Json, string> =>
  Either.flatMap(Either.try({ try: (): Rows => parse(text, optionsOf(delimiter)), catch: notWellFormed }), (rows) =>
    allSteps(valueSteps(rows, header))
  )

/** Characters that are read in one turn of the event loop. */
const portion = 4_096

const rowsInSlices = (text: string, delimiter: string): Effect.Effect<Rows, string> =>
  Effect.async((resume) => {
    const rows: Array<ReadonlyArray<string>> = []
    const parser = parserOf(optionsOf(delimiter))
    let at = 0
    let next: NodeJS.Immediate | undefined
    const write = (): void => {
      if (parser.destroyed || parser.writableEnded) return
      if (at >= text.length) return void parser.end()
      const part = text.slice(at, at + portion)
      at += portion
      parser.write(part, () => (next = setImmediate(write)))
    }
    parser.on("data", (row: ReadonlyArray<string>) => void rows.push(row))
    parser.on("error", (error) => resume(Effect.fail(notWellFormed(error))))
    parser.on("end", () => resume(Effect.succeed(rows)))
    write()
    return Effect.sync(() => {
      clearImmediate(next)
      parser.destroy()
    })
  })

/** The same, in slices of a few milliseconds, for a large text. */
export const readCsvInSlices = (
  text: string,
  { delimiter, header }: CsvShape
): Effect.Effect<Either.Either<Json, string>> =>
  Effect.flatMap(Effect.either(rowsInSlices(text, delimiter)), (read) =>
    Either.isLeft(read) ? Effect.succeed(Either.left(read.left)) : runInSlices(() => valueSteps(read.right, header))
  )
