/**
 * Starts the gateway without the command line: `npm start`, or `node` with flags of its own. Everything is in
 * `layers/compose/Starting.ts`.
 */
import { NodeRuntime } from "@effect/platform-node"
import { serve } from "./layers/compose/Starting.js"

NodeRuntime.runMain(serve({ welcomes: true }), { disableErrorReporting: true, disablePrettyLogger: true })
