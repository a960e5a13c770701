/** One pass over the old runs of a database, as `gateway archive` makes it; says in one line what it did. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer } from "effect"
import { OperatorServices } from "../src/layers/compose/StorageOnPostgres.js"
import { readConfig } from "../src/layers/node/Config.js"
import { Retention } from "../src/services/Retention.js"

Effect.gen(function* () {
  const { pass } = yield* Retention
  yield* Console.log(JSON.stringify(yield* pass((words) => Console.error(words))))
}).pipe(
  Effect.provide(Layer.unwrapEffect(Effect.map(readConfig, OperatorServices))),
  Effect.provide(NodeContext.layer),
  (program) => NodeRuntime.runMain(program, { disablePrettyLogger: true })
)
