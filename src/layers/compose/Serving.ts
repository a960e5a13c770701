/** The gateway as a program: its settings, its log on standard output, and the newcomer's welcome in development. */
import { HttpServer } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Cause, Console, Data, Effect, FiberRef, HashSet, Layer, Logger } from "effect"
import { tokenFile, welcome } from "../accounts/DemoWorkspace.js"
import { type GatewayConfig, publicUrlProblem, readConfig, urlOf } from "../node/Config.js"
import { GatewayWithCatalog } from "./Main.js"
import { observed } from "./Observed.js"

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

/** The program cannot take requests, and what to do about it. */
export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

/** What the system says of an address that cannot be listened at, by its code. */
const listenProblem = ({ host, port }: Pick<GatewayConfig, "host" | "port">, code: unknown): string => {
  switch (code) {
    case "EADDRINUSE":
      return `Another program listens on ${host}:${port}: end it, or set PORT to a free port (0 takes any)`
    case "EACCES":
      return `The system does not let this program listen on ${host}:${port}: set PORT to one above 1023`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `This machine has no address ${host}: set HOST to one that it has`
    default:
      return `The program cannot listen on ${host}:${port}${typeof code === "string" ? ` (${code})` : ""}`
  }
}

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** What failed, without the places in the program; those are told at the level Debug. */
const tellFailedStart = Effect.tapErrorCause((cause: Cause.Cause<unknown>) =>
  Effect.zipRight(
    Effect.logFatal(
      "The gateway could not start",
      Cause.fail(
        Cause.prettyErrors(cause)
          .map(({ message }) => message)
          .join("; ")
      )
    ),
    Effect.logDebug("Where the start failed", cause)
  )
)

/** Runs until it is interrupted. Logs JSON lines, whatever logged before. */
export const serve = (options: ServeOptions) =>
  readConfig.pipe(
    tellFailedStart,
    Effect.flatMap((config) =>
      Layer.launch(observed(config)(started(config, options))).pipe(
        Effect.mapError((error) =>
          error._tag === "ServeError"
            ? new CannotListen({ message: listenProblem(config, codeOf(error.cause)) })
            : error
        ),
        tellFailedStart,
        Logger.withMinimumLogLevel(config.logLevel)
      )
    ),
    Effect.provide(NodeContext.layer),
    Effect.locally(FiberRef.currentLoggers, HashSet.make(Logger.withConsoleLog(Logger.jsonLogger)))
  )
