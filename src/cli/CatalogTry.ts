/**
 * `catalog try`: runs one operation of a manifest file once, through the engine and the egress guard that a service
 * uses, and shows what was sent, what came back and what became of it. Keys are blotted out of all that is shown, and
 * are never an argument, which every process of the machine could read. No database is opened, no money moves, and
 * nothing is kept.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import { Clock, Config, Data, Effect, Either, Option, Redacted } from "effect"
import { basename, dirname, resolve } from "node:path"
import { isObject, type Json, type JsonObject } from "../domain/Json.js"
import { readJson } from "../domain/LosslessJson.js"
import type { Endpoint } from "../domain/Manifest.js"
import { inputFields, requiredFields } from "../domain/OperationInput.js"
import { type Credential, isUncertain } from "../domain/ProviderCall.js"
import { costOfFailure } from "../domain/Settlement.js"
import { portOf, readUrl } from "../domain/Url.js"
import { builtInCatalog } from "../layers/catalog/BuiltInCatalog.js"
import { readConfig } from "../layers/node/Config.js"
import type { SeenExchange } from "../layers/providers/WatchedExchanges.js"
import { agreed } from "./Announced.js"
import { answer } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { SecretInput } from "./SecretInput.js"
import { type Trial, trialAnswer } from "./TrialAnswer.js"

/** No call was made, and why. */
export class NotTried extends Data.TaggedError("NotTried")<{ readonly reason: string }> {
  override get message(): string {
    return `Nothing was sent: ${this.reason}`
  }
}

const file = Args.file({ name: "FILE", exists: "yes" }).pipe(Args.withDescription("The manifest of the provider"))
const endpointId = Inputs.text("ENDPOINT").pipe(Args.withDescription("The id of the operation in this file"))
const input = Options.text("input").pipe(
  Options.withPseudoName("JSON"),
  Options.withDescription(
    "The input as a JSON object; that of the operation's first hit sample without it, or the examples of its fields"
  ),
  Options.optional
)
const inputFile = Options.file("input-file").pipe(
  Options.withPseudoName("FILE"),
  Options.withDescription("The same, from a file"),
  Options.optional
)
const baseUrl = Options.text("base-url").pipe(
  Options.withPseudoName("URL"),
  Options.withDescription(
    "Calls this address instead of the manifest's, with an invented key unless --key-env names one; a private address may be called"
  ),
  Options.optional
)
const keyEnv = Options.text("key-env").pipe(
  Options.withPseudoName("NAME"),
  Options.withDescription(
    "The environment variable that holds the key; without it the key is read from standard input"
  ),
  Options.optional
)
const yes = Options.boolean("yes", { aliases: ["y"] }).pipe(
  Options.withDescription("Does not ask before an operation that changes something at the provider")
)
const saveSample = Options.text("save-sample").pipe(
  Options.withPseudoName("NAME"),
  Options.withDescription("Also prints a sample of this name made of the call, for the manifest"),
  Options.optional
)

/** Shorter texts cannot be blotted, because they would also match harmless ones. */
const keyCharsMin = 6

/** The manifest, with the jobs that its operations may name: the built-in ones and those beside it. */
const endpointIn = Effect.fnUntraced(function* (path: string, wanted: string) {
  const files = yield* FileSystem.FileSystem
  const { decodeCatalog } = yield* Effect.promise(() => import("../layers/catalog/ManifestReading.js"))
  const jobFolders = [resolve(builtInCatalog, "jobs"), resolve(dirname(resolve(path)), "..", "jobs")]
  const otherJobs = yield* Effect.forEach(jobFolders, (folder) =>
    Effect.orElseSucceed(files.readDirectory(folder), () => [])
  )
  const text = yield* files.readFileString(path)
  const { endpoints } = yield* decodeCatalog(
    { jobs: [], providers: [{ file: path, text }] },
    { thorough: true, otherJobs: otherJobs.flat().map((name) => ({ id: name.replace(/\.ya?ml$/, "") })) }
  )
  const found = endpoints.find(({ operation }) => operation.id === wanted)
  return (
    found ??
    (yield* new NotTried({
      reason: `${basename(path)} has no operation ${wanted}; it has ${endpoints.map(({ operation }) => operation.id).join(", ")}`
    }))
  )
})

const objectIn = (text: string, from: string): Either.Either<JsonObject, NotTried> =>
  Either.flatMap(
    Either.mapLeft(readJson(text), () => new NotTried({ reason: `${from} is not JSON` })),
    (value) =>
      isObject(value) ? Either.right(value) : Either.left(new NotTried({ reason: `${from} must be a JSON object` }))
  )

