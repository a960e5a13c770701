/**
 * The gateway as a program: its settings and its log on standard output. It runs in this process, or in several. What
 * serves is loaded by the processes that serve.
 */
import { NodeContext } from "@effect/platform-node"
import { Cause, Effect, FiberRef, HashSet, Logger } from "effect"
import { readConfig } from "../node/Config.js"
import { isOneOfSeveral, severalProcesses } from "./Processes.js"

export interface ServeOptions {
  /** Whether development is welcomed with a text. Without it, standard output holds JSON lines only. */
  readonly welcomes: boolean
}

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
      (config.processes > 1 && !isOneOfSeveral
        ? severalProcesses(config.processes)
        : Effect.promise(() => import("./Serving.js")).pipe(
            Effect.flatMap(({ serving }) => serving(config, options)),
            tellFailedStart
          )
      ).pipe(Logger.withMinimumLogLevel(config.logLevel))
    ),
    Effect.provide(NodeContext.layer),
    Effect.locally(FiberRef.currentLoggers, HashSet.make(Logger.withConsoleLog(Logger.jsonLogger)))
  )
