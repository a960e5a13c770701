/**
 * `run`, and `runs list` and `runs watch`: runs over HTTP, as any client makes them. A run has one idempotency key from
 * the first request on, and is sent again with that key only.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Clock, Console, Duration, Effect, Either, Option, Ref, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { readJson, writeJson } from "../../domain/LosslessJson.js"
import { dollars } from "../../domain/Micros.js"
import { RunStatus, uncertainHint } from "../../domain/Run.js"
import { agreed } from "../Announced.js"
import { type Answer, answer, NotUnderstood } from "../Answer.js"
import * as Inputs from "../Inputs.js"
import { Screen } from "../Screen.js"
import { costOf, type Found, foundIn, lineOf, printed, runAt, RunError, RunPage, type RunShape } from "./FoundRuns.js"
import { anObject, expectShape, type LoggedIn, loggedIn, sendAgain, urlOption } from "./GatewayClient.js"
import { mayBeDone } from "./GatewayFailures.js"
import { NotRun, RunEndedBadly, RunNotKnown, type SameRun } from "./RunEnds.js"
import { fileOf } from "./RunsDownload.js"
import { optional } from "../../domain/Described.js"

const Quote = expectShape(
  Schema.Struct({
    holdMicros: Schema.Int,
    error: optional(RunError)
  })
)

const underWay = ({ status }: RunShape): boolean => status === "queued" || status === "running"

const lookEvery = Duration.seconds(1)

/** Until the run is no longer under way. Stopping this command does not stop the run. */
const watched = (gateway: LoggedIn, first: Found) =>
  Effect.gen(function* () {
    if (!underWay(first.run)) return first
    const { note, progress } = yield* Screen
    const since = yield* Clock.currentTimeMillis
    const { runId } = first.run
    yield* note(`${runId} is under way; gateway runs watch ${runId} follows it too`)
    const look = Effect.gen(function* () {
      const found = yield* runAt(gateway, runId)
      const seconds = Math.round(((yield* Clock.currentTimeMillis) - since) / 1000)
      yield* progress(`${found.run.status}, ${seconds} s`)
      return found
    })
    return yield* look.pipe(
      Effect.delay(lookEvery),
      Effect.repeat({ until: ({ run }) => !underWay(run) }),
      Effect.ensuring(progress(""))
    )
  })

/** The result on standard output, the rest on standard error; with --json the whole run. */
const ended = (json: boolean, { json: whole, run }: Found) =>
  Effect.gen(function* () {
    const { note } = yield* Screen
    const ok = run.status === "completed"
    const words = `${run.runId} is ${run.status}${run.outcome === undefined ? "" : ` (${run.outcome})`}, ${costOf(run.actualCost)}`
    const why = run.error === undefined ? "" : `: ${run.error.message} (${run.error.code})`
    const message = `${words}${why}${run.status === "reconciliation_pending" ? `. ${uncertainHint}` : ""}`
    if (json) {
      if (!ok) yield* note(message)
      return { json: whole, text: "", ok }
    }
    if (!ok) return yield* new RunEndedBadly({ message })
    yield* note(`${words}${run.servedEndpointId === undefined ? "" : `, by ${run.servedEndpointId}`}`)
    if (Option.isSome(fileOf({ json: whole, run }))) yield* note(`gateway runs download ${run.runId} saves the file`)
    const found: Answer = { json: whole, text: printed(whole["result"] ?? null) }
    return found
  })

const pairs = Inputs.text("KEY=VALUE").pipe(
  Args.withDescription("A field of the input as text; KEY:=JSON for any other kind of value"),
  Args.repeated
)
const inputOption = Options.text("input").pipe(
  Options.withPseudoName("JSON"),
  Options.withDescription("The input as a JSON object; fields that are named beside it replace its own"),
  Options.optional
)

/** Reads the input of a run, or says what is wrong with it. */
export const inputOf = (
  input: Option.Option<string>,
  fields: ReadonlyArray<string>
): Either.Either<JsonObject, string> => {
  const whole = Option.match(input, { onNone: () => Either.right<Json>({}), onSome: readJson })
  if (Either.isLeft(whole) || !isObject(whole.right)) return Either.left("--input: must be a JSON object")
  const read: Array<readonly [string, Json]> = []
  for (const field of fields) {
    const [, name = "", how = "", text = ""] = /^([^=:]+)(:?=)([^]*)$/.exec(field) ?? []
    if (name === "") return Either.left(`${field}: must be KEY=VALUE or KEY:=JSON`)
    const value = how === "=" ? Either.right<Json>(text) : readJson(text)
    if (Either.isLeft(value)) return Either.left(`${name}: what stands after := must be JSON`)
    read.push([name, value.right])
  }
  return Either.right(Object.fromEntries([...Object.entries(whole.right), ...read]))
}

const key = Effect.sync(() => `cli-${randomBytes(16).toString("hex")}`)

/**
 * Gives a program what gets it the same run, where the command ends without knowing what became of that. Nothing else
 * is printed for a command that is interrupted.
 */
const toldWith =
  (json: boolean, known: Effect.Effect<SameRun | null>) =>
  <A, E extends { readonly message: string }, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | RunNotKnown, R> =>
    work.pipe(
      Effect.catchAll((error) =>
        Effect.flatMap(known, (sameRun): Effect.Effect<never, E | RunNotKnown> =>
          sameRun === null ? Effect.fail(error) : new RunNotKnown({ cause: error, sameRun })
        )
      ),
      Effect.onInterrupt(() =>
        Effect.flatMap(known, (sameRun) => {
          const error = { code: "interrupted", message: "The command was interrupted; the run may go on" }
          return json && sameRun !== null ? Console.log(writeJson({ error, ...sameRun })) : Effect.void
        })
      )
    )

