/**
 * Starts the gateway without the command line: `npm start`, or `node` with flags of its own. Everything is in
 * `layers/compose/Starting.ts`. It takes no arguments: its settings are in the environment, and commands are those of
 * the command line.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { serve } from "./layers/compose/Starting.js"

const given = process.argv.slice(2)
const refused = Effect.zipRight(
  Console.error(
    `This program only starts the gateway and takes no arguments, such as ${given[0] ?? ""}: gateway serve --help shows how to start it, and gateway --help all commands`
  ),
  Effect.sync(() => void (process.exitCode = 2))
)

NodeRuntime.runMain(given.length > 0 ? refused : serve({ welcomes: true, terminal: process.stdout.isTTY }), {
  disableErrorReporting: true,
  disablePrettyLogger: true
})
