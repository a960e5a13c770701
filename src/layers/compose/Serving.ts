/** The gateway as a program: its settings, its log on standard output, and the newcomer's welcome in development. */
import { HttpServer } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Console, Effect, FiberRef, HashSet, Layer, Logger } from "effect"
import { tokenFile, welcome } from "../accounts/DemoWorkspace.js"
import { type GatewayConfig, publicUrlProblem, readConfig, urlOf } from "../node/Config.js"
import { GatewayWithCatalog } from "./Main.js"

export interface ServeOptions {
  /** Whether development is welcomed with a text. Without it, standard output holds JSON lines only. */
  readonly welcomes: boolean
}

const started = (config: GatewayConfig, { welcomes }: ServeOptions) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = address._tag === "TcpAddress" ? address.port : config.port
      const url = urlOf(config.host, port)
      const problem = publicUrlProblem(config)
      if (problem !== null) yield* Effect.logWarning(problem)
      if (config.production || !welcomes) return yield* Effect.logInfo(`Listening on ${url}`)
      yield* Console.log(welcome(url, yield* tokenFile(config.dataDir)))
    })
  ).pipe(Layer.provide(GatewayWithCatalog(config)))

/** Runs until it is interrupted. Logs JSON lines, whatever logged before. */
export const serve = (options: ServeOptions) =>
  readConfig.pipe(
    Effect.flatMap((config) => Logger.withMinimumLogLevel(Layer.launch(started(config, options)), config.logLevel)),
    Effect.provide(NodeContext.layer),
    Effect.tapErrorCause((cause) => Effect.logFatal("The gateway could not start", cause)),
    Effect.locally(FiberRef.currentLoggers, HashSet.make(Logger.withConsoleLog(Logger.jsonLogger)))
  )
