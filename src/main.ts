/**
 * Starts the gateway: `npm start`. Everything is in `layers/compose/Main.ts`; this file adds the newcomer's welcome in
 * development.
 */
import { HttpServer } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer, Logger, LogLevel } from "effect"
import { tokenFile, welcome } from "./layers/accounts/DemoWorkspace.js"
import { publicUrlProblem, readConfig, urlOf } from "./layers/node/Config.js"
import { GatewayWithCatalog } from "./layers/compose/Main.js"

const started = Layer.unwrapEffect(
  Effect.map(readConfig, (config) =>
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
  )
)

Layer.launch(started).pipe(
  Effect.provide(NodeContext.layer),
  Effect.tapErrorCause((cause) => Effect.logFatal("The gateway could not start", cause)),
  Effect.provide(Logger.json),
  Logger.withMinimumLogLevel(LogLevel.Info),
  (program) => NodeRuntime.runMain(program, { disableErrorReporting: true, disablePrettyLogger: true })
)
