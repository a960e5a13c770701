/**
 * The options and arguments of the commands. A value that cannot be used is refused before anything is opened, in words
 * that name the option and what it takes.
 */
import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import { Effect, Either, Schema } from "effect"
import type { FieldProblem } from "../domain/ApiErrors.js"
import { ConnectionId, RequestId, RunId, TokenId } from "../domain/Ids.js"
import { instantExpected, readInstant } from "../domain/Instant.js"
import { creditKeyProblem, reasonProblem } from "../domain/Labels.js"
import { rotationOverlapSecondsMax } from "../domain/limits/Access.js"
import { pageRowsDefault, pageRowsMax } from "../domain/limits/Lists.js"
import { workspaceCountMax } from "../domain/limits/Workspaces.js"
import { ProviderId, readVariables } from "../domain/Manifest.js"
import { Micros, microsPerUsd, typedAmount, typedUsd } from "../domain/Micros.js"
import { ScopeInput, scopes } from "../domain/Scope.js"
import { readHostAndPort } from "../domain/Url.js"
import { readRule } from "../domain/WorkspacePolicy.js"

/** Reads one text, or says what it should have been. */
type Reader<A> = (text: string) => Either.Either<A, string>

const read =
  <A>(name: string, reader: Reader<A>) =>
  (text: string): Effect.Effect<A, ValidationError.ValidationError> =>
    Effect.mapError(reader(text), (problem) =>
      ValidationError.invalidValue(HelpDoc.p(`${name}: ${problem}, not "${text}"`))
    )

const option = <A>(name: string, reader: Reader<A>, pseudo: string): Options.Options<A> =>
  Options.text(name).pipe(Options.withPseudoName(pseudo), Options.mapEffect(read(`--${name}`, reader)))

type HowMany = <A>(one: Options.Options<A>) => Options.Options<Array<A>>
const repeatable = new Set<string>()
/** A text that may be given several times. Each option of the kind is made here, so that `keepEmptyValues` knows it. */
export const several = (name: string, pseudo: string, description: string, howMany: HowMany = Options.repeated) => {
  repeatable.add(`--${name}`)
  return howMany(Options.text(name).pipe(Options.withPseudoName(pseudo), Options.withDescription(description)))
}
const isBlank = (text: string): boolean => text.trim() === ""

/** Stands before a word that follows `--`, so that it is no option. No argument of a program holds this character. */
const word = "\u0000"

/** The words that follow `--` are marked, because the parser does not tell them from the others. */
export const markWords = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  return end < 0 ? args : args.map((arg, at) => (at > end && arg.startsWith("-") ? `${word}${arg}` : arg))
}

/** An argument of any text. The parser takes an unknown option for one where an argument is missing. */
export const text = (name: string): Args.Args<string> =>
  Args.text({ name }).pipe(
    Args.mapEffect((given) =>
      /^-+[A-Za-z]/.test(given)
        ? Effect.fail(HelpDoc.p(`Received unknown argument: '${given}'`))
        : Effect.succeed(given.startsWith(word) ? given.slice(word.length) : given)
    )
  )

const argument = <A>(name: string, reader: Reader<A>): Args.Args<A> =>
  text(name).pipe(Args.mapEffect((text) => Effect.mapError(read(name, reader)(text), ({ error }) => error)))

const decoded = <A, I extends string>(schema: Schema.Schema<A, I>, problem: string): Reader<A> => {
  const decode = Schema.decodeUnknownEither(schema)
  return (text) => Either.mapLeft(decode(text), () => problem)
}

const wholeNumber =
  (from: number, to: number): Reader<number> =>
  (text) =>
    /^(?:0|[1-9]\d*)$/.test(text) && Number(text) >= from && Number(text) <= to
      ? Either.right(Number(text))
      : Either.left(`must be a whole number from ${from} to ${to}`)

const orNone =
  <A>(reader: Reader<A>): Reader<A | null> =>
  (text) =>
    text === "none" ? Either.right(null) : Either.mapLeft(reader(text), (problem) => `${problem}, or none`)

const moment: Reader<number> = (text) => {
  const millis = readInstant(text)
  return millis === undefined ? Either.left(instantExpected) : Either.right(millis)
}

const target: Reader<string> = (text) =>
  Either.fromNullable(readHostAndPort(text), () => "must be host:port, such as 127.0.0.1:9000, and IPv6 in brackets")

