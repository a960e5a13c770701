/** The gateway in this process, and the newcomer's welcome in development. */
import { ServerAddress } from "../../http/serving/Listening.js"
import { Array as Arr, Config, Console, Data, Effect, Layer, Option } from "effect"
import { commandFrom, tokenFile, welcome } from "../accounts/DemoWorkspace.js"
import { commandPrefix } from "../../PackagedFiles.js"
import { type GatewayConfig, publicUrlProblem, urlOf } from "../node/Config.js"
import { GatewayWithCatalog } from "./Main.js"
import { observed } from "./Observed.js"
import { isFirst, isOneOfSeveral, tellListening } from "./Processes.js"
import { MetricsOfAll } from "./ProcessMetrics.js"
import type { ServeOptions } from "./Starting.js"

/** Those that are set here, and without which a command would look for this gateway in another place. */
const settingsOfPlace = (port: number) =>
  Effect.map(
    Effect.forEach(["PORT", "HOST", "GATEWAY_DATA_DIR", "GATEWAY_PUBLIC_URL"], (name) =>
      Effect.map(
        Effect.option(Config.string(name)),
        Option.map((value) => [name, value] as const)
      )
    ),
    // Port 0 takes any; a command needs the one that was taken.
    (found) => Arr.getSomes(found).map(([name, value]) => [name, name === "PORT" ? String(port) : value] as const)
  )

const started = (config: GatewayConfig, { welcomes }: ServeOptions) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { port } = yield* ServerAddress
      yield* tellListening
      const url = urlOf(config.host, port)
      const problem = publicUrlProblem(config)
      if (problem !== null) yield* Effect.logWarning(problem)
      // A worker answers nobody who could be welcomed.
      if (config.production || !welcomes || !isFirst() || config.role === "worker") {
        // So that whoever reads the log can tell a node that was stopped from one that was killed.
        yield* Effect.addFinalizer(() => Effect.logInfo("Stopping: what is under way is ended first"))
        return yield* Effect.logInfo(`Listening on ${url}`)
      }
      const command = commandFrom(yield* settingsOfPlace(port), commandPrefix)
      yield* Console.log(welcome(url, yield* tokenFile(config.dataDir), command))
    })
  ).pipe(Layer.provide(GatewayWithCatalog(config)), Layer.provide(isOneOfSeveral ? MetricsOfAll : Layer.empty))

/** The program cannot take requests, and what to do about it. */
class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

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

/** Runs until it is interrupted. */
export const serving = (config: GatewayConfig, options: ServeOptions) =>
  Effect.mapError(Layer.launch(observed(config)(started(config, options))), (error) =>
    error._tag === "ServeError" ? new CannotListen({ message: listenProblem(config, codeOf(error.cause)) }) : error
  )
