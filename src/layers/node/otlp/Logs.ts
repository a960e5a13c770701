/** The lines of the log as OTLP writes them. They say what the lines on standard output say. */
import { Array as Arr, Cause, Inspectable, Logger, type LogLevel } from "effect"
import { type KeyValue, keyValue, keyValues, type resourceOf, scope, textValue } from "./Values.js"

export interface LogRecord {
  readonly level: LogLevel.LogLevel
  readonly atMillis: number
  readonly message: unknown
  readonly annotations: ReadonlyArray<readonly [string, unknown]>
  readonly cause: Cause.Cause<unknown>
}

export const makeOtlpLogger = (push: (record: LogRecord) => void): Logger.Logger<unknown, void> =>
  Logger.make(({ annotations, cause, date, logLevel, message }) =>
    push({ level: logLevel, atMillis: date.getTime(), message, annotations: [...annotations], cause })
  )

const severities: ReadonlyMap<LogLevel.LogLevel["_tag"], number> = new Map([
  ["Trace", 1],
  ["Debug", 5],
  ["Info", 9],
  ["Warning", 13],
  ["Error", 17],
  ["Fatal", 21]
])

const bodyOf = (message: unknown): string =>
  Arr.ensure(message)
    .map((part) => Inspectable.toStringUnknown(part, 0))
    .join(" ")

/** The names are those of OpenTelemetry's conventions for exceptions. */
const causeOf = (cause: Cause.Cause<unknown>): ReadonlyArray<KeyValue> =>
  Cause.isEmpty(cause) ? [] : [keyValue("exception.stacktrace", Cause.pretty(cause, { renderErrorCause: true }))]

const written = ({ annotations, atMillis, cause, level, message }: LogRecord) => ({
  timeUnixNano: `${atMillis}000000`,
  observedTimeUnixNano: `${atMillis}000000`,
  severityNumber: severities.get(level._tag) ?? 0,
  severityText: level.label,
  body: textValue(bodyOf(message)),
  attributes: [...keyValues(annotations), ...causeOf(cause)]
})

export const logsBody =
  (resource: ReturnType<typeof resourceOf>) =>
  (records: ReadonlyArray<LogRecord>): string =>
    JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: records.map(written) }] }] })
