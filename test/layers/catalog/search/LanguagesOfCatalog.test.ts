// The languages that the built-in catalog brings: their files are sound, and everyday questions find their job.
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readdirSync } from "node:fs"
import { readQuestionSets } from "../../../../bench/search/Languages.js"
import { noFilter } from "../../../../src/domain/CatalogSearch.js"
import { WorkspaceId } from "../../../../src/domain/Ids.js"
import { unrestricted } from "../../../../src/domain/WorkspacePolicy.js"
import { builtInCatalog } from "../../../../src/layers/catalog/BuiltInCatalog.js"
import { readCatalog } from "../../../../src/layers/catalog/CatalogFiles.js"
import { wordsIn } from "../../../../src/layers/catalog/search/languages/LanguageFile.js"
import { readLanguages, readVocabulary } from "../../../../src/layers/catalog/VocabularyFiles.js"
import { Catalog } from "../../../../src/services/Catalog.js"
import { newWorld, servedCatalog } from "../../../support/catalog.js"

const viewer = { workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`), policy: unrestricted, learnsFromUse: false }

const builtIn = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { endpoints, jobs } = yield* readCatalog([builtInCatalog])
    const content = { jobs, endpoints: endpoints.filter(({ provider }) => !provider.mock) }
    return servedCatalog(content, newWorld(), { vocabulary: yield* readVocabulary(builtInCatalog) })
  })
).pipe(Layer.provide(NodeContext.layer), Layer.orDie)

const rows = (q: string) =>
  Effect.flatMap(Catalog, (catalog) =>
    catalog.search({ ...noFilter, q, limit: 5, offset: 0, prefer: "balanced" }, viewer)
  )

/** One question in each language, written for this test. */
const asked: Readonly<Record<string, ReadonlyArray<string>>> = {
  "weather.forecast": [
    "pronóstico del tiempo para mañana en Lima",
    "Wie wird das Wetter nächste Woche in Köln? Vorhersage",
    "prévisions météo pour demain à Nantes",
    "previsao do tempo para amanha em Braga",
    "福岡の明日の天気予報",
    "广州明天的天气预报"
  ],
  "people.email.verify": [
    "quiero comprobar si un email es válido",
    "Mailadresse auf Gültigkeit prüfen",
    "vérifier qu'une adresse e-mail existe",
    "validar um endereço de e-mail",
    "メールアドレスが有効か検証",
    "验证电子邮箱是否有效"
  ],
  "text.translate": [
    "traducir una frase al francés",
    "Text auf Englisch übersetzen",
    "traduire un texte en espagnol",
    "traduzir um texto para o alemão",
    "文章を日本語に翻訳",
    "翻译成法语"
  ],
  "domain.whois": [
    "a quién pertenece el dominio example.com",
    "wer ist der Inhaber der Domain example.com",
    "à qui appartient le nom de domaine example.com",
    "proprietário do domínio example.com",
    "example.comというドメインの所有者",
    "域名example.com属于谁"
  ]
}

layer(builtIn, { timeout: "60 seconds" })("The built-in catalog", (it) => {
  for (const [job, questions] of Object.entries(asked)) {
    it.effect(`finds ${job} for a question in each language`, () =>
      Effect.gen(function* () {
        for (const question of questions) {
          const { endpoints } = yield* rows(question)
          assert.include(
            endpoints.map(({ capability }) => capability),
            job,
            question
          )
          assert.notInclude(
            endpoints.map(({ matchedBy }) => matchedBy),
            "text",
            `${question}: no operation has these words`
          )
        }
      })
    )
  }

  it.effect("answers a question with rows whatever its words are", () =>
    Effect.gen(function* () {
      for (const question of [
        "was ist das denn",
        "¿qué es esto de aquí?",
        "je ne sais pas quoi dire",
        "não sei o que é isso",
        "これは何ですか教えてください",
        "这到底是什么东西啊",
        "wo bekomme ich frische Brötchen her",
        "quiero bailar una zamba"
      ])
        assert.isAbove((yield* rows(question)).endpoints.length, 0, question)
    })
  )
})

describe("The questions in other languages that the benchmark asks", () => {
  it("name jobs of the catalog, all of them over the languages, and no question stands twice", () => {
    const sets = readQuestionSets()
    const questions = sets.flatMap((set) => set.questions)
    const jobs = readdirSync(`${builtInCatalog}/jobs`).map((file) => file.replace(".yaml", ""))
    assert.deepStrictEqual(Array.from(new Set(questions.map(({ job }) => job))).sort(), jobs.sort())
    assert.strictEqual(new Set(questions.map(({ question }) => question)).size, questions.length)
    for (const { language, questions: those } of sets) assert.isAtLeast(those.length, 20, language)
  })
})

describe("The files of languages", () => {
  const files = readLanguages(builtInCatalog).pipe(Effect.provide(NodeContext.layer))

  it.effect("give a word one meaning, and drop no word that has one", () =>
    Effect.map(files, (languages) => {
      assert.isAtLeast(languages.length, 6)
      for (const { drop, name, words } of languages) {
        const all = Object.values(words)
          .flat()
          .map((word) => word.toLowerCase())
        assert.deepStrictEqual(
          all.filter((word, at) => all.indexOf(word) !== at),
          [],
          name
        )
        const dropped = new Set(wordsIn(drop))
        assert.deepStrictEqual(
          all.filter((word) => dropped.has(word)),
          [],
          name
        )
      }
    })
  )

  it.effect("are not needed: a catalog without them is searched in English", () =>
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const folder = yield* fileSystem.makeTempDirectoryScoped()
      yield* fileSystem.copyFile(`${builtInCatalog}/vocabulary.yaml`, `${folder}/vocabulary.yaml`)
      const { languages } = yield* readVocabulary(folder)
      assert.isNull(
        languages?.translate("Wie wird das Wetter?", {
          english: new Set(),
          isCommon: () => false,
          isProvider: () => false
        })
      )
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )
})
