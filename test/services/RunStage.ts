/** What the suites of runs stand on: tests over an engine whose providers are scripted, and a look at its money. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Micros } from "../../src/domain/Micros.js"
import type { Run } from "../../src/domain/Run.js"
import { ProvidersScripted, type ScriptedProviders } from "../../src/layers/providers/ProvidersScripted.js"
import type { Principal } from "../../src/services/Accounts.js"
import { Runs, type RunRequest } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, type Storage } from "../support/engine.js"
import type { DispatcherOptions } from "../../src/layers/runs/dispatch/DispatcherQueue.js"

export const job = "job:people.email.find"
export const price = Micros.make(5_000)

type EngineAndStorage = Layer.Layer.Success<ReturnType<typeof engine>> | Storage

/** Makes tests over a storage, whose money must add up after each. */
export const runTest =
  (storage: Layer.Layer<Storage>) =>
  (
    title: string,
    work: (providers: ScriptedProviders) => Effect.Effect<void, unknown, EngineAndStorage>,
    settings: Partial<DispatcherOptions> = {}
  ) =>
    it.live(title, () => {
      const providers = ProvidersScripted()
      return Effect.provide(
        Effect.zipRight(work(providers), noDrift),
        Layer.provideMerge(engine(providers.layer, settings), storage)
      )
    })

const noDrift = Effect.flatMap(Wallet, ({ verify }) =>
  Effect.map(verify, ({ difference, driftMicros }) => assert.deepStrictEqual([driftMicros, difference], [0, null]))
)
export const balanceOf = ({ workspaceId }: Principal) =>
  Effect.flatMap(Wallet, (wallet) => Effect.orDie(wallet.balance(workspaceId)))
export const entriesOf = ({ workspaceId }: Principal, run: Pick<Run, "runId">) =>
  Effect.flatMap(Wallet, (wallet) =>
    Effect.map(wallet.entries(workspaceId, { runId: run.runId }, { limit: 100, after: null }), ({ items }) =>
      items.map(({ amountMicros, kind }) => ({ kind, amountMicros })).reverse()
    )
  )
export const start = (principal: Principal, request: RunRequest, wait = 20) =>
  Effect.flatMap(Runs, (runs) => runs.create(principal, request, wait))
export const together = (
  count: number,
  work: (index: number) => Effect.Effect<Effect.Effect.Success<ReturnType<typeof start>>, unknown, Runs>
) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => Effect.either(work(index)),
    { concurrency: "unbounded" }
  )
