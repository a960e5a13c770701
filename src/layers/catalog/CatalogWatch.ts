/**
 * Calls operations at their real providers with the inputs of their documented samples, and tells what has moved since
 * they were written down (`domain/Drift.ts`). Only read-only operations are called, one at a time, with a pause between
 * two calls of one provider, and never when the most that the next call can cost is more than what is left of the
 * budget. Nothing of a workspace is touched: there is no run, no hold and no charge.
 */
import { Clock, Effect, Either, type Redacted } from "effect"
import { type Drift, driftOf } from "../../domain/Drift.js"
import { watchPauseMillis } from "../../domain/limits/Manifests.js"
import { type Endpoint, type InputPrice, isKeyless, type Sample, type VariableValues } from "../../domain/Manifest.js"
import { add, type Micros, zero } from "../../domain/Micros.js"
import type { CallFailure, Credential, ProviderAnswer } from "../../domain/ProviderCall.js"
import { Providers } from "../../services/Providers.js"
import { costOfAnswer, holdFor, priceFor } from "../providers/PriceByInput.js"

export interface WatchOptions {
  /** The most that all calls together may cost; 0 calls only what is free. */
  readonly budgetMicros: Micros
  /** How many operations are called at most. */
  readonly callsMax: number
  readonly keyOf: (providerId: string) => OpenedKey | null
  /** `watchPauseMillis` when absent. */
  readonly pauseMillis?: number
}

/** A platform key, for one call. */
export interface OpenedKey {
  readonly secret: Redacted.Redacted
  readonly variables?: VariableValues
}

/** An operation that was called, or that could not be for want of a key. */
export interface Watched {
  readonly endpoint: Endpoint
  readonly drift: Drift
  /** When it was called, in milliseconds since 1970. */
  readonly at: number
  /** What the call cost at most, as far as its answer and price say. */
  readonly costMicros: Micros
}

export type ReasonLeftOut =
  | "effectful"
  | "without a documented hit"
  | "needs the account of a user"
  | "above the budget"
  | "beyond the number of calls"

export interface LeftOut {
  readonly endpointId: string
  readonly reason: ReasonLeftOut
}

interface Ready {
  readonly endpoint: Endpoint
  readonly sample: Sample
  readonly price: InputPrice
  readonly input: Sample["input"]
  readonly maxMicros: Micros
}

interface Unready {
  readonly endpoint: Endpoint
  readonly reason: string
}

const excludes = ({ operation, provider }: Endpoint): ReasonLeftOut | null => {
  if (operation.effect === "effectful") return "effectful"
  return provider.auth.type === "oauth2_authorization_code" ? "needs the account of a user" : null
}

const readyOf = ({ prepare }: Providers["Type"], endpoint: Endpoint, sample: Sample): Either.Either<Ready, Unready> => {
  const prepared = prepare(endpoint, sample.input)
  if (prepared._tag === "Rejected")
    return Either.left({ endpoint, reason: `the sample's input is refused: ${prepared.problems[0]?.field ?? "input"}` })
  const { input } = prepared
  return Either.all({ price: priceFor(endpoint, input), maxMicros: holdFor(endpoint, input) }).pipe(
    Either.mapBoth({
      onLeft: ({ field, message }) => ({ endpoint, reason: `the sample's input has no price: ${field} ${message}` }),
      onRight: (priced) => ({ endpoint, sample, input, ...priced })
    })
  )
}

/** The cheapest first, and then by turns, so that the pause of one provider is filled with calls of others. */
const inOrder = (ready: ReadonlyArray<Ready>): ReadonlyArray<Ready> => {
  const turns = new Map<string, number>()
  return [...ready]
    .sort((a, b) => a.maxMicros - b.maxMicros)
    .map((each) => {
      const turn = turns.get(each.endpoint.provider.id) ?? 0
      turns.set(each.endpoint.provider.id, turn + 1)
      return { each, turn }
    })
    .sort((a, b) => a.each.maxMicros - b.each.maxMicros || a.turn - b.turn)
    .map(({ each }) => each)
}

