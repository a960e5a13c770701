/** What was logged, for tests that count lines. */
import { Effect, HashMap, Logger, LogLevel } from "effect"

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly annotations: { readonly [name: string]: unknown }
}

/** Runs the work and gives it the lines that it logs, at this level and above, as they come. */
export const withLogLines = <A, E, R>(
  work: (lines: ReadonlyArray<LogLine>) => Effect.Effect<A, E, R>,
  least: LogLevel.LogLevel = LogLevel.Info
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const lines: Array<LogLine> = []
    const spy = Logger.make(({ annotations, logLevel, message }) => {
      lines.push({
        level: logLevel.label,
        message: String(Array.isArray(message) ? message[0] : message),
        annotations: Object.fromEntries(HashMap.toEntries(annotations))
      })
    })
    return work(lines).pipe(
      Logger.withMinimumLogLevel(least),
      Effect.provide(Logger.replace(Logger.defaultLogger, spy))
    )
  })
