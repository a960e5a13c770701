#!/usr/bin/env node
/**
 * The command line: `npm run -s gateway -- …`, or `npx provider-gateway …` where the package is installed. Everything
 * is in `cli/Gateway.ts`; logs go to standard error.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Exit, Layer, Logger, LogLevel } from "effect"
import { run } from "./cli/Gateway.js"
import { ScreenOfProcess } from "./cli/Screen.js"
import { SecretInputStdin } from "./cli/SecretInput.js"
import { readConfig, readLogLevel } from "./layers/node/Config.js"
import { ignoreClosedOutput } from "./layers/node/ClosedOutput.js"
import { OperatorServices } from "./layers/compose/StorageOnPostgres.js"

const toStderr = Logger.map(Logger.logfmtLogger, (line) => void process.stderr.write(`${line}\n`))

const program = Effect.matchEffect(Effect.zipRight(ignoreClosedOutput, readLogLevel(LogLevel.Warning)), {
  onFailure: (problem) => Effect.as(Console.error(problem.message), 1),
  onSuccess: (logLevel) =>
    run(process.argv.slice(2), Layer.unwrapEffect(Effect.map(readConfig, OperatorServices))).pipe(
      Effect.provide([
        NodeContext.layer,
        ScreenOfProcess,
        SecretInputStdin,
        Logger.replace(Logger.defaultLogger, toStderr)
      ]),
      Logger.withMinimumLogLevel(logLevel)
    )
})

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit, end) => {
    if (Exit.isInterrupted(exit)) return end(process.exitCode === 0 ? 0 : 130)
    end(Exit.isSuccess(exit) && typeof exit.value === "number" ? exit.value : 1)
  }
})
