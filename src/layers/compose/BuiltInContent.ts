/** The built-in catalog for gateways in memory, whole or with the fixture alone: read once in a process. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import type { CatalogContent } from "../../services/CatalogPublisher.js"
import { builtInCatalog } from "../catalog/BuiltInCatalog.js"
import { readCatalog } from "../catalog/CatalogFiles.js"
import { decodeCatalog } from "../catalog/ManifestReading.js"

/**
 * Of the providers only the fixture's own manifests: a test need not wait for the hundred others to be read and
 * compiled.
 */
const readFixtures = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const textsIn = (folder: string, wanted: RegExp) =>
    Effect.flatMap(files.readDirectory(folder), (names) =>
      Effect.forEach(names.filter((name) => wanted.test(name)).sort(), (name) =>
        Effect.map(files.readFileString(`${folder}/${name}`), (text) => ({ file: name, text }))
      )
    )
  return yield* decodeCatalog({
    jobs: yield* textsIn(`${builtInCatalog}/jobs`, /\.ya?ml$/),
    providers: yield* textsIn(`${builtInCatalog}/providers`, /^fixture.*\.ya?ml$/)
  })
})

const once = <E>(read: Effect.Effect<CatalogContent, E, NodeContext.NodeContext>) =>
  Effect.runSync(Effect.cached(Effect.orDie(Effect.provide(read, NodeContext.layer))))
const content = { fixtures: once(readFixtures), all: once(readCatalog([builtInCatalog])) }

/** All jobs, and the operations of the fixture or of every provider. */
export const builtInContent = (which: "fixtures" | "all"): Effect.Effect<CatalogContent> => content[which]
