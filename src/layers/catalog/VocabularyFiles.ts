/**
 * Reads the words that the search knows: `vocabulary.yaml`, and of each language besides English one file of the folder
 * `vocabulary`. A catalog without that folder is searched in English.
 */
import { FileSystem, Path } from "@effect/platform"
import { Effect, Schema } from "effect"
import { parse } from "yaml"
import { nextEventLoopTurn } from "../node/LongWork.js"
import { LanguageFile } from "./search/languages/LanguageFile.js"
import { Languages } from "./search/languages/Languages.js"
import { type SearchVocabulary, VocabularyFile } from "./search/Vocabulary.js"

const decodeWords = Schema.decodeUnknown(VocabularyFile)
const decodeLanguage = Schema.decodeUnknown(LanguageFile, { onExcessProperty: "error" })

export const readLanguages = Effect.fn("VocabularyFiles.readLanguages")(function* (catalog: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(catalog, "vocabulary")
  if (!(yield* files.exists(folder))) return []
  const names = (yield* files.readDirectory(folder)).filter((name) => /\.ya?ml$/.test(name)).sort()
  return yield* Effect.forEach(names, (name) =>
    // One file in each turn of the event loop, as reading one takes some milliseconds.
    Effect.zipRight(nextEventLoopTurn, files.readFileString(path.join(folder, name))).pipe(
      Effect.flatMap((text) => decodeLanguage(parse(text)))
    )
  )
})

/** `catalog` is the folder of a catalog. */
export const readVocabulary = Effect.fn("VocabularyFiles.readVocabulary")(function* (catalog: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const words = yield* decodeWords(parse(yield* files.readFileString(path.join(catalog, "vocabulary.yaml"))))
  const vocabulary: SearchVocabulary = { ...words, languages: new Languages(yield* readLanguages(catalog)) }
  return vocabulary
})
