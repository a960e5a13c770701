/** The table of word vectors: its file, and what it changes in the order of hits. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, HashMap, Logger } from "effect"
import { readWordTable } from "../../../../src/layers/catalog/VocabularyFiles.js"
import { stemOf } from "../../../../src/layers/catalog/search/Analyzer.js"
import { SearchIndex } from "../../../../src/layers/catalog/search/SearchIndex.js"
import { WordTable } from "../../../../src/layers/catalog/search/WordTable.js"

type Vector = readonly [number, number]

/** The file of a table of two dimensions. */
const fileOf = (
  vectors: Readonly<Record<string, Vector>>,
  said: { readonly version?: number; readonly words?: number } = {}
) => {
  const words = Object.keys(vectors).sort()
  const text = Buffer.from(words.map((word) => `${word}\n`).join(""))
  const body = Buffer.concat([text, Buffer.from(Int8Array.from(words.flatMap((word) => [...vectors[word]!])).buffer)])
  const sha = createHash("sha256").update(body).digest("hex")
  const header = `word-table ${said.version ?? 1} en 2 ${said.words ?? words.length} ${text.length} ${sha}`
  return Buffer.concat([Buffer.from(`${header.padEnd(127)}\n`), body])
}
const travel: Vector = [100, 5]
const music: Vector = [5, 100]
const file = fileOf({ hotel: travel, lodg: travel, song: music, melodi: music, hot: music })
const tableOf = (bytes: Uint8Array): WordTable => Either.getOrThrow(WordTable.read(bytes))
const builtIn = "catalog/words.en.bin"

const documents = ["Search songs", "Search hotels", "Search parcels"].map((name, at) => ({
  endpointId: `demo.${at}`,
  provider: "demo",
  providerName: "Demo",
  name,
  description: "",
  capability: null,
  parameters: []
}))
const noWords = { same: [], related: [] }
const namesFor = (table: WordTable | null, query: string): ReadonlyArray<string> =>
  SearchIndex.build(documents, { ...noWords, wordTable: table })
    .search(query, { limit: 10 })
    .hits.docs.map((doc) => documents[doc]!.name)

describe("a word table", () => {
  const table = tableOf(file)

  it("finds each of its words and no other", () => {
    const numbers = ["hot", "hotel", "lodg", "melodi", "song"].map((word) => table.find(word))
    assert.deepStrictEqual(numbers, [0, 1, 2, 3, 4])
    for (const other of ["", "a", "ho", "hote", "hotels", "zoo", "größe"])
      assert.strictEqual(table.find(other), -1, other)
  })

  it("with nothing in it finds nothing", () => {
    assert.strictEqual(tableOf(fileOf({})).find("hotel"), -1)
  })

  it("is refused, with the reason, when its file is cut, changed, of another version or miscounted", () => {
    const changed = Buffer.from(file)
    changed[changed.length - 1] = 77
    const reasons = [
      Buffer.alloc(0),
      Buffer.from("words: []"),
      fileOf({ hotel: travel }, { version: 2 }),
      file.subarray(0, 40),
      file.subarray(0, -1),
      changed,
      fileOf({ hotel: travel, song: music }, { words: 1 })
    ].map((bytes) => Either.match(WordTable.read(bytes), { onLeft: ({ message }) => message, onRight: () => "read" }))
    const begin = "it does not begin with the header of a word table of version 1"
    assert.deepStrictEqual(reasons, [
      begin,
      begin,
      begin,
      begin,
      "it holds 36 bytes after the header and should hold 37",
      "its bytes do not have the checksum that its header names",
      "it holds 15 bytes after the header and should hold 13"
    ])
  })
})

describe("the search with a word table", () => {
  const table = tableOf(file)

  it("puts what means the same before what only shares a word", () => {
    assert.deepStrictEqual(namesFor(null, "search lodging")[0], "Search songs")
    assert.deepStrictEqual(namesFor(table, "search lodging")[0], "Search hotels")
    assert.deepStrictEqual(namesFor(table, "search melody")[0], "Search songs")
  })

  it("reads words in any form and case", () => {
    assert.deepStrictEqual(namesFor(table, "SEARCH Lodgings"), namesFor(table, "search lodging"))
  })

  it("answers as without it when the table has no word of the question, or of the operations", () => {
    assert.deepStrictEqual(namesFor(table, "search parcels"), namesFor(null, "search parcels"))
    const other = tableOf(fileOf({ lodg: travel }))
    assert.deepStrictEqual(namesFor(other, "search lodging"), namesFor(null, "search lodging"))
  })

  it("finds the same operations with it and without, in the same order each time", () => {
    for (const query of ["search lodging", "melody", "search a song in a hotel. search parcels."]) {
      assert.sameMembers([...namesFor(table, query)], [...namesFor(null, query)])
      assert.deepStrictEqual(namesFor(table, query), namesFor(table, query))
    }
  })
})

describe("the file of a word table", () => {
  const logged = <A, R>(reading: Effect.Effect<A, never, R>) =>
    Effect.gen(function* () {
      const lines: Array<ReadonlyArray<unknown>> = []
      const keep = Logger.make(({ annotations, logLevel, message }) => {
        lines.push([logLevel.label, ...[message].flat(), ...HashMap.values(annotations)])
      })
      const result = yield* Effect.provide(reading, Logger.replace(Logger.defaultLogger, keep))
      return { result, lines }
    }).pipe(Effect.provide(NodeContext.layer))
  const inFolder = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

  it.scoped("may be missing", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.provide(inFolder, NodeContext.layer)
      const { lines, result } = yield* logged(readWordTable(`${folder}/words.en.bin`))
      assert.deepStrictEqual([result, lines], [null, []])
    })
  )

  it.scoped("is passed over with a warning when it is broken or cannot be read", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.provide(inFolder, NodeContext.layer)
      const files = yield* Effect.provide(FileSystem.FileSystem, NodeContext.layer)
      const place = `${folder}/words.en.bin`
      yield* files.writeFile(place, file.subarray(0, -1))
      const broken = yield* logged(readWordTable(place))
      const asFile = yield* logged(readWordTable(folder))
      assert.deepStrictEqual([broken.result, asFile.result], [null, null])
      const warning = "The word table of the search is broken, so the search does not compare meanings"
      assert.deepStrictEqual(
        broken.lines.map(([level, message]) => [level, message]),
        [["WARN", warning]]
      )
      assert.includeMembers(
        [...(broken.lines[0] ?? [])],
        [place, "it holds 36 bytes after the header and should hold 37"]
      )
      assert.includeMembers([...(asFile.lines[0] ?? [])], [folder, "it cannot be read"])
    })
  )

  it("that comes with the program holds stems of the analyzer, each once, and knows everyday words", () => {
    const bytes = readFileSync(builtIn)
    const table = tableOf(bytes)
    const words = bytes
      .subarray(128, bytes.length - table.size * table.dimensions)
      .toString("latin1")
      .trimEnd()
      .split("\n")
    assert.strictEqual(words.length, table.size)
    assert.deepStrictEqual(words, [...new Set(words)].sort())
    for (const [at, word] of words.entries()) assert.strictEqual(table.find(word), at)
    for (const word of ["weather", "recipes", "invoice", "holiday"]) assert.isAtLeast(table.find(stemOf(word)), 0, word)
  })
})
