/** The files of words that the search reads: a broken one names itself. */
import { assert, it } from "@effect/vitest"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readLanguages } from "../../../src/layers/catalog/VocabularyFiles.js"

const folderWith = (text: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "vocabulary-"))
      mkdirSync(join(folder, "vocabulary"))
      writeFileSync(join(folder, "vocabulary", "it.yaml"), text)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

/** The file that the documentation shows. */
const shown = /```yaml\n(language: it\n[^`]*)```/.exec(readFileSync("docs/search.md", "utf8"))?.[1] ?? ""
const right = "language: it\nname: Italian\nwords: { weather: [tempo, meteo] }\n"

it.scoped("a language is read from its file, such as the one that the documentation shows", () =>
  Effect.gen(function* () {
    for (const text of [right, shown]) {
      const [italian] = yield* readLanguages(yield* folderWith(text))
      assert.deepStrictEqual([italian?.language, italian?.words["weather"]], ["it", ["tempo", "meteo"]])
    }
  }).pipe(Effect.provide(NodeContext.layer))
)

it.scoped("a broken file of a language is named, with what is wrong in it", () =>
  Effect.gen(function* () {
    for (const [text, why] of [
      [`${right}endings: [a, e]\n`, /it\.yaml: endings: Expected string/],
      [`${right}ending: a e\n`, /it\.yaml: ending: is unexpected/],
      ["language: [", /it\.yaml: .*line 1/],
      ["", /it\.yaml: the file: Expected/]
    ] as const)
      assert.match(String(yield* Effect.flip(readLanguages(yield* folderWith(text)))), why)
  }).pipe(Effect.provide(NodeContext.layer))
)
