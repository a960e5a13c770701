/**
 * `catalog watch`: whether providers still answer as the manifests say. It calls the real providers, with the gateway's
 * own keys, and ends with 1 when something has moved or is gone, so that a schedule can tell its operator.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import { Data, Effect, type Layer, Option } from "effect"
import { resolve } from "node:path"
import { counted } from "../domain/Counted.js"
import type { Drift } from "../domain/Drift.js"
import type { JsonObject } from "../domain/Json.js"
import { type Endpoint, isKeyless } from "../domain/Manifest.js"
import { dollars, zero } from "../domain/Micros.js"
import { builtInCatalog } from "../layers/catalog/BuiltInCatalog.js"
import type { LeftOut, OpenedKey, Watched } from "../layers/catalog/CatalogWatch.js"
import { mergeCatalogs } from "../layers/catalog/Merging.js"
import { readConfig } from "../layers/node/Config.js"
import { CatalogRevisions } from "../services/CatalogRevisions.js"
import { PlatformKeys } from "../services/PlatformKeys.js"
import { type Answer, answer, isoTime } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { shippedCatalog } from "./KnownProviders.js"
import { Screen } from "./Screen.js"

export class NothingNamed extends Data.TaggedError("NothingNamed")<{ readonly names: ReadonlyArray<string> }> {
  override get message(): string {
    return `--only: no operation and no provider of the catalog is called ${this.names.join(", ")}`
  }
}

const only = Inputs.several("only", "ID", "Only this operation, or the operations of this provider; repeated")
const keyless = Options.boolean("keyless").pipe(
  Options.withDescription("Only providers that need no key; opens no database, so that nothing published is watched")
)
const history = Options.file("history").pipe(
  Options.withDescription("Where one line of JSON is added for each operation that was called"),
  Options.optional
)

const driftJson = (drift: Drift): JsonObject =>
  drift.state === "moved" ? { state: drift.state, moved: drift.moved.map((each) => ({ ...each })) } : { ...drift }

const watchedJson = ({ at, costMicros, drift, endpoint: { operation, provider } }: Watched): JsonObject => ({
  endpointId: operation.id,
  providerId: provider.id,
  at: isoTime(at),
  verifiedOn: operation.provenance?.verifiedOn ?? null,
  costMicros,
  ...driftJson(drift)
})

const words: Readonly<Record<Drift["state"], string>> = {
  same: "same",
  moved: "moved",
  gone: "gone",
  could_not_tell: "could not tell"
}

const linesOf = ({ drift, endpoint: { operation } }: Watched): ReadonlyArray<string> => {
  const head = `${operation.id}: ${words[drift.state]}`
  switch (drift.state) {
    case "same":
      return [head]
    case "moved":
      return [head, ...drift.moved.map(({ message, path }) => `  ${path} ${message}`)]
    case "gone":
    case "could_not_tell":
      return [`${head}: ${drift.reason}`]
  }
}

const countsOf = <A extends string>(all: ReadonlyArray<A>): ReadonlyMap<A, number> => {
  const counts = new Map<A, number>()
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1)
  return counts
}

const reported = (
  watched: ReadonlyArray<Watched>,
  leftOut: ReadonlyArray<LeftOut>,
  spent: { readonly calls: number; readonly micros: number }
): Answer => {
  const states = countsOf(watched.map(({ drift }) => drift.state))
  const count = (state: Drift["state"]): number => states.get(state) ?? 0
  const reasons = [...countsOf(leftOut.map(({ reason }) => reason))].map(([reason, many]) => `${many} ${reason}`)
  // Where nothing was called, nothing is known: a schedule must not take that for good news.
  const ok = watched.length > 0 && count("moved") + count("gone") === 0
  return {
    ok,
    json: {
      ok,
      calls: spent.calls,
      costMicros: spent.micros,
      same: count("same"),
      moved: count("moved"),
      gone: count("gone"),
      couldNotTell: count("could_not_tell"),
      operations: watched.map(watchedJson),
      leftOut: leftOut.map((each) => ({ ...each }))
    },
    text: [
      ...watched.flatMap(linesOf),
      ...(watched.length > 0
        ? []
        : [
            leftOut.length > 0
              ? "Nothing was called, so nothing is known"
              : "Nothing was called, so nothing is known: only read-only operations with a hit among their samples are called"
          ]),
      `${count("same")} same, ${count("moved")} moved, ${count("gone")} gone, ${count("could_not_tell")} could not be told; ${counted(spent.calls, "call")}, which cost at most ${dollars(spent.micros)}`,
      ...(reasons.length === 0 ? [] : [`Not called: ${reasons.join(", ")}`])
    ].join("\n")
  }
}

/** What is published, and the keys of the providers that need one. */
const stored = Effect.fnUntraced(function* (keyed: (published: ReadonlyArray<Endpoint>) => ReadonlyArray<string>) {
  const { content } = yield* (yield* CatalogRevisions).latest
  const keys = yield* PlatformKeys
  const opened = new Map<string, OpenedKey>()
  for (const providerId of keyed(content.endpoints)) {
    const key = yield* keys.use(providerId)
    if (key !== null) opened.set(providerId, key)
  }
  return { content, opened }
})

