/**
 * CSV as data for the rules and output maps: a list of rows, each an object by the names of the first row, or a list of
 * cells where there is no such row. Every cell is text, so no digit is lost. Empty lines do not count. The work is
 * bounded by `parsedBytesMax`, `csvRowsMax`, `csvColumnsMax` and `csvRecordBytesMax`.
 */
import { parse } from "csv-parse/sync"
import { Either } from "effect"
import type { Json } from "../../domain/Json.js"
import { csvColumnsMax, csvRecordBytesMax, csvRowsMax } from "../../domain/Limits.js"
import { setMember } from "../../domain/Members.js"

export interface CsvShape {
  readonly delimiter: string
  readonly header: boolean
}

const rowObject = (names: ReadonlyArray<string>, cells: ReadonlyArray<string>): Json => {
  const row: { [name: string]: Json } = {}
  for (const [at, name] of names.entries()) setMember(row, name, cells[at] ?? "")
  return row
}

/** Left: why it is not readable. */
export const readCsv = (text: string, { delimiter, header }: CsvShape): Either.Either<Json, string> => {
  const records: Either.Either<ReadonlyArray<ReadonlyArray<string>>, string> = Either.try({
    try: () =>
      parse(text, {
        delimiter,
        max_record_size: csvRecordBytesMax,
        skip_empty_lines: true,
        // One more than is allowed tells that there are more, and so does the row of names.
        to: csvRowsMax + 2
      }),
    catch: (error) => `it is not well-formed (${error instanceof Error ? error.message : String(error)})`
  })
  return Either.flatMap(records, (rows): Either.Either<Json, string> => {
    const [names = []] = rows
    if (names.length > csvColumnsMax) return Either.left(`it has more than ${csvColumnsMax} columns`)
    if (rows.length - (header ? 1 : 0) > csvRowsMax) return Either.left(`it has more than ${csvRowsMax} rows`)
    if (!header) return Either.right(rows)
    const twice = names.find((name, at) => names.indexOf(name) < at)
    return twice === undefined
      ? Either.right(rows.slice(1).map((cells) => rowObject(names, cells)))
      : Either.left("it has two columns of one name")
  })
}
