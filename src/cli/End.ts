/**
 * What becomes of a command that does not do what was asked: its exit code, a line on standard error for people, and
 * with `--json` one document on standard output for programs, `{"error":{"code","message"}}` as the API has it.
 */
import * as CliError from "@effect/cli/ValidationError"
import { Cause, Chunk, Console, Effect, Option, Predicate } from "effect"
import { ValidationError } from "../domain/ApiErrors.js"
import type { JsonObject } from "../domain/Json.js"
import { writeJson } from "../domain/LosslessJson.js"
import { workspaceRoles } from "../domain/Member.js"
import { member } from "../domain/Members.js"
import { verdicts } from "../domain/Resolution.js"
import { RunStatus } from "../domain/Run.js"
import { isStorageError } from "../domain/StorageErrors.js"
import { SettingsWrong } from "../layers/node/SettingsWrong.js"
import { failedWords, inSentences } from "../layers/node/StorageWords.js"
import { ProviderState } from "../services/ProviderStates.js"
import { NotUnderstood } from "./Answer.js"
import { modes } from "./CatalogPublishing.js"
import { GatewayRefused } from "./client/GatewayFailures.js"
import { NotRun, RunNotKnown, type SameRun } from "./client/RunEnds.js"
import { onOrOff } from "./Inputs.js"
import { shells } from "./Installation.js"
import { type Choice, usageOf } from "./Usage.js"

/** The names that the services give to what was typed. */
const typedAs: Readonly<Record<string, string>> = {
  allow: "--allow",
  amount: "--usd",
  chargeMicros: "--charge-usd",
  cursor: "--cursor",
  email: "--email",
  expiresAt: "--expires-at",
  key: "--key",
  label: "--label",
  member: "--member",
  name: "NAME",
  operator: "--operator",
  reason: "--reason",
  role: "--role",
  runId: "RUN_ID",
  scopes: "--scope",
  workspace: "--workspace"
}

/** The fields that are wrong, by the names that a person types. */
const detailsOf = ({ details }: ValidationError) =>
  details.map(({ field, message }) => ({ field: member(typedAs, field) ?? field, message }))

/** The fields that a gateway says are wrong. */
const refusedDetails = (error: unknown) => (error instanceof GatewayRefused ? error.told.details : undefined)

const wordsOf = (error: unknown): string => {
  if (error instanceof ValidationError)
    return detailsOf(error)
      .map(({ field, message }) => `${field}: ${message}`)
      .join("; ")
  // What the storage says to clients is about a key, which a command mostly has none of.
  if (isStorageError(error)) return inSentences(failedWords(error))
  // Each wrong setting has a line of its own.
  if (error instanceof SettingsWrong) return error.message
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().replace(/\s*\n\s*/g, "; ")
}

/** The parser says the words that an option or argument takes, but not which one takes them. */
const choices: ReadonlyArray<Choice> = [
  { name: "--as", takes: verdicts },
  { name: "--publish", takes: modes },
  { name: "--role", takes: workspaceRoles },
  { name: "--search-learning", takes: onOrOff },
  { name: "--status", takes: RunStatus.literals },
  { name: "ROLE", takes: workspaceRoles },
  { name: "SHELL", takes: shells },
  { name: "STATE", takes: ProviderState.literals }
]

/** That of the API where the error has one; else the name of the error here, written in the same way. */
const codeOf = (error: unknown): string => {
  if (error instanceof GatewayRefused || error instanceof NotRun) return error.code
  const name = Predicate.hasProperty(error, "_tag") && Predicate.isString(error._tag) ? error._tag : "failed"
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase()
}

interface End {
  readonly exitCode: number
  /** Null where everything has been said. */
  readonly error: (JsonObject & { readonly message: string }) | null
  /** What a program is given beside it. */
  readonly beside?: SameRun
}

export const notUnderstood = (message: string): End => ({ exitCode: 2, error: { code: "not_understood", message } })

/** A mistake of ours, in one line; where it happened is told to the log, at the level Debug. */
const unexpected = (cause: Cause.Cause<unknown>): string => {
  const [first] = Cause.prettyErrors(cause)
  return `This should not have happened (${first?.message ?? "an unknown failure"}); GATEWAY_LOG_LEVEL=debug tells where`
}

export const endOf = (cause: Cause.Cause<unknown>, args: ReadonlyArray<string>): End => {
  if (Cause.isInterruptedOnly(cause)) return { exitCode: 130, error: null }
  const failure = Chunk.head(Cause.failures(cause))
  if (Option.isNone(failure)) return { exitCode: 1, error: { code: "internal_error", message: unexpected(cause) } }
  const error = failure.value
  if (CliError.isValidationError(error)) return notUnderstood(usageOf(error, args, choices))
  if (error instanceof NotUnderstood) return notUnderstood(wordsOf(error))
  if (Predicate.isTagged(error, "BadNews")) return { exitCode: 1, error: null }
  if (error instanceof RunNotKnown) return { ...endOf(Cause.fail(error.cause), args), beside: error.sameRun }
  const details = error instanceof ValidationError ? detailsOf(error) : refusedDetails(error)
  return {
    exitCode: 1,
    error: { code: codeOf(error), message: wordsOf(error), ...(details === undefined ? {} : { details }) }
  }
}

/** `serve --json` writes lines of its log to standard output, and one of them says why it ended. */
const asksForJson = ([command, ...args]: ReadonlyArray<string>): boolean =>
  command !== "serve" && args.includes("--json")

/** Says how a command line has ended, and answers its exit code. */
export const tellEnd = ({ beside, error, exitCode }: End, args: ReadonlyArray<string>): Effect.Effect<number> =>
  Effect.gen(function* () {
    if (error === null) return exitCode
    yield* Console.error(error.message)
    if (asksForJson(args)) yield* Console.log(writeJson({ error, ...beside }))
    return exitCode
  })