const isNamed =
  (names: ReadonlyArray<string>) =>
  ({ operation, provider }: Endpoint): boolean =>
    names.length === 0 || names.some((name) => name === operation.id || name === provider.id)

export const catalogWatch = <E, R>(storage: Layer.Layer<CatalogRevisions | PlatformKeys, E, R>) =>
  Command.make(
    "watch",
    {
      folders: Inputs.folder.pipe(Args.repeated),
      only,
      budget: Inputs.watchBudget,
      max: Inputs.watchCalls,
      keyless,
      history,
      json: Inputs.json
    },
    ({ budget, folders, history, json, keyless, max, only }) =>
      answer(
        json,
        Effect.gen(function* () {
          const { readCatalog } = yield* Effect.promise(() => import("../layers/catalog/CatalogFiles.js"))
          const { watchCatalog } = yield* Effect.promise(() => import("../layers/catalog/CatalogWatch.js"))
          const { ProvidersHttp } = yield* Effect.promise(() => import("../layers/providers/ProvidersHttp.js"))
          const files = yield* FileSystem.FileSystem
          const screen = yield* Screen
          const config = yield* readConfig
          const more = (folders.length > 0 ? folders : config.catalogFolders).map((folder) => resolve(folder))
          const own = yield* shippedCatalog
          const others = more.filter((folder) => folder !== builtInCatalog)
          const read = mergeCatalogs(own, yield* readCatalog(others, { otherJobs: own.jobs }))
          const wanted = isNamed(only)
          const needKey = (published: ReadonlyArray<Endpoint>): ReadonlyArray<string> => [
            ...new Set(
              mergeCatalogs(read, { jobs: [], endpoints: published })
                .endpoints.filter((each) => wanted(each) && !isKeyless(each.provider))
                .map(({ provider }) => provider.id)
            )
          ]
          const { content, opened } = keyless
            ? { content: { jobs: [], endpoints: [] }, opened: new Map<string, OpenedKey>() }
            : yield* Effect.provide(stored(needKey), storage)
          // A folder that is named on the command line is what is to be watched, whatever is published.
          const named = folders.length > 0 ? read : mergeCatalogs(read, content)
          const unknown = only.filter((name) => !named.endpoints.some(isNamed([name])))
          if (unknown.length > 0) return yield* new NothingNamed({ names: unknown })
          const endpoints = named.endpoints.filter((each) => wanted(each) && (!keyless || isKeyless(each.provider)))
          const heard = (watched: Watched) =>
            Effect.zipRight(
              screen.progress(linesOf(watched)[0] ?? ""),
              Option.match(history, {
                onNone: () => Effect.void,
                onSome: (file) =>
                  files.writeFileString(file, `${JSON.stringify(watchedJson(watched))}\n`, { flag: "a", mode: 0o600 })
              })
            )
          const found = yield* watchCatalog(
            endpoints,
            {
              budgetMicros: Option.getOrElse(budget, () => zero),
              callsMax: Option.getOrElse(max, () => Number.MAX_SAFE_INTEGER),
              keyOf: (providerId) => opened.get(providerId) ?? null
            },
            heard
          ).pipe(Effect.provide(ProvidersHttp({ egressAllow: config.egressAllow })))
          yield* screen.progress("")
          return reported(found.watched, found.leftOut, { calls: found.calls, micros: found.spentMicros })
        })
      )
  ).pipe(
    Command.withDescription(
      "Call operations that are free, or cheap enough for a budget, at their real providers, and say what has moved since they were documented; ends with 1 when something has"
    )
  )
