/** What statements read: each is explained by the plan that a connection keeps for all values, and run. */
import { Effect, Layer } from "effect"
import { Database } from "../../src/layers/postgres/Database.js"
import { literal } from "./judging.js"

type Asked = readonly [text: string, params: ReadonlyArray<unknown>]

/** A database that notes the statements that it is asked alone. */
export const recorded = (database: Database["Type"]) => {
  const asked: Array<Asked> = []
  const recording = Layer.succeed(Database, {
    ...database,
    query: (statement) => {
      asked.push(statement.compile())
      return database.query(statement)
    }
  })
  return { asked, recording }
}

export interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}
export const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
/** How many rows it looked at. */
export const readBy = (node: Node): number =>
  (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)) *
  node["Actual Loops"]

/** The plan that serves every later call with whatever values, and what it read with these. */
export const explain = ({ sql, transact }: Database["Type"], text: string, params: ReadonlyArray<unknown>) =>
  transact(
    Effect.gen(function* () {
      yield* sql.unsafe("set local plan_cache_mode = force_generic_plan")
      yield* sql.unsafe(`prepare listing as ${text}`)
      const [row] = yield* sql.unsafe(
        `explain (analyze, format json) execute listing${params.length === 0 ? "" : `(${params.map(literal).join(", ")})`}`
      )
      yield* sql.unsafe("deallocate listing")
      const [{ Plan }] = row!["QUERY PLAN"] as readonly [{ readonly Plan: Node }]
      return Plan
    })
  )
