/**
 * Every statement that the gateway makes in a test is shown to Postgres, in a database whose tables are
 * hash-partitioned by workspace (`tablesByWorkspace.ts`), and its plan is looked at: the one that a connection keeps
 * for all values. Two things must hold. The statement names the workspace: each table that is kept by workspace is read
 * in one partition, or with a comparison of `workspace_id` in every partition, as a join has it. And it reads no table
 * as a whole, nor a whole index: each read is a range of an index, or an index of few rows. A condition on a value
 * cannot use an index that is made for that value alone, unless the value stands in the text. Only statements that are
 * written in `src` count.
 *
 * This costs time, so in most runs the first text of each template is looked at, in the files that share a process.
 * `npm run test:partitioned` looks at every text.
 */
import Pg from "pg"
import type { Sql } from "../../src/layers/postgres/Database.js"
import { pipelined } from "../../src/layers/postgres/database/DriverInternals.js"
import { plannedByIndexOnce } from "../../src/layers/postgres/database/Pools.js"
import { crossings } from "./crossing.js"
import { wholeReads } from "./wholeReads.js"

/** A node of a plan, as `explain (format json)` shows it. */
interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly Alias?: string
  readonly "Index Cond"?: string
  readonly "Recheck Cond"?: string
  readonly Filter?: string
  readonly Plans?: ReadonlyArray<PlanNode>
}

const nodesOf = (node: PlanNode): ReadonlyArray<PlanNode> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
const named = /\bworkspace_id\)? = /

/**
 * The tables that the plan reads without a workspace. `wholeOf` gives the table of a partition.
 */
const crossed = (plan: PlanNode, wholeOf: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const reads = new Map<string, { readonly table: string; readonly parts: Set<string>; named: boolean }>()
  for (const node of nodesOf(plan)) {
    const { "Relation Name": part = "", "Node Type": type, Alias: alias = "" } = node
    const table = wholeOf.get(part)
    if (table === undefined || type === "ModifyTable") continue
    const place = `${table} ${alias.replace(/_\d+$/, "")}`
    const read = reads.get(place) ?? { table, parts: new Set(), named: true }
    read.parts.add(part)
    const conditions = [node["Index Cond"], node["Recheck Cond"], node.Filter].join(" ")
    read.named = read.named && named.test(conditions)
    reads.set(place, read)
  }
  return [...reads.values()].flatMap(({ named, parts, table }) => (parts.size > 1 && !named ? [table] : []))
}

/** The tables that the plan reads without a range of an index; `few` are the tables and indexes that hold few rows. */
const readWhole = (
  plan: PlanNode,
  wholeOf: ReadonlyMap<string, string>,
  few: ReadonlySet<string>
): ReadonlyArray<string> => [
  ...new Set(
    nodesOf(plan).flatMap(({ "Index Cond": range, "Index Name": index, "Node Type": type, "Relation Name": part }) => {
      const table = wholeOf.get(part ?? "")
      if (table === undefined || type === "ModifyTable" || range !== undefined) return []
      return few.has(table) || few.has(index ?? "") ? [] : [table]
    })
  )
]

/** What Postgres says to a fragment that only looks like a statement. */
const fragment = new Set(["42601", "42703", "42P01", "42P18", "42883"])
const isStatement = /^\s*(with|select|insert|update|delete)\b/

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return `{${value.map(elementOf).join(",")}}`
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
const elementOf = (value: unknown): string => (value === null ? "null" : JSON.stringify(textOf(value)))
/** The value in SQL; Postgres reads it as whatever type the statement wants. */
export const literal = (value: unknown): string =>
  value === null || value === undefined ? "null" : Pg.escapeLiteral(textOf(value))

export interface Judgement {
  /** The tables that the statement reads without naming the workspace. */
  readonly crossed: ReadonlyArray<string>
  /** The tables that it reads as a whole. */
  readonly whole: ReadonlyArray<string>
}

export class Judge {
  readonly #pool: Pg.Pool
  #known: Promise<{ readonly parts: ReadonlyMap<string, string>; readonly few: ReadonlySet<string> }> | undefined

  /** `url` is that of a database with the tables partitioned. */
  constructor(url: string) {
    this.#pool = new Pg.Pool({ connectionString: url, max: 1, ...pipelined })
    this.#pool.on("error", () => undefined)
    this.#pool.on("connect", (client) => void client.query(plannedByIndexOnce).catch(() => undefined))
  }

  async #ask<Row>(text: string): Promise<ReadonlyArray<Row>> {
    return (await this.#pool.query(text)).rows as ReadonlyArray<Row>
  }