/** Private addresses that a command may call. */
export const allowedTargets = several(
  "allow",
  "HOST:PORT",
  "Lets the egress guard through to this private address for this one command; repeatable"
).pipe(Options.mapEffect((all) => Effect.forEach(all, read("--allow", target))))

const scopeList: Reader<ReadonlyArray<typeof ScopeInput.Type>> = (text) => {
  const decode = Schema.decodeUnknownEither(ScopeInput)
  const items = text.split(",").map((item) => item.trim())
  const problem = (item: string) =>
    `must be of ${scopes.join(", ")}${items.length > 1 && item !== "" ? ` (${item} is none of them)` : ""}`
  return Either.all(items.map((item) => Either.mapLeft(decode(item), () => problem(item))))
}

export const json = Options.boolean("json").pipe(
  Options.withDescription("One JSON document on standard output and nothing else")
)

/** A workspace by its id or its name, which `workspaceOf` looks up. */
const workspaceOption = Options.text("workspace").pipe(Options.withPseudoName("ID_OR_NAME"))
export const workspace = workspaceOption.pipe(Options.withDescription("The workspace, by id or name"))
/** Where a command has one of its own: `words` say which. */
export const workspaceOr = (words: string) =>
  Options.optional(workspaceOption.pipe(Options.withDescription(`The workspace, by id or name${words}`)))
export const workspaceArgument = text("ID_OR_NAME").pipe(Args.withDescription("The workspace, by id or name"))
export const tokenArgument = argument("ID", decoded(TokenId, "must be the id of a token, such as tok_01k…")).pipe(
  Args.withDescription("The id of the token, as token list and token create show it")
)
export const runArgument = argument("RUN_ID", decoded(RunId, "must be the id of a run, such as run_01k…")).pipe(
  Args.withDescription("The id of the run, as runs list shows it")
)
export const runOrRequestArgument = argument(
  "RUN_ID",
  decoded(Schema.Union(RunId, RequestId), "must be the id of a run, such as run_01k…")
).pipe(
  Args.withDescription("The id of the run, as runs list shows it; with --database also that of its request, req_01k…")
)
export const connectionArgument = argument(
  "ID",
  decoded(ConnectionId, "must be the id of a connection, such as con_01k…")
).pipe(Args.withDescription("The id of the connection, as connection list shows it"))
const providerText = decoded(ProviderId, "must be the id of a provider: lower-case letters, digits, dots and hyphens")
export const providerArgument = argument("PROVIDER", providerText).pipe(
  Args.withDescription("The provider, by the id of its manifest, such as hunter")
)
export const provider = option("provider", providerText, "ID").pipe(
  Options.withDescription("The provider, by the id of its manifest")
)

/** Of a provider that is made of a document or a call. */
export const newProvider = option("id", providerText, "ID").pipe(
  Options.withDescription("The id of the provider; without it, its host"),
  Options.optional
)

/** None when it is left out. */
export const variables = several(
  "variable",
  "NAME=VALUE",
  "A part of the provider's address, such as shop=acme; repeated for several"
).pipe(
  Options.mapEffect((texts) =>
    read("--variable", (text) =>
      Either.fromNullable(texts.some(isBlank) ? null : readVariables(text), () => "must be NAME=VALUE")
    )(texts.join(" "))
  )
)

export const folder = Args.directory({ name: "FOLDER", exists: "yes" }).pipe(
  Args.withDescription("A catalog folder: manifests below its providers/ and jobs/")
)

export const label = Options.text("label").pipe(Options.withDescription("What people will know it by"))
const typed =
  (problemOf: (text: string) => FieldProblem | null): Reader<string> =>
  (text) => {
    const problem = problemOf(text)
    return problem === null ? Either.right(text) : Either.left(problem.message)
  }
/** Of an idempotent credit. An empty one is mostly a variable that is not set, and would be the key of all of these. */
export const creditKey = option("key", typed(creditKeyProblem), "text").pipe(
  Options.withDescription(
    "The same key credits once, however often the command runs; each run credits when it is left out"
  ),
  Options.optional
)
export const reason = option("reason", typed(reasonProblem), "TEXT").pipe(
  Options.withDescription("Kept with the money, for whoever reads the ledger")
)

