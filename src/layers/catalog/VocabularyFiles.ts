/**
 * Reads the words that the search knows: `vocabulary.yaml`, how people ask for jobs (`asking.yaml`), of each language
 * besides English one file of the folder `vocabulary`, and the table of word vectors, `words.en.bin`. A catalog without
 * that folder is searched in English; one without the table, or with a broken one, without comparing meanings.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Data, Effect, Option, ParseResult, Schema } from "effect"
import { parse } from "yaml"
import { nextEventLoopTurn } from "../../services/Slices.js"
import { type ParsedAhead, parsedAhead } from "./ParsedAhead.js"
import { LanguageFile } from "./search/languages/LanguageFile.js"
import { Languages } from "./search/languages/Languages.js"
import { WordTable, WordTableBroken } from "./search/WordTable.js"
import { AskingFile, type SearchVocabulary, VocabularyFile } from "./search/Vocabulary.js"

/** A file of words that is no YAML, or lacks what such a file must have. The gateway does not start with it. */
class VocabularyBroken extends Data.TaggedError("VocabularyBroken")<{
  readonly file: string
  readonly why: string
}> {
  override get message() {
    return `${this.file}: ${this.why}`
  }
}

/** Reads the text of a file of words, as parsed by the build or by the reader of YAML. */
const wordsOf = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema, { onExcessProperty: "error" })
  return (file: string, text: string, ahead: ParsedAhead): Effect.Effect<A, VocabularyBroken> =>
    Effect.try({
      try: (): unknown => ahead(text) ?? parse(text),
      catch: (cause) => new VocabularyBroken({ file, why: cause instanceof Error ? cause.message : "is no YAML" })
    }).pipe(
      Effect.flatMap(decode),
      Effect.catchTag("ParseError", (error) => {
        const places = ParseResult.ArrayFormatter.formatErrorSync(error)
        const why = places.map(({ message, path }) => `${path.join(".") || "the file"}: ${message}`).join("; ")
        return Effect.fail(new VocabularyBroken({ file, why }))
      })
    )
}
const englishWords = wordsOf(VocabularyFile)
const waysOfAsking = wordsOf(AskingFile)
const wordsOfLanguage = wordsOf(LanguageFile)

const languagesOf = Effect.fnUntraced(function* (catalog: string, ahead: ParsedAhead) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(catalog, "vocabulary")
  if (!(yield* files.exists(folder))) return []
  const names = (yield* files.readDirectory(folder)).filter((name) => /\.ya?ml$/.test(name)).sort()
  return yield* Effect.forEach(names, (name) => {
    const file = path.join(folder, name)
    // One file in each turn of the event loop, as reading one takes some milliseconds.
    return Effect.zipRight(nextEventLoopTurn, files.readFileString(file)).pipe(
      Effect.flatMap((text) => wordsOfLanguage(file, text, ahead))
    )
  })
})

export const readLanguages = Effect.fn("VocabularyFiles.readLanguages")(function* (catalog: string) {
  return yield* languagesOf(catalog, yield* parsedAhead(catalog))
})

/**
 * A broken table is logged, and is as none. Reading does not keep the event loop from its work, and what is then
 * checked takes a few milliseconds.
 */
export const readWordTable = Effect.fnUntraced(
  function* (file: string) {
    const files = yield* FileSystem.FileSystem
    const bytes = yield* files.readFile(file).pipe(
      Effect.map(Option.some),
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "NotFound",
        () => Effect.succeedNone
      ),
      Effect.mapError(() => new WordTableBroken({ message: "it cannot be read" }))
    )
    return Option.isNone(bytes) ? null : yield* WordTable.read(bytes.value)
  },
  (reading, file) =>
    Effect.catchTag(reading, "WordTableBroken", ({ message }) =>
      Effect.logWarning("The word table of the search is broken, so the search does not compare meanings").pipe(
        Effect.annotateLogs({ file, why: message }),
        Effect.as(null)
      )
    )
)

/** `catalog` is the folder of a catalog. */
export const readVocabulary = Effect.fn("VocabularyFiles.readVocabulary")(function* (catalog: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const ahead = yield* parsedAhead(catalog)
  const file = path.join(catalog, "vocabulary.yaml")
  const words = yield* englishWords(file, yield* files.readFileString(file), ahead)
  const askingFile = path.join(catalog, "asking.yaml")
  const asking = yield* waysOfAsking(askingFile, yield* files.readFileString(askingFile), ahead)
  const languages = new Languages(yield* languagesOf(catalog, ahead))
  const wordTable = yield* readWordTable(path.join(catalog, "words.en.bin"))
  const vocabulary: SearchVocabulary = { ...words, asking, languages, wordTable }
  return vocabulary
})
