// Measures the import of OpenAPI documents: operations are drawn from the documents of six providers, imported, and
// run against a server of this process; what arrives there is compared with what an independent reader of the document
// expects. Usage: npm run bench:import -- --documents FOLDER [--list FILE] [--seed N --count N] [--table FILE]
// `--seed` draws a new list into `--list`. Where the documents come from stands in bench/README.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect } from "effect"
import { importNamedOperations } from "../src/layers/catalog/import/ImportOpenApi.js"
import { optionsOf } from "./Options.js"
import { differences } from "./import/Comparing.js"
import { draw, type Drawn } from "./import/Draw.js"
import { callOf, kindOf, mediaTypes } from "./import/Reader.js"
import { placeOf, stage } from "./import/Sending.js"

const { count, text } = optionsOf({ values: ["documents", "list", "seed", "count", "table"] })
const folder = text("documents") ?? ""
const list = text("list") ?? "bench/import/lists/first.json"
const seed = count("seed", Number.NaN, 0)
const many = count("count", 50)
if (!existsSync(folder)) throw new Error("--documents must name the folder with the documents; see bench/README.md")
if (!Number.isNaN(seed)) writeFileSync(list, `${JSON.stringify(draw(folder, seed, many), null, 2)}\n`)
const operations: ReadonlyArray<Drawn> = JSON.parse(readFileSync(list, "utf8"))

interface Row {
  readonly drawn: Drawn
  /** What was wrong with the call of the required parts, and with that of all parts. */
  readonly required: ReadonlyArray<string>
  readonly optional: ReadonlyArray<string>
}

const measured = Effect.gen(function* () {
  const send = yield* stage
  const rows: Array<Row> = []
  for (const file of new Set(operations.map((each) => each.file))) {
    const here = operations.filter((each) => each.file === file)
    const imported = yield* importNamedOperations(
      join(folder, file),
      here.map(({ method, path }) => `${method} ${path}`)
    )
    for (const drawn of here) {
      const of = { file: join(folder, file), method: drawn.method, path: drawn.path }
      const endpoint = imported.endpoints.find(
        ({ operation }) => operation.method === drawn.method.toUpperCase() && operation.path === drawn.path
      )
      if (endpoint === undefined) {
        const why = imported.report.notes.filter(({ effect }) => effect === "skipped").map(({ message }) => message)
        rows.push({ drawn, required: [`not imported: ${why.join("; ")}`], optional: [] })
        continue
      }
      const types = mediaTypes(of)
      const type = types.find((each) => kindOf(each) === placeOf(endpoint.operation)) ?? types[0]
      const problems = yield* Effect.forEach([false, true], (rich) =>
        Effect.suspend(() => {
          const call = callOf(of, rich, type)
          return Effect.map(send(endpoint, call), (arrived) =>
            typeof arrived === "string" ? [arrived] : differences(endpoint, call.expected, arrived)
          )
        }).pipe(Effect.catchAllDefect((defect) => Effect.succeed([`the measure failed: ${String(defect)}`])))
      )
      rows.push({ drawn, required: problems[0] ?? [], optional: problems[1] ?? [] })
    }
  }
  return operations.flatMap((drawn) => rows.filter((row) => row.drawn === drawn))
})

const rows = await Effect.runPromise(measured.pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer)))
const cell = (problems: ReadonlyArray<string>): string =>
  problems.length === 0 ? "right" : `wrong: ${problems.join("; ").replaceAll("|", "\\|")}`
const isRight = ({ optional, required }: Row): boolean => required.length + optional.length === 0
const table = [
  "| | Operation | Required parts | All parts |",
  "| --- | --- | --- | --- |",
  ...rows.map(
    (row) =>
      `| ${row.drawn.of} | \`${row.drawn.method.toUpperCase()} ${row.drawn.path}\` | ${cell(row.required)} | ${cell(row.optional)} |`
  )
].join("\n")
const out = text("table")
if (out !== undefined) writeFileSync(out, `${table}\n`)
for (const row of rows.filter((each) => !isRight(each)))
  console.log(
    `${row.drawn.of} ${row.drawn.method} ${row.drawn.path}\n  required: ${cell(row.required)}\n  all: ${cell(row.optional)}`
  )
console.log(`${rows.filter(isRight).length} of ${rows.length} right`)
if (rows.filter(isRight).length < rows.length * 0.9) process.exitCode = 1
