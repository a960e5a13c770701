/**
 * What of a schema a program of the version before may notice: read from Postgres' own catalog before and after a
 * migration, and compared. A program that runs goes on with its statements. They may name every table, column and
 * unique key of before, and they give no values for what is new.
 */
import { Effect, Schema } from "effect"
import { Database } from "../../../src/layers/postgres/Database.js"
import { rowOf } from "../../../src/layers/postgres/database/Rows.js"

const Column = Schema.Struct({
  place: Schema.String,
  type: Schema.String,
  required: Schema.Boolean,
  filled: Schema.Boolean
})
const Rule = Schema.Struct({
  place: Schema.String,
  kind: Schema.String,
  definition: Schema.String,
  columns: Schema.Array(Schema.String)
})
const Shape = Schema.Struct({
  tables: Schema.Array(Schema.String),
  columns: Schema.Array(Column),
  rules: Schema.Array(Rule)
})
export type Shape = typeof Shape.Type
const shapeRow = rowOf(Shape)

/** The tables and views, columns and rules (keys, checks, references, unique indexes, triggers) of the schema. */
export const shape = Effect.flatMap(Database, ({ query, sql }) =>
  shapeRow(
    query(
      sql.unsafe(`
      with mine as (
        select c.oid, c.relname::text as name from pg_class c where c.relkind in ('r', 'p', 'v') and c.relnamespace = 'public'::regnamespace
      ), columns as (
        select m.name || '.' || a.attname as place, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
          a.atthasdef or a.attidentity <> '' as filled
        from mine m join pg_attribute a on a.attrelid = m.oid and a.attnum > 0 and not a.attisdropped
      ), rules as (
        select m.name as place, 'constraint' as kind, pg_get_constraintdef(k.oid) as definition,
          coalesce((select array_agg(m.name || '.' || a.attname) from pg_attribute a where a.attrelid = m.oid and a.attnum = any(k.conkey)), '{}') as columns
        from mine m join pg_constraint k on k.conrelid = m.oid and k.contype <> 'n'
        union all
        select m.name, 'unique index', regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', ''),
          coalesce((select array_agg(m.name || '.' || a.attname) from pg_attribute a where a.attrelid = m.oid and a.attnum = any(i.indkey::int2[])), '{}')
        from mine m join pg_index i on i.indrelid = m.oid and i.indisunique and not i.indisprimary
        where not exists (select from pg_constraint k where k.conindid = i.indexrelid)
        union all
        select m.name, 'trigger', pg_get_triggerdef(t.oid), '{}' from mine m join pg_trigger t on t.tgrelid = m.oid and not t.tgisinternal
      )
      select (select coalesce(json_agg(name order by name), '[]') from mine) as tables,
        (select coalesce(json_agg(columns order by place), '[]') from columns) as columns,
        (select coalesce(json_agg(rules order by place, kind, definition), '[]') from rules) as rules`)
    )
  )
).pipe(
  Effect.flatMap((found) => (found === null ? Effect.dieMessage("the catalog answered no row") : Effect.succeed(found)))
)

const tableOf = (place: string): string => place.split(".", 1)[0] ?? place
const nameOf = (place: string): string => place.slice(place.indexOf(".") + 1)

/** Everything that could stop a program which knows only the schema of before, in words. */
export const schemaBreaks = (before: Shape, after: Shape): ReadonlyArray<string> => {
  const tables = new Set(before.tables)
  const oldColumns = new Set(before.columns.map(({ place }) => place))
  const newColumns = new Map(after.columns.map((column) => [column.place, column]))
  const ruleName = ({ definition, kind, place }: Shape["rules"][number]): string => `${kind} of ${place}: ${definition}`
  const oldRules = new Set(before.rules.map(ruleName))
  const newRules = new Set(after.rules.map(ruleName))
  const added = after.columns.filter(({ place }) => tables.has(tableOf(place)) && !oldColumns.has(place))
  const oldNames = new Set(before.columns.map(({ place }) => nameOf(place)))
  return [
    ...before.tables.filter((name) => !after.tables.includes(name)).map((name) => `table ${name} is gone`),
    ...before.columns
      .filter(({ place }) => after.tables.includes(tableOf(place)))
      .flatMap((old) => {
        const now = newColumns.get(old.place)
        if (now === undefined) return [`column ${old.place} is gone`]
        return [
          ...(now.type === old.type ? [] : [`column ${old.place} is ${now.type} and was ${old.type}`]),
          ...(now.required && !old.required ? [`column ${old.place} must have a value`] : []),
          ...(old.filled && !now.filled ? [`column ${old.place} has no default any more`] : [])
        ]
      }),
    // Three tables joined by `using` are refused when the name is in two of them before the third.
    ...added
      .filter(({ place }) => nameOf(place).endsWith("_id") && oldNames.has(nameOf(place)))
      .map(({ place }) => `new column ${place} has the name by which other tables are joined`),
    ...added
      .filter(({ filled, required }) => required && !filled)
      .map(({ place }) => `new column ${place} must have a value and has no default`),
    // Statements may lean on a key (`on conflict`); other rules may go.
    ...before.rules
      .filter(
        ({ definition, kind, place }) =>
          after.tables.includes(place) && (kind === "unique index" || /^(?:PRIMARY KEY|UNIQUE)/.test(definition))
      )
      .filter((rule) => !newRules.has(ruleName(rule)))
      .map((rule) => `${ruleName(rule)} is gone`),
    ...after.rules
      .filter(({ place }) => tables.has(place))
      .filter((rule) => !oldRules.has(ruleName(rule)))
      // A rule about nothing but new columns is kept by rows that give no value for them.
      .filter(({ columns }) => columns.length === 0 || columns.some((column) => oldColumns.has(column)))
      .map((rule) => `${ruleName(rule)} is new`)
  ]
}