const inputFor = Effect.fnUntraced(function* (
  { operation }: Endpoint,
  typed: Option.Option<string>,
  path: Option.Option<string>
) {
  if (Option.isSome(typed)) return yield* objectIn(typed.value, "--input")
  if (Option.isSome(path)) {
    const files = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(
      files.readFileString(path.value),
      () => new NotTried({ reason: `--input-file: ${path.value} cannot be read` })
    )
    return yield* objectIn(text, path.value)
  }
  const samples = Object.values(operation.samples)
  const sample = samples.find(({ outcome }) => outcome === "hit") ?? samples[0]
  return sample === undefined ? yield* exampleFor(operation) : sample.input
})

/** The examples of the fields. What has none and is required must be given: an invented value would find nothing. */
const exampleFor = (operation: Endpoint["operation"]): Either.Either<JsonObject, NotTried> => {
  const required = new Set(requiredFields(operation))
  const fields = inputFields(operation)
  const given = fields.flatMap(([name, { const: fixed, default: preset, enum: choices, examples }]) => {
    const first = (list: Json | undefined): Json | undefined => (Array.isArray(list) ? list[0] : undefined)
    const value = fixed ?? first(examples) ?? preset ?? (required.has(name) ? first(choices) : undefined)
    return value === undefined ? [] : [[name, value] as const]
  })
  const names = new Set(given.map(([name]) => name))
  const missing = [...required].filter((name) => !names.has(name))
  if (missing.length === 0 && (given.length > 0 || fields.length === 0)) return Either.right(Object.fromEntries(given))
  const wanted = missing.length > 0 ? missing : fields.slice(0, 1).map(([name]) => name)
  return Either.left(
    new NotTried({
      reason: `${operation.id} has no sample, and no example for ${wanted.join(", ")}: give the input, such as --input '{"${wanted[0] ?? ""}": …}'${missing.length > 0 ? "" : ", or --input '{}' for none"}`
    })
  )
}

const credentialFor = Effect.fnUntraced(function* (
  { provider }: Endpoint,
  asked: { readonly keyEnv: Option.Option<string>; readonly isElsewhere: boolean },
  given: { readonly [name: string]: string }
) {
  const { auth } = provider
  if (auth.type === "none" || auth.type === "unsupported") return { _tag: "None" } satisfies Credential
  const { exampleValues, variablesProblem } = yield* Effect.promise(() => import("../layers/providers/Variables.js"))
  const { keyProblem } = yield* Effect.promise(() => import("../layers/providers/KeyPlacement.js"))
  const { inOneLine } = yield* Effect.promise(() => import("../layers/secrets/SecretText.js"))
  const { inventedKey } = yield* Effect.promise(() => import("../layers/providers/InventedKeys.js"))
  const isInvented = asked.isElsewhere && Option.isNone(asked.keyEnv)
  const variables = isInvented ? { ...exampleValues(provider.variables), ...given } : given
  const wrong = variablesProblem([provider], variables)
  if (wrong !== null) return yield* new NotTried({ reason: `--variable: ${wrong.field} ${wrong.message}` })
  const key = isInvented
    ? Redacted.make(inventedKey(auth, "invented-user", "invented-password", "invented-key-0000"))
    : inOneLine(
        Option.isSome(asked.keyEnv)
          ? yield* Effect.mapError(
              Effect.map(Config.string(asked.keyEnv.value), (given) => Redacted.make(given)),
              () =>
                new NotTried({ reason: `there is no environment variable ${Option.getOrElse(asked.keyEnv, () => "")}` })
            )
          : yield* Effect.flatMap(SecretInput, ({ read }) => read)
      )
  const text = Redacted.value(key)
  if (text === "")
    return yield* new NotTried({
      reason: `there is no key: name the environment variable that holds it with --key-env NAME, or give it on standard input`
    })
  const problem = keyProblem(provider, text, "connection")
  if (problem !== null) return yield* new NotTried({ reason: `the key ${problem}` })
  if (text.length < keyCharsMin)
    return yield* new NotTried({
      reason: `the key must have at least ${keyCharsMin} characters: a shorter one cannot be blotted out of what is shown`
    })
  return { _tag: "Platform", secret: key, variables } satisfies Credential
})

/** `host:port` of an address. */
const targetOf = (url: URL): string => `${url.hostname}:${portOf(url)}`

