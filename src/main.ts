#!/usr/bin/env node
/**
 * Starts the gateway: `npm start`, or `provider-gateway` where the package is installed. Everything is in
 * `layers/compose/Main.ts`; this file adds the newcomer's welcome in development.
 */
import { HttpServer } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer, Logger } from "effect"
import { tokenFile, welcome } from "./layers/accounts/DemoWorkspace.js"
import { type GatewayConfig, publicUrlProblem, readConfig, urlOf } from "./layers/node/Config.js"
import { GatewayWithCatalog } from "./layers/compose/Main.js"

const started = (config: GatewayConfig) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = address._tag === "TcpAddress" ? address.port : config.port
      const url = urlOf(config.host, port)
      const problem = publicUrlProblem(config)
      if (problem !== null) yield* Effect.logWarning(problem)
      if (config.production) return yield* Effect.logInfo(`Listening on ${url}`)
      yield* Console.log(welcome(url, yield* tokenFile(config.dataDir)))
    })
  ).pipe(Layer.provide(GatewayWithCatalog(config)))

readConfig.pipe(
  Effect.flatMap((config) => Logger.withMinimumLogLevel(Layer.launch(started(config)), config.logLevel)),
  Effect.provide(NodeContext.layer),
  Effect.tapErrorCause((cause) => Effect.logFatal("The gateway could not start", cause)),
  Effect.provide(Logger.json),
  (program) => NodeRuntime.runMain(program, { disableErrorReporting: true, disablePrettyLogger: true })
)
