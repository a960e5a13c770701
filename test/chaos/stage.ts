/** A stage for the short forms: a database of the test's own on the run's server, nodes of the sources as they are. */
import { assert } from "vitest"
import { Effect, Redacted } from "effect"
import { type Row, isClean } from "../../chaos/stage/Findings.js"
import { buildProgram } from "../../chaos/stage/Program.js"
import { acquireStage, type Stage } from "../../chaos/stage/Stage.js"
import { acquireTestDatabase } from "../support/postgres.js"

export const program = (name: string) => Effect.promise(() => buildProgram(`test-${name}`))

/** Runs the attack and fails with every promise that it found broken. */
export const attacked = (name: string, attack: (stage: Stage) => Effect.Effect<Row>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = yield* acquireTestDatabase()
      const row = yield* attack(yield* acquireStage(Redacted.value(url), yield* program(name)))
      assertClean([row])
      return row
    })
  )

export const assertClean = (rows: ReadonlyArray<Row>) => {
  assert.deepStrictEqual(
    rows.flatMap(({ problems }) => problems),
    []
  )
  for (const row of rows) assert.isTrue(isClean(row), `${row.attack}: ${row.astrayMicros} micros astray`)
}
