/**
 * The gateway as a program: its settings and its log on standard output. It runs in this process, or in several. What
 * serves is loaded by the processes that serve.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Cause, Console, Effect, FiberRef, HashSet, Logger, Option } from "effect"
import { isStorageError } from "../../domain/StorageErrors.js"
import { catalogFoldersRead, isProduction, readConfig } from "../node/Config.js"
import { listFiberRoots } from "../node/FiberRoots.js"
import { ignoreClosedOutput } from "../node/ClosedOutput.js"
import { SettingsWrong } from "../node/SettingsWrong.js"
import { failedWords, inSentences } from "../node/StorageWords.js"
import { unknownInWords, unknownSettings } from "../node/UnknownSettings.js"
import { givenSealingKeys } from "../secrets/SealingAesGcm.js"
import { isOneOfSeveral, numberedInLogs, severalProcesses } from "./Processes.js"

export interface ServeOptions {
  /** Whether development is welcomed with a text. Without it, standard output holds JSON lines only. */
  readonly welcomes: boolean
  /** Whether a person reads standard output: then why the start failed is plain lines on standard error. */
  readonly terminal: boolean
}

/** What failed, without the places in the program; those are told at the level Debug. */
const reasonsOf = (cause: Cause.Cause<unknown>): ReadonlyArray<string> => {
  const failure = Option.getOrNull(Cause.failureOption(cause))
  if (failure instanceof SettingsWrong) return failure.lines
  return isStorageError(failure)
    ? [inSentences(failedWords(failure))]
    : Cause.prettyErrors(cause).flatMap(({ message }) => message.split("\n"))
}

const failedStart = "The gateway could not start"

/** For a person, each reason in a line; for a program, all of them in one line of its log. */
export const tellFailedStart = (terminal: boolean) =>
  Effect.tapErrorCause((cause: Cause.Cause<unknown>) => {
    const reasons = reasonsOf(cause)
    return Effect.zipRight(
      terminal
        ? Console.error([`${failedStart}:`, ...reasons.map((reason) => `  ${reason}`)].join("\n"))
        : Effect.logFatal(failedStart, Cause.fail(reasons.join("; "))),
      Effect.logDebug("Where the start failed", cause)
    )
  })

/** Of several processes, the first one tells. */
const tellUnknown = isOneOfSeveral
  ? Effect.void
  : Effect.flatMap(
      unknownSettings,
      Effect.forEach((unknown) => Effect.logWarning(unknownInWords(unknown)), { discard: true })
    )

/** The settings of a gateway that serves, or all that is wrong with them, its sealing keys included. */
const readToServe = Effect.all(
  {
    config: readConfig,
    catalog: catalogFoldersRead,
    keys: Effect.flatMap(isProduction, (needed) => givenSealingKeys({ needed }))
  },
  { mode: "validate" }
).pipe(
  Effect.mapBoth({
    onFailure: ({ catalog, config, keys }) =>
      new SettingsWrong({ lines: [config, catalog, keys].flatMap(Option.toArray).flatMap(({ lines }) => lines) }),
    onSuccess: ({ config }) => config
  })
)

/** Runs until it is interrupted. Logs JSON lines, whatever logged before. */
export const serve = (options: ServeOptions) =>
  Effect.zipRight(ignoreClosedOutput, readToServe).pipe(
    Effect.tapError(() => tellUnknown),
    tellFailedStart(options.terminal),
    Effect.tap(({ logLevel }) => Logger.withMinimumLogLevel(tellUnknown, logLevel)),
    Effect.flatMap((config) =>
      (config.processes > 1 && !isOneOfSeveral
        ? severalProcesses(config.processes)
        : Effect.promise(() => import("./Serving.js")).pipe(
            Effect.zipLeft(listFiberRoots),
            Effect.flatMap(({ serving }) => serving(config, options)),
            tellFailedStart(options.terminal),
            numberedInLogs
          )
      ).pipe(Logger.withMinimumLogLevel(config.logLevel))
    ),
    Effect.provide(NodeContext.layer),
    Effect.locally(FiberRef.currentLoggers, HashSet.make(Logger.withConsoleLog(Logger.jsonLogger)))
  )
