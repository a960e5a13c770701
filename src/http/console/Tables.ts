/**
 * Tables: columns that know how a row looks on the page and in a file, filters that stand in the address, pages by
 * keyset (the newest first, then "older"), and the same rows as CSV. `listing` is the whole of it; `table` is one table
 * of rows that are there already.
 */
import { Effect, Either, ParseResult, Schema, SchemaAST } from "effect"
import { ValidationError } from "../../domain/ApiErrors.js"
import { consoleCsvRowsMax, consoleRowsDefault, pageRowsMax } from "../../domain/limits/Lists.js"
import type { Page as Rows, PageRequest } from "../../domain/Page.js"
import type { CursorKey } from "../../services/CursorKey.js"
import { runInSlices } from "../../services/Slices.js"
import { fromIssues } from "../FieldProblems.js"
import { nextCursor, pageRequest } from "../ListPage.js"
import { pageGone } from "./ErrorScreens.js"
import { countText } from "./Figures.js"
import { askForm, button, type Filled, unfilled } from "./Forms.js"
import { attributes, html, type Content, type Html, to } from "./Html.js"
import { type Answer, type File, type PageError, Refusal, screen, type Visit } from "./Page.js"

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => Content
  /** As it stands in a file: plain and exact. Left out of the file without it. */
  readonly csv?: (row: Row) => string | number | null
  /** Figures stand right, under each other. */
  readonly numeric?: boolean
  /** The first thing to go where the page is narrow. */
  readonly minor?: boolean
  /** It tells rows apart, and so stays on a phone, where rows are cards; it may be minor beside that. */
  readonly names?: boolean
  /** Only in the file. */
  readonly fileOnly?: boolean
}