/** Micros, negative ones too. */
export const credit = option("usd", typedUsd, "N").pipe(Options.withDescription("Dollars to add; negative takes back"))
export const chargeUsd = Options.optional(
  option("charge-usd", typedAmount, "N").pipe(Options.withDescription("Dollars to charge, with --as partly_charged"))
)
export const monthlyLimit = Options.optional(
  option("monthly-limit-usd", typedAmount, "N").pipe(
    Options.withDescription("Most that the token may spend in a calendar month")
  )
)
export const expiresAt = Options.optional(
  option("expires-at", moment, "ISO").pipe(Options.withDescription("When it stops working"))
)
const scopesOf = (description: string, howMany: HowMany) =>
  several("scope", "S", description, howMany).pipe(
    Options.mapEffect((texts) =>
      Effect.map(Effect.forEach(texts, read("--scope", scopeList)), (lists) => [...new Set(lists.flat())])
    )
  )
export const scope = scopesOf(
  `What the token may do: ${scopes.join(", ")}; repeated or separated by commas`,
  Options.atLeast(1)
)
/** None: the command's own. */
export const loginScopes = scopesOf(
  "What the token may do, repeated or separated by commas; search, run and see what it cost when it is left out",
  Options.repeated
)
const askAboveDefault = Micros.make(microsPerUsd)
export const askAbove = option("ask-above-usd", typedAmount, "N").pipe(
  Options.withDescription("Ask before a run that may cost more dollars than this; 1 when it is left out"),
  Options.withDefault(askAboveDefault)
)
export const watchCalls = Options.optional(
  option("max", wholeNumber(1, 999_999), "N").pipe(
    Options.withDescription("How many operations are called at most; all when it is left out")
  )
)
export const watchBudget = Options.optional(
  option("budget-usd", typedAmount, "N").pipe(
    Options.withDescription("Dollars that all calls together may cost at your providers; only what is free without it")
  )
)
export const pageLimit = option("limit", wholeNumber(1, pageRowsMax), "N").pipe(
  Options.withDescription(`How many at most; ${pageRowsDefault} when it is left out`),
  Options.withDefault(pageRowsDefault)
)
export const overlapSeconds = option("overlap-seconds", wholeNumber(0, rotationOverlapSecondsMax), "N").pipe(
  Options.withDescription("How long the secret until now goes on working; 0 when it is left out"),
  Options.withDefault(0)
)
export const cursor = Options.optional(
  Options.text("cursor").pipe(Options.withDescription("Goes on where the answer before ended"))
)

/** Absent: leave it as it is. Null: no limit of its own any more. */
const limit = <A>(name: string, reader: Reader<A>, description: string) =>
  Options.optional(option(name, orNone(reader), "N").pipe(Options.withDescription(`${description}; none clears it`)))
const count = wholeNumber(1, workspaceCountMax)
export const inflightLimit = limit("inflight-limit", count, "Runs that may be in flight at once")
export const runsPerMinute = limit("runs-per-minute", count, "Runs that may start in a minute")
export const runCap = limit("run-cap-usd", typedAmount, "Dollars that one run may hold at most")

/**
 * The parser silently drops a value of a repeatable option that is empty or, at the end of the line, absent. A blank
 * keeps it, so that the option's reader refuses it: `--policy-reset --allow ""` must not lift a policy.
 */
export const keepEmptyValues = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isRepeatable = (arg = "") => repeatable.has(arg)
  const kept = args.map((arg, index) => (arg === "" && isRepeatable(args[index - 1]) ? " " : arg))
  return isRepeatable(kept.at(-1)) ? [...kept, " "] : kept
}

const policyRules = (name: string, description: string) =>
  several(name, "RULE", `${description}: provider:<id>, category:<id>, endpoint:<id> or effectful; repeated`).pipe(
    Options.mapEffect((texts) => Effect.forEach(texts, read(`--${name}`, readRule)))
  )
export const allow = policyRules("allow", "Runs may use only what is allowed of this kind")
export const deny = policyRules("deny", "Runs may not use it, whatever is allowed")
export const onOrOff = ["on", "off"] as const
export const searchLearning = Options.choice("search-learning", onOrOff).pipe(
  Options.map((word) => word === "on"),
  Options.withDescription(
    "Whether searches learn from what is run after them; off forgets what was learned. Off when it was never set"
  ),
  Options.optional
)
export const policyReset = Options.boolean("policy-reset").pipe(
  Options.withDescription("Drops all rules of the policy before those of this command are added")
)
