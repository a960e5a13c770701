/**
 * Runs over any storage: this file puts the parts together. `Admitting.ts` creates runs, `Quoting.ts` says what a run
 * would do, `Cancelling.ts` cancels runs, `Waiting.ts` waits for their end, `RunLists.ts` lists them.
 */
import { Effect, Layer } from "effect"
import { NotFound } from "../../domain/ApiErrors.js"
import { Admission } from "../../services/Admission.js"
import { Catalog } from "../../services/Catalog.js"
import { Credentials } from "../../services/Credentials.js"
import { makeDeadlines } from "../../services/Deadlines.js"
import { Dispatcher } from "../../services/Dispatcher.js"
import { Draining } from "../../services/Draining.js"
import { Ids } from "../../services/Ids.js"
import { ProviderHealth } from "../../services/ProviderHealth.js"
import { Providers } from "../../services/Providers.js"
import { Runs } from "../../services/Runs.js"
import { RunSignals } from "../../services/RunSignals.js"
import { RunStore } from "../../services/RunStore.js"
import { SearchUses } from "../../services/SearchUses.js"
import { Settlement } from "../../services/Settlement.js"
import { TopUps } from "../../services/TopUps.js"
import { Wallet } from "../../services/Wallet.js"
import { create } from "./Admitting.js"
import { cancel } from "./Cancelling.js"
import { quote } from "./Quoting.js"
import { runLists } from "./RunLists.js"

export const RunsAdmitted: Layer.Layer<
  Runs,
  never,
  | Admission
  | Catalog
  | Credentials
  | Dispatcher
  | Draining
  | Ids
  | ProviderHealth
  | Providers
  | RunSignals
  | RunStore
  | SearchUses
  | Settlement
  | TopUps
  | Wallet
> = Layer.scoped(
  Runs,
  Effect.gen(function* () {
    const parts = {
      admission: yield* Admission,
      catalog: yield* Catalog,
      clock: yield* Effect.clock,
      credentials: yield* Credentials,
      deadlines: yield* makeDeadlines,
      dispatcher: yield* Dispatcher,
      draining: yield* Draining,
      health: yield* ProviderHealth,
      ids: yield* Ids,
      providers: yield* Providers,
      settlement: yield* Settlement,
      signals: yield* RunSignals,
      store: yield* RunStore,
      topUps: yield* TopUps,
      uses: yield* SearchUses,
      wallet: yield* Wallet
    }
    const { catalog, store } = parts
    return Runs.of({
      create: create(parts),
      quote: quote(parts),
      cancel: cancel(parts),
      get: Effect.fn("Runs.get")(function* (workspaceId, runId) {
        return (yield* store.detail({ workspaceId, runId })) ?? (yield* new NotFound({ what: "run", id: runId }))
      }),
      getSmall: (workspaceId, runId) => store.smallDetail({ workspaceId, runId }),
      list: runLists(catalog, store),
      media: Effect.fn("Runs.media")(function* (workspaceId, runId, mediaId) {
        return (
          (yield* store.media({ workspaceId, runId }, mediaId)) ?? (yield* new NotFound({ what: "file", id: mediaId }))
        )
      })
    })
  })
)