/** One table. With `keyOf` its rows are kept up to date where they stand (the script reads the page again). */
export const table = <Row>(options: {
  /** What the table shows; heard by readers, and seen where `captionShown`. */
  readonly caption: string
  readonly captionShown?: boolean
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  /** What stands there without a row: what to do next. */
  readonly empty: Content
  readonly keyOf?: (row: Row) => string
  /** Whether a row may still change by itself. */
  readonly isMoving?: (row: Row) => boolean
}): Html => {
  const { caption, captionShown, empty, isMoving, keyOf, rows } = options
  const columns = options.columns.filter(({ fileOnly }) => fileOnly !== true)
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`
  const classOf = (column: Column<Row>) =>
    attributes({
      class:
        [column.numeric === true && "figure", column.minor === true && "minor", column.names === true && "names"]
          .filter((name) => name !== false)
          .join(" ") || null
    })
  return html`<div class="scroll" role="region" tabindex="0" aria-label=${caption}><table class="rows">
    <caption${attributes({ class: captionShown === true ? null : "unseen" })}>${caption}</caption>
    <thead><tr>${columns.map((column) => html`<th scope="col" ${classOf(column)}>${column.label}</th>`)}</tr></thead>
    <tbody>${rows.map(
      (row) =>
        html`<tr${attributes({
          "data-live": keyOf?.(row),
          "data-moving": isMoving?.(row) === true
        })}>${columns.map((column) => html`<td${classOf(column)}${attributes({ "data-label": column.label === "" ? null : column.label })}>${column.cell(row)}</td>`)}</tr>`
    )}</tbody>
  </table></div>`
}

/** A text that a spreadsheet would take for a formula gets a quote before it. */
const csvCell = (value: string | number | null): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const safe = /^[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A row is a step: a file may have so many that others are served between them. */
export function* csvText<Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): Generator<void, string> {
  const shown = columns.flatMap(({ csv, label }) => (csv === undefined ? [] : [{ csv, label }]))
  const lines = [shown.map(({ label }) => csvCell(label)).join(",")]
  for (const row of rows) {
    lines.push(shown.map(({ csv }) => csvCell(csv(row))).join(","))
    yield
  }
  return [...lines, ""].join("\r\n")
}

/** The filters of a list: how they are read from the address, and their fields. */
interface Filters<A, I> {
  /** Each member is read from a text and may be left out. */
  readonly schema: Schema.Schema<A, I>
  readonly fields: (form: Filled) => Content
}

/** For a list without filters. */
export const noFilters: Filters<{}, {}> = { schema: Schema.Struct({}), fields: () => null }

const namesOf = <A, I>({ schema }: Filters<A, I>): ReadonlyArray<string> =>
  SchemaAST.getPropertySignatures(SchemaAST.encodedAST(schema.ast)).map(({ name }) => String(name))

/** Reads the filters; an empty field of the form is none. What is wrong is told by the name of its field. */
const readFilters = <A, I>(filters: Filters<A, I>, { query, queryProblems }: Visit) => {
  const names = namesOf(filters)
  const asked = names.flatMap((name) => {
    const value = query.get(name)?.trim() ?? ""
    return value === "" ? [] : [[name, value] as const]
  })
  const raw = Object.fromEntries(asked)
  const chosen = Either.mapLeft(
    Schema.decodeUnknownEither(filters.schema, { errors: "all" })(raw),
    (error) =>
      new Map(
        fromIssues(ParseResult.ArrayFormatter.formatErrorSync(error), "filters").details.map(({ field, message }) => [
          field,
          message
        ])
      )
  )
  const ownProblems = [...queryProblems].filter(([name]) => names.includes(name))
  return {
    raw,
    typed: new Map(asked.map(([name, value]) => [name, [value]])),
    chosen:
      ownProblems.length === 0
        ? chosen
        : Either.left(new Map([...Either.match(chosen, { onLeft: (all) => all, onRight: () => [] }), ...ownProblems]))
  }
}

/** The addresses of this list: the same filters, and something more. */
const withFilters = (
  segments: ReadonlyArray<string>,
  typed: Filled["typed"],
  more: { readonly [name: string]: string | null } = {}
) => to(segments, { ...Object.fromEntries([...typed].map(([name, [value = ""]]) => [name, value])), ...more })

/** A list as the content of a page. */
interface Listed {
  readonly _tag: "Content"
  readonly content: Html
  /** 400 when its filters cannot be read. */
  readonly status: number
}

/** A file that lacks rows would look whole to whoever reads it, and a row that says so would be no row. */
const tooManyRows = (filtered: boolean) =>
  new Refusal(
    422,
    "Too many rows for one file",
    `More than ${countText(consoleCsvRowsMax)} rows match; a file may not have more. No file was made.`,
    filtered
      ? "Go back, narrow the filters, and download the parts one by one."
      : "The pages of the table have them all."
  )

/**
 * A list that is newest first, as the content of a page or, where the address says `format=csv`, as a file of all rows
 * that its filters find (refused above `consoleCsvRowsMax`). A filter that cannot be read is told beside its field, and
 * then nothing is listed: rows without that filter would say something else than was asked.
 */
export const listing = <Row, A, I, E extends PageError, R>(options: {
  readonly visit: Visit
  /** Names the list in its cursors. */
  readonly name: string
  /** Whose rows they are: a workspace, or `operator`. */
  readonly owner: string
  /** The page's own address. */
  readonly segments: ReadonlyArray<string>
  readonly filters: Filters<A, I>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly caption: string
  readonly empty: Content
  readonly keyOf?: (row: Row) => string
  readonly isMoving?: (row: Row) => boolean
  /** What the links to the first and to the next page say, for a list that is not newest first. */
  readonly order?: readonly [first: string, next: string]
  readonly read: (chosen: A, page: PageRequest) => Effect.Effect<Rows<Row>, E, R>
}): Effect.Effect<Listed | File, E | PageError, R | CursorKey> =>
  Effect.gen(function* () {
    const { columns, filters, owner, read, segments, visit } = options
    const [first, more] = options.order ?? ["Newest", "Older"]
    const [strange] = [...visit.queryProblems].filter(([name]) => !namesOf(filters).includes(name))
    const { chosen, raw, typed } = readFilters(filters, visit)
    const gone = () => pageGone(withFilters(segments, typed))
    if (strange !== undefined)
      return yield* strange[0] === "cursor" ? Effect.fail(gone()) : ValidationError.of(...strange)
    const form: Filled = { ...unfilled, typed, problems: Either.isLeft(chosen) ? chosen.left : unfilled.problems }
    const filterForm = askForm({
      action: to(segments),
      label: `Filter ${options.caption.toLowerCase()}`,
      class: "filters",
      content: html`${filters.fields(form)}
        <div class="field">
          ${button("Filter", { kind: "plain" })} ${typed.size > 0 && html`<a href=${to(segments)}>Clear</a>`}
        </div>`
    })
    if (Either.isLeft(chosen))
      return {
        _tag: "Content",
        status: 400,
        content: html`${filterForm}
          <div class="empty"><p>Nothing is listed until the filters can be read.</p></div>`
      }
    const binding = { list: `console ${options.name}`, workspaceId: owner, filters: raw }
    if (visit.query.get("format") === "csv") {
      const rows: Array<Row> = []
      let after: string | null = null
      do {
        const page: Rows<Row> = yield* read(chosen.right, { limit: pageRowsMax, after })
        rows.push(...page.items)
        after = page.next
      } while (after !== null && rows.length <= consoleCsvRowsMax)
      if (rows.length > consoleCsvRowsMax) return yield* Effect.fail(tooManyRows(namesOf(filters).length > 0))
      return {
        _tag: "File",
        name: `${options.name}.csv`,
        contentType: "text/csv; charset=utf-8",
        text: yield* runInSlices(() => csvText(columns, rows))
      }
    }
    const cursor = visit.query.get("cursor")
    const page = yield* read(
      chosen.right,
      yield* pageRequest({ limit: consoleRowsDefault, ...(cursor === undefined ? {} : { cursor }) }, binding, gone)
    )
    const next = yield* nextCursor(page, binding)
    const file = columns.some(({ csv }) => csv !== undefined)
    return {
      _tag: "Content",
      status: 200,
      content: html`${namesOf(filters).length > 0 && filterForm}${table({
        caption: options.caption,
        columns,
        rows: page.items,
        empty:
          next !== null
            ? html`<p>Nothing was found so far; not all was looked at.</p>
                <p><a href=${withFilters(segments, typed, { cursor: next })}>Look further</a></p>`
            : typed.size > 0
              ? html`<p>Nothing matches these filters.</p>
                  <p><a href=${to(segments)}>Show all</a></p>`
              : options.empty,
        ...(options.keyOf === undefined ? {} : { keyOf: options.keyOf }),
        ...(options.isMoving === undefined ? {} : { isMoving: options.isMoving })
      })}
      ${
        (page.items.length > 0 || cursor !== undefined || next !== null) &&
        html`<nav class="pager" aria-label="Pages">
          ${cursor !== undefined && html`<a href=${withFilters(segments, typed)} rel="first">${first}</a>`}
          ${next !== null && html`<a href=${withFilters(segments, typed, { cursor: next })} rel="next">${more}</a>`}
          ${file && html`<a class="csv" href=${withFilters(segments, typed, { format: "csv" })}>Download CSV</a>`}
        </nav>`
      }`
    }
  })

/** Puts a listing on a page of its own. */
export const listScreen =
  (title: string, around: (content: Html) => Html = (content) => content, actions: Html | null = null) =>
  (listed: Listed | File): Answer =>
    listed._tag === "File" ? listed : screen({ title, actions, status: listed.status, content: around(listed.content) })
