/** Options that may be given several times, as a command line of a shell gives them. */
import { assert, describe, it } from "@effect/vitest"
import * as Command from "@effect/cli/Command"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Exit } from "effect"
import * as Inputs from "../../src/cli/Inputs.js"

/** The variables that a command takes of its words. */
const taken = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    let variables: unknown = null
    const command = Command.make("set", { variables: Inputs.variables }, (given) =>
      Effect.sync(() => void (variables = given.variables))
    )
    const run = Command.run(command, { name: "set", version: "1" })
    const exit = yield* Effect.exit(run(["node", "set", ...Inputs.keepEmptyValues(args)]))
    return Exit.isSuccess(exit) ? variables : "refused"
  }).pipe(Effect.provide(NodeContext.layer))

describe("--variable", () => {
  it.effect("is taken once or several times, and none is no variable", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* taken(), {})
      assert.deepStrictEqual(yield* taken("--variable", "shop=acme"), { shop: "acme" })
      const several = yield* taken("--variable", "shop=acme", "--variable", "region=eu")
      assert.deepStrictEqual(several, { shop: "acme", region: "eu" })
    })
  )

  it.effect("is refused where it is empty, as where the shell knows no such name", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* taken("--variable", ""), "refused")
      assert.strictEqual(yield* taken("--variable"), "refused")
      assert.strictEqual(yield* taken("--variable", "shop=acme", "--variable", ""), "refused")
    })
  )
})