/** Long enough for most runs, and short enough to show progress of the others. */
const waitSeconds = 10

export const run = Command.make(
  "run",
  {
    endpointId: Inputs.text("ENDPOINT").pipe(Args.withDescription("job:… or the id of an operation")),
    fields: pairs,
    input: inputOption,
    fallback: Options.boolean("fallback").pipe(
      Options.withDescription("Of a job: go on to the next provider after a miss or an error")
    ),
    askAbove: Inputs.askAbove,
    yes: Options.boolean("yes").pipe(
      Options.withAlias("y"),
      Options.withDescription("Run it whatever it costs, without asking")
    ),
    key: Options.text("key").pipe(
      Options.withDescription("The idempotency key, to get the same run again; a new one when it is left out"),
      Options.optional
    ),
    url: urlOption,
    json: Inputs.json
  },
  ({ askAbove, endpointId, fallback, fields, input: text, json, key: asked, url, yes }) =>
    answer(
      json,
      Effect.gen(function* () {
        const input = yield* Effect.mapError(inputOf(text, fields), (message) => new NotUnderstood({ message }))
        const gateway = yield* loggedIn(url)
        const { note } = yield* Screen
        const body = { endpointId, input, ...(fallback ? { fallback } : {}) }
        const quote = yield* Quote(
          gateway.url,
          yield* sendAgain(gateway.send({ method: "POST", path: "/v1/runs/quote", body }))
        )
        const price = dollars(quote.holdMicros)
        if (quote.error !== undefined)
          return yield* new NotRun({
            code: quote.error.code,
            message: `It would not run: ${quote.error.message} (${quote.error.code})`
          })
        yield* note(`At most ${price}`)
        if (quote.holdMicros > askAbove)
          yield* agreed({
            yes,
            because: `It may cost ${price}`,
            question: "Run it?",
            otherwise: "add --yes to run it",
            declined: "Nothing was run"
          })
        const idempotencyKey = Option.isSome(asked) ? asked.value : yield* key
        // One attempt is enough: the run may be there, whatever the attempts after it were answered. While one has no
        // answer yet, it may be there too.
        const mayRun = yield* Ref.make(false)
        const attempt = Effect.flatMap(Ref.getAndSet(mayRun, true), (before) =>
          gateway
            .send({
              method: "POST",
              path: "/v1/runs",
              query: { wait: waitSeconds },
              headers: { "idempotency-key": idempotencyKey },
              body
            })
            .pipe(
              Effect.flatMap((made) => foundIn(gateway.url, made)),
              Effect.tapError((error) => Ref.set(mayRun, before || mayBeDone(error)))
            )
        )
        const first = yield* sendAgain(attempt, ({ message }) =>
          note(`${message}; sending it again with the same key`)
        ).pipe(
          Effect.onError(() =>
            Effect.whenEffect(
              note(`Whether it runs is not known. This gets the same run: gateway run … --key ${idempotencyKey}`),
              Ref.get(mayRun)
            )
          ),
          toldWith(
            json,
            Effect.map(Ref.get(mayRun), (may) => (may ? { idempotencyKey } : null))
          )
        )
        if (first.run.replayed === true) yield* note("The same run as before; nothing is charged again")
        const { runId } = first.run
        const last = yield* watched(gateway, first).pipe(toldWith(json, Effect.succeed({ idempotencyKey, runId })))
        return yield* ended(json, last)
      })
    )
).pipe(
  Command.withDescription("Run a job or an operation: shows the highest price, asks above a sum, prints the result")
)

export const runsList = Command.make(
  "list",
  {
    status: Options.choice("status", RunStatus.literals).pipe(
      Options.withDescription("Only runs in this state"),
      Options.optional
    ),
    key: Options.text("key").pipe(
      Options.withDescription("Only the run of this idempotency key, if there is one"),
      Options.optional
    ),
    limit: Inputs.pageLimit,
    cursor: Inputs.cursor,
    url: urlOption,
    json: Inputs.json
  },
  ({ cursor, json, key, limit, status, url }) =>
    answer(
      json,
      Effect.gen(function* () {
        const gateway = yield* loggedIn(url)
        const found = yield* gateway.get("/v1/runs", {
          limit,
          status: Option.getOrNull(status),
          idempotencyKey: Option.getOrNull(key),
          cursor: Option.getOrNull(cursor)
        })
        const { nextCursor, runs } = yield* RunPage(gateway.url, found)
        return {
          json: yield* anObject(gateway.url, found),
          text: [
            ...(runs.length === 0 ? ["No runs"] : runs.map(lineOf)),
            ...(nextCursor === null ? [] : [`more: --cursor ${nextCursor}`])
          ].join("\n")
        }
      })
    )
).pipe(Command.withDescription("Your runs at the gateway of the login, newest first"))

export const runsWatch = Command.make(
  "watch",
  { runId: Inputs.runArgument, url: urlOption, json: Inputs.json },
  ({ json, runId, url }) =>
    answer(
      json,
      Effect.gen(function* () {
        const gateway = yield* loggedIn(url)
        return yield* ended(json, yield* watched(gateway, yield* runAt(gateway, runId)))
      })
    )
).pipe(Command.withDescription("Follow a run until it ends, then print its result"))
