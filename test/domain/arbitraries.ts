/** Random values of the domain, small enough that limits are met and passed often. */
import { FastCheck } from "effect"
import type { Request, Spends, WalletState, TokenSpend } from "../../src/domain/Admission.js"
import { RunId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import { EndpointId, type InputPrice, ProviderId } from "../../src/domain/Manifest.js"
import type { Candidate, Fallback, RoutePlan } from "../../src/domain/RoutePlan.js"

export const runId = (n: number): RunId => RunId.make(`run_${String(n).padStart(26, "0")}`)

/** Amounts of money around `about`, with nothing and the largest exact integer among them. */
export const micros = (about = 1_000): FastCheck.Arbitrary<Micros> =>
  FastCheck.oneof(
    { weight: 9, arbitrary: FastCheck.nat(about) },
    { weight: 1, arbitrary: FastCheck.constantFrom(0, Number.MAX_SAFE_INTEGER) }
  ).map((amount) => Micros.make(amount))

const small = FastCheck.nat(1_000).map((amount) => Micros.make(amount))
const orNone = <A>(arbitrary: FastCheck.Arbitrary<A>) => FastCheck.option(arbitrary, { nil: null })

export const months = ["2025-12", "2026-01", "2026-02"] as const
export const month = FastCheck.constantFrom(...months)

export const walletState: FastCheck.Arbitrary<WalletState> = FastCheck.record({
  balance: FastCheck.record({ availableMicros: small, reservedMicros: small }),
  inflight: FastCheck.nat(6),
  inflightLimit: FastCheck.integer({ min: 1, max: 6 }),
  runCapMicros: orNone(small),
  runsPerMinute: orNone(FastCheck.integer({ min: 1, max: 4 })),
  minuteStartedAt: FastCheck.nat(200_000),
  minuteCount: FastCheck.nat(4),
  minuteRefused: FastCheck.nat(4)
})

export const spend: FastCheck.Arbitrary<TokenSpend> = FastCheck.record({
  limitMicros: orNone(small),
  month,
  spentMicros: small
})

/** Of a token and up to three that it comes from. */
export const spends: FastCheck.Arbitrary<Spends> = FastCheck.tuple(spend, FastCheck.array(spend, { maxLength: 3 })).map(
  ([own, others]): Spends => [own, ...others]
)

export const request: FastCheck.Arbitrary<Request> = FastCheck.record({
  runId: FastCheck.nat(99).map(runId),
  holdMicros: small,
  now: FastCheck.nat(400_000),
  month
})

export const price: FastCheck.Arbitrary<InputPrice> = FastCheck.record({
  basis: FastCheck.constantFrom("per_call" as const, "per_result" as const, "free" as const),
  micros: small,
  perCallMicros: small
})

export const candidate = (index: number): FastCheck.Arbitrary<Candidate> =>
  FastCheck.record({ effectful: FastCheck.boolean(), repeatable: FastCheck.boolean(), maxMicros: small }).map(
    (chosen) => ({
      endpointId: EndpointId.make(`tool-${index}`),
      providerId: ProviderId.make(`provider-${index}`),
      contractVersion: `v${index}`,
      input: {},
      ...chosen
    })
  )

export const fallback: FastCheck.Arbitrary<Fallback | null> = FastCheck.option(
  FastCheck.record({
    enabled: FastCheck.boolean(),
    maxAttempts: FastCheck.integer({ min: 1, max: 10 }),
    maxCostMicros: orNone(small),
    stopAtFirstMiss: FastCheck.boolean()
  }),
  { nil: null }
)

export const planOf = (candidates: ReadonlyArray<Candidate>, asked: Fallback | null): RoutePlan => ({
  job: null,
  prefer: "balanced",
  reason: "first",
  candidates,
  skipped: [],
  fallback: asked,
  connectionId: null,
  capped: false
})

export const plan: FastCheck.Arbitrary<RoutePlan> = FastCheck.tuple(
  FastCheck.nat(6).chain((count) => FastCheck.tuple(...Array.from({ length: count }, (_, index) => candidate(index)))),
  fallback
).map(([candidates, asked]) => planOf(candidates, asked))
