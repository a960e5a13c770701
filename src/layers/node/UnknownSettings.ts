/**
 * Names in the environment that look like settings of the gateway and are none, such as `GATEWAY_RESULT_DAY`. Nothing
 * reads them, so what they were meant to set stays at its default. They are told and not refused: other programs may
 * use the prefix, and Kubernetes puts such names into each container where a service is called `gateway`.
 */
import { Config, Effect, HashSet } from "effect"
import { didYouMean, similar } from "../../domain/Similar.js"
import { settingNames } from "./ConfigShown.js"
import { fileOf, secretSettings } from "./ConfigValues.js"

export interface UnknownSetting {
  readonly name: string
  /** The setting that was meant, as far as that can be guessed. */
  readonly nearest: string | null
}

const known: ReadonlySet<string> = new Set([
  ...settingNames,
  ...secretSettings.map(fileOf),
  // Those of the command line, where it is a client.
  "GATEWAY_URL",
  "GATEWAY_TOKEN",
  fileOf("GATEWAY_TOKEN")
])
const ofKubernetes = /_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?$/

/** Every name that is set below this one. What gives the settings may keep them by the words of their names. */
const namesBelow = (words: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const next = yield* Effect.configProviderWith((provider) => provider.flattened.enumerateChildren(words))
    const found = yield* Effect.forEach(next, (word) =>
      Effect.gen(function* () {
        const path = [...words, word]
        const name = path.join("_")
        const here = yield* Config.option(Config.string(name))
        return [...(here._tag === "None" ? [] : [name]), ...(yield* namesBelow(path))]
      })
    )
    return found.flat()
  }).pipe(Effect.orElseSucceed(() => []))

/** What tells a name apart: the prefix would make all of them look alike. */
const own = (name: string): string => name.replace(/^GATEWAY_/, "").toLowerCase()
const byOwn: ReadonlyMap<string, string> = new Map(Array.from(known, (name) => [own(name), name]))
const alike = (name: string): string | null => {
  const [nearest] = similar(own(name), byOwn.keys())
  return nearest === undefined ? null : (byOwn.get(nearest) ?? null)
}

export const unknownSettings: Effect.Effect<ReadonlyArray<UnknownSetting>> = Effect.gen(function* () {
  const first = yield* Effect.orElseSucceed(
    Effect.configProviderWith((provider) => provider.flattened.enumerateChildren([])),
    () => HashSet.empty<string>()
  )
  const names = yield* Effect.forEach(
    HashSet.filter(first, (word) => word === "GATEWAY" || word.startsWith("GATEWAY_")),
    (word) => (word === "GATEWAY" ? namesBelow([word]) : Effect.succeed([word]))
  )
  return names
    .flat()
    .filter((name) => !known.has(name) && !ofKubernetes.test(name))
    .sort()
    .map((name) => ({ name, nearest: alike(name) }))
})

export const unknownInWords = ({ name, nearest }: UnknownSetting): string =>
  `${name} is no setting of this gateway, and nothing reads it${didYouMean(nearest === null ? [] : [nearest])}`
