#!/usr/bin/env node
/**
 * Starts the gateway: `npm start`, or `provider-gateway` where the package is installed. Everything is in
 * `layers/compose/Serving.ts`.
 */
import { NodeRuntime } from "@effect/platform-node"
import { serve } from "./layers/compose/Serving.js"

NodeRuntime.runMain(serve({ welcomes: true }), { disableErrorReporting: true, disablePrettyLogger: true })