/** The endpoint at another address. Access tokens come from there too: an invented key must not go to the real one. */
const movedTo = Effect.fnUntraced(function* (endpoint: Endpoint, address: string) {
  const url = readUrl(address)
  if (url === null || !/^https?:$/.test(url.protocol))
    return yield* new NotTried({ reason: "--base-url must be an address such as http://127.0.0.1:9000" })
  const { makeEndpoint } = yield* Effect.promise(() => import("../layers/catalog/ManifestEndpoints.js"))
  const { auth } = endpoint.provider
  const tokens = auth.type === "oauth2_client_credentials" ? readUrl(auth.tokenUrl) : null
  return {
    endpoint: makeEndpoint({ ...endpoint.provider, baseUrl: address.replace(/\/+$/, "") }, endpoint.operation),
    origins: tokens === null ? {} : { [tokens.origin]: url.origin },
    opened: [targetOf(url)]
  }
})

const mayGoOn = Effect.fnUntraced(function* ({ operation, provider }: Endpoint, isSaid: boolean) {
  if (operation.effect === "read_only") return
  yield* agreed({
    yes: isSaid,
    because: `${operation.id} changes something at ${provider.baseUrl}`,
    question: "Call it?",
    otherwise: "--yes calls it all the same",
    declined: "you did not agree"
  }).pipe(Effect.mapError(({ message }) => new NotTried({ reason: message })))
})

export const catalogTry = Command.make(
  "try",
  {
    file,
    endpointId,
    input,
    inputFile,
    baseUrl,
    allow: Inputs.allowedTargets,
    keyEnv,
    variables: Inputs.variables,
    saveSample,
    yes,
    json: Inputs.json
  },
  ({ allow, baseUrl, endpointId, file, input, inputFile, json, keyEnv, saveSample, variables, yes }) =>
    answer(
      json,
      Effect.gen(function* () {
        const { ProvidersHttp } = yield* Effect.promise(() => import("../layers/providers/ProvidersHttp.js"))
        const { costOfAnswer, holdFor } = yield* Effect.promise(() => import("../layers/providers/PriceByInput.js"))
        const { headersReadBy } = yield* Effect.promise(() => import("../layers/providers/HeadersRead.js"))
        const { Providers } = yield* Effect.promise(() => import("../services/Providers.js"))
        const original = yield* endpointIn(file, endpointId)
        if (!original.operation.activated && Option.isNone(baseUrl))
          return yield* new NotTried({
            reason: `${endpointId} is not activated: write the provider's baseUrl in the manifest and take out activated, or name an address with --base-url`
          })
        const { endpoint, opened, origins } = yield* Option.match(baseUrl, {
          onNone: () => Effect.succeed({ endpoint: original, origins: {}, opened: [] }),
          onSome: (address) => movedTo(original, address)
        })
        const typed = yield* inputFor(endpoint, input, inputFile)
        const exchanges: Array<SeenExchange> = []
        const engine = ProvidersHttp({
          egressAllow: [...(yield* readConfig).egressAllow, ...allow, ...opened],
          origins,
          watch: (seen) => void exchanges.push(seen)
        })
        return yield* Effect.gen(function* () {
          const providers = yield* Providers
          const prepared = providers.prepare(endpoint, typed)
          if (prepared._tag === "Rejected")
            return yield* new NotTried({
              reason: prepared.problems
                .map((each) => `input.${each.field} ${each._tag === "Missing" ? "is missing" : each.message}`)
                .join("; ")
            })
          const held = yield* Either.mapLeft(
            holdFor(endpoint, prepared.input),
            ({ field, message }) => new NotTried({ reason: `input.${field} ${message}` })
          )
          const credential = yield* credentialFor(endpoint, { keyEnv, isElsewhere: Option.isSome(baseUrl) }, variables)
          yield* mayGoOn(endpoint, yes)
          const startedMillis = yield* Clock.currentTimeMillis
          const result = yield* Effect.either(
            providers.call({
              endpoint,
              input: prepared.input,
              credential,
              attemptReference: `try-${startedMillis.toString(36)}`
            })
          )
          const trial: Trial = {
            endpoint,
            input: typed,
            result,
            exchanges,
            headersRead: headersReadBy(endpoint.operation),
            heldMicros: held,
            cost: Either.match(result, {
              onLeft: (failed) =>
                isUncertain(failed, endpoint.operation.effect === "effectful")
                  ? null
                  : costOfFailure(failed.cost, held),
              onRight: (answered) => costOfAnswer(endpoint, { input: prepared.input, maxMicros: held }, answered)
            }),
            tookMillis: (yield* Clock.currentTimeMillis) - startedMillis,
            opened: [...new Set([...allow, ...opened])],
            sampleName: Option.getOrNull(saveSample)
          }
          return trialAnswer(trial)
        }).pipe(Effect.provide(engine))
      })
    )
).pipe(
  Command.withDescription(
    "Call one operation of a manifest once and show the requests, the answers, the outcome and the price; keys are blotted out, and no money moves"
  )
)
