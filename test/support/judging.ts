/**
 * Every statement that the gateway makes in a test is shown to Postgres, in a database whose tables are
 * hash-partitioned by workspace (`tablesByWorkspace.ts`). The plan says whether the statement names the workspace: each
 * table that is kept by workspace must be read in one partition, or with a comparison of `workspace_id` in every
 * partition, as a join has it. Only statements that are written in `src` count.
 *
 * This costs time, so in most runs the first text of each template is looked at, in the files that share a process.
 * `npm run test:partitioned` looks at every text.
 */
import Pg, { type QueryResult } from "pg"
import type { Sql } from "../../src/layers/postgres/Database.js"
import { pipelined } from "../../src/layers/postgres/database/DriverInternals.js"
import { plansByIndex } from "../../src/layers/postgres/database/Pools.js"
import { crossings } from "./crossing.js"

/** A node of a plan, as `explain (format json)` shows it. */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
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
export const crossed = (plan: PlanNode, wholeOf: ReadonlyMap<string, string>): ReadonlyArray<string> => {
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

/** What Postgres says to a fragment that only looks like a statement. */
const fragment = new Set(["42601", "42703", "42P01", "42P18", "42883"])
const isStatement = /^\s*(with|select|insert|update|delete)\b/

export class Judge {
  readonly #pool: Pg.Pool
  #parts: Promise<ReadonlyMap<string, string>> | undefined

  /** `url` is that of a database with the tables partitioned. */
  constructor(url: string) {
    this.#pool = new Pg.Pool({ connectionString: url, max: 1, ...pipelined })
    this.#pool.on("error", () => undefined)
    this.#pool.on("connect", (client) => void client.query(plansByIndex).catch(() => undefined))
  }

  /** The tables that the statement reads without naming the workspace; null for what is no statement. */
  async crossedBy(text: string, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<string> | null> {
    this.#parts ??= this.#pool
      .query<{ part: string; whole: string }>(
        "select inhrelid::regclass::text as part, inhparent::regclass::text as whole from pg_inherits"
      )
      .then(({ rows }) => new Map(rows.map(({ part, whole }) => [part, whole])))
    const parts = await this.#parts
    try {
      const { rows }: QueryResult<{ "QUERY PLAN": readonly [{ readonly Plan: PlanNode }] }> = await this.#pool.query(
        `explain (format json) ${text}`,
        [...values]
      )
      return rows[0] === undefined ? [] : crossed(rows[0]["QUERY PLAN"][0].Plan, parts)
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

/** Looks at the statements that were not looked at before. Fails with those that should name the workspace. */
export const judgeMade = async (judge: Judge): Promise<void> => {
  const wrong: Array<string> = []
  for (const [text, values] of made) {
    made.delete(text)
    if (crossings.some((crossing) => text.includes(crossing.text))) continue
    const tables = await judge.crossedBy(text, values)
    if (tables !== null && tables.length > 0) wrong.push(`${tables.join(", ")}: ${text}`)
  }
  if (wrong.length > 0)
    throw new Error(
      `These statements read a table without naming the workspace (test/support/crossing.ts says which may):\n${wrong.join("\n\n")}`
    )
}