const credentialFor = ({ provider }: Endpoint, keyOf: WatchOptions["keyOf"]): Credential | null => {
  if (isKeyless(provider)) return { _tag: "None" }
  const key = provider.platformKey ? keyOf(provider.id) : null
  return key === null ? null : { _tag: "Platform", ...key }
}

/** What is taken from the budget: of a failed call that was sent, all that it could cost, because it may be billed. */
const costOf = ({ endpoint, input, maxMicros }: Ready, ended: Either.Either<ProviderAnswer, CallFailure>): Micros =>
  Either.match(ended, {
    onLeft: (failed) => (failed._tag === "ProviderFailure" && !failed.sent ? zero : maxMicros),
    onRight: (answer) => costOfAnswer(endpoint, { input, maxMicros }, answer).micros
  })

/** Calls what may be called. `heard` gets each operation as soon as it is known. */
export const watchCatalog = Effect.fn("CatalogWatch.watchCatalog")(function* <E, R>(
  endpoints: ReadonlyArray<Endpoint>,
  { budgetMicros, callsMax, keyOf, pauseMillis = watchPauseMillis }: WatchOptions,
  heard: (watched: Watched) => Effect.Effect<void, E, R>
) {
  const providers = yield* Providers
  const watched: Array<Watched> = []
  const leftOut: Array<LeftOut> = []
  const ready: Array<Ready> = []
  const tell = (found: Watched) =>
    Effect.zipRight(
      Effect.sync(() => watched.push(found)),
      heard(found)
    )

  for (const endpoint of endpoints) {
    if (endpoint.provider.mock || !endpoint.operation.activated) continue
    const sample = endpoint.operation.samples["hit"]
    const reason = excludes(endpoint) ?? (sample === undefined ? "without a documented hit" : null)
    if (reason !== null || sample === undefined) {
      leftOut.push({ endpointId: endpoint.operation.id, reason: reason ?? "without a documented hit" })
      continue
    }
    const found = readyOf(providers, endpoint, sample)
    if (Either.isRight(found)) ready.push(found.right)
    else
      yield* tell({
        endpoint,
        drift: { state: "could_not_tell", reason: found.left.reason },
        at: yield* Clock.currentTimeMillis,
        costMicros: zero
      })
  }

  const endedAt = new Map<string, number>()
  let spent = zero
  let calls = 0
  for (const each of inOrder(ready)) {
    const { endpoint, sample } = each
    const { id } = endpoint.provider
    if (spent + each.maxMicros > budgetMicros) {
      leftOut.push({ endpointId: endpoint.operation.id, reason: "above the budget" })
      continue
    }
    if (calls >= callsMax) {
      leftOut.push({ endpointId: endpoint.operation.id, reason: "beyond the number of calls" })
      continue
    }
    const credential = credentialFor(endpoint, keyOf)
    const before = yield* Clock.currentTimeMillis
    if (credential === null) {
      const drift = { state: "could_not_tell", reason: "the gateway has no key for this provider" } as const
      yield* tell({ endpoint, drift, at: before, costMicros: zero })
      continue
    }
    const since = endedAt.get(id)
    if (since !== undefined) yield* Effect.sleep(Math.max(0, since + pauseMillis - before))
    const at = yield* Clock.currentTimeMillis
    calls += 1
    const ended = yield* Effect.either(
      providers.call({ endpoint, input: each.input, credential, attemptReference: `watch-${at}-${calls}` })
    )
    endedAt.set(id, yield* Clock.currentTimeMillis)
    const costMicros = costOf(each, ended)
    spent = add(spent, costMicros)
    yield* tell({ endpoint, drift: driftOf(endpoint, sample, each, ended), at, costMicros })
  }
  return { watched, leftOut, calls, spentMicros: spent }
})