  async #tables() {
    const parts = await this.#ask<{ part: string; whole: string }>(
      "select inhrelid::regclass::text as part, inhparent::regclass::text as whole from pg_inherits"
    )
    // Indexes of some rows only, and tables of one row for each workspace.
    const few = await this.#ask<{ name: string }>(`
      select indexrelid::regclass::text as name from pg_index where indpred is not null
      union all select conrelid::regclass::text from pg_constraint k join pg_attribute a on a.attrelid = conrelid and array[a.attnum] = conkey
        where contype = 'p' and a.attname = 'workspace_id'`)
    return { parts: new Map(parts.map(({ part, whole }) => [part, whole])), few: new Set(few.map(({ name }) => name)) }
  }

  /** The plan that a connection keeps for the statement; null where there is nothing to plan. */
  async #planOf(text: string, values: ReadonlyArray<unknown>): Promise<PlanNode | null> {
    // A connection of its own: after an error, the pool makes another one, which knows no statement.
    const client = await this.#pool.connect()
    try {
      await client.query(`prepare judged as ${text}`)
      const given = values.length === 0 ? "" : `(${values.map(literal).join(", ")})`
      const { rows } = await client.query<{ "QUERY PLAN": readonly [{ readonly Plan: PlanNode }] }>(
        `explain (format json) execute judged${given}`
      )
      return rows[0]?.["QUERY PLAN"][0].Plan ?? null
    } finally {
      await client.query("deallocate all").catch(() => undefined)
      client.release()
    }
  }

  /** What is wrong with the statement; null for what is no statement. */
  async look(text: string, values: ReadonlyArray<unknown>): Promise<Judgement | null> {
    this.#known ??= this.#tables()
    const { few, parts } = await this.#known
    try {
      const plan = await this.#planOf(text, values)
      return plan === null
        ? { crossed: [], whole: [] }
        : { crossed: crossed(plan, parts), whole: readWhole(plan, parts, few) }
    } catch (error) {
      if (error instanceof Error && "code" in error && fragment.has(String(error.code))) return null
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

/** The statements that were made and not judged yet, by their text, with the values of the first time. */
const made = new Map<string, ReadonlyArray<unknown>>()
/** Texts that were made before. */
const known = new Set<string>()
/** The templates that were made into a statement before, and whether they are the gateway's. */
const ours = new WeakMap<object, boolean>()

/** Whether the code that calls the caller of this function's caller is the gateway's. */
const calledBySource = () => {
  const frames = new Error().stack?.split("\n").slice(1) ?? []
  const caller = frames.find(
    (frame) => !frame.includes("/judging.") && !frame.includes("Proxy") && !frame.includes("node:")
  )
  return caller?.includes("/src/") === true
}

const note = (text: string, values: ReadonlyArray<unknown>) => {
  known.add(text)
  if (isStatement.test(text)) made.set(text, values)
}

/** The same, but it notes what the gateway's code makes: each text, or only the first of each template. */
export const noting = (sql: Sql, which: "each text" | "each template"): Sql =>
  new Proxy(sql, {
    apply: (target, self, given: Array<unknown>) => {
      const statement: unknown = Reflect.apply(target, self, given)
      const [template] = given
      if (typeof template !== "object" || template === null) return statement
      const before = ours.get(template)
      if (before !== undefined && which === "each template") return statement
      const isOurs = before ?? calledBySource()
      ours.set(template, isOurs)
      if (!isOurs) return statement
      const [text, values] = (statement as ReturnType<Sql["unsafe"]>).compile()
      if (!known.has(text)) note(text, values)
      return statement
    },
    get: (target, key) => {
      if (key !== "unsafe") return Reflect.get(target, key) as unknown
      return (text: string, values: ReadonlyArray<unknown> = []) => {
        if (!known.has(text) && calledBySource()) note(text, values)
        return target.unsafe(text, values)
      }
    }
  })

/** Looks at the statements that were not looked at before. Fails with those that read too much. */
export const judgeMade = async (judge: Judge): Promise<void> => {
  const wrong: Array<string> = []
  for (const [text, values] of made) {
    made.delete(text)
    const judgement = await judge.look(text, values)
    if (judgement === null) continue
    const { crossed: across, whole } = judgement
    const among = (exceptions: ReadonlyArray<{ readonly text: string }>) =>
      exceptions.some((exception) => text.includes(exception.text))
    if (across.length > 0 && !among(crossings))
      wrong.push(`${across.join(", ")} without naming the workspace (test/support/crossing.ts says which may): ${text}`)
    if (whole.length > 0 && !among(wholeReads))
      wrong.push(`${whole.join(", ")} as a whole (test/support/wholeReads.ts says which may): ${text}`)
  }
  if (wrong.length > 0) throw new Error(`These statements read too much.\n${wrong.join("\n\n")}`)
}
