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
import { Languages } from "../../../../src/layers/catalog/search/languages/Languages.js"
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

  it.effect("finds the same job for nearly every word of a language, asked alone, as for its English words", () =>
    Effect.gen(function* () {
      for (const { name, words } of yield* readLanguages(builtInCatalog).pipe(Effect.provide(NodeContext.layer))) {
        let asked = 0
        const missed: Array<string> = []
        for (const [english, ways] of Object.entries(words)) {
          const wanted = new Set((yield* rows(english)).endpoints.map((row) => row.capability ?? row.endpointId))
          if (wanted.size === 0) continue
          for (const way of ways) {
            asked += 1
            const { endpoints } = yield* rows(way)
            if (!endpoints.some((row) => wanted.has(row.capability ?? row.endpointId))) missed.push(way)
          }
        }
        assert.isAtLeast(asked, 500, name)
        // What is left are words that English has too, such as "pays" and "action".
        assert.isAtMost(missed.length / asked, 0.045, `${name}: ${missed.join(", ")}`)
      }
    })
  )

  it.effect("finds the job for short questions that could be misspelled English", () =>
    Effect.gen(function* () {
      for (const [job, questions] of [
        ["books.search", ["libros", "libros de Cervantes", "libros de Gabriel García Márquez"]],
        ["books.search", ["livros", "livros de José Saramago", "livres de Victor Hugo", "Bücher von Goethe"]],
        ["web.screenshot", ["capture d'écran", "capture d'écran d'un site", "copie d'écran example.com"]]
      ] as const)
        for (const question of questions) assert.strictEqual((yield* rows(question)).endpoints[0]?.capability, job)
    })
  )

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

/** A catalog that says no word of English. */
const noWords = { english: new Set<string>(), isCommon: () => false, isProvider: () => false }

const traditionalWords = [
  ["紐約現在幾點", "纽约现在几点"],
  ["把會議錄音轉成文字", "把会议录音转成文字"],
  ["語音轉文字", "语音转文字"],
  ["郵政編碼查詢城市", "邮政编码查询城市"],
  ["查詢手機號碼歸屬", "查询手机号码归属"],
  ["端口掃描", "端口扫描"],
  ["掃描件裏的文字", "扫描件里的文字"],
  ["審核圖片內容", "审核图片内容"],
  ["颱風新聞", "台风新闻"],
  ["寫一封電子郵件", "写一封电子邮件"],
  ["老闆的電話", "老板的电话"],
  ["蒐尋競爭對手的網站", "搜寻竞争对手的网站"],
  ["採購經理的聯絡方式", "采购经理的联络方式"],
  ["彙率換算", "汇率换算"],
  ["簽名證書的到期時間", "签名证书的到期时间"],
  ["這個域名歸誰所有", "这个域名归谁所有"],
  ["濕度與溫度", "湿度与温度"],
  ["說明書翻譯", "说明书翻译"]
] as const

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

  it.effect("read letters with their accents apart as letters that have them", () =>
    Effect.map(files, (languages) => {
      const read = new Languages(languages)
      const questions = readQuestionSets()
        .filter(({ isHeldOut }) => !isHeldOut)
        .flatMap((set) => set.questions.map(({ question }) => question))
        .filter((question) => question.normalize("NFD") !== question)
      assert.isAtLeast(questions.length, 50)
      for (const question of questions)
        assert.deepStrictEqual(read.translate(question.normalize("NFD"), noWords), read.translate(question, noWords))
    })
  )

  it.effect("read traditional Chinese as simplified Chinese", () =>
    Effect.map(files, (languages) => {
      const read = new Languages(languages)
      // Letters that no file knows are kept as they were written.
      const wordsOf = (question: string) =>
        read
          .translate(question, noWords)
          ?.text.replace(/\p{Script=Han}+/gu, " ")
          .match(/\S+/g)
      for (const [traditional, simplified] of traditionalWords) {
        assert.isAtLeast(wordsOf(simplified)?.length ?? 0, 1, simplified)
        assert.deepStrictEqual(wordsOf(traditional), wordsOf(simplified), traditional)
      }
    })
  )

  it.effect("are not needed: a catalog without them is searched in English", () =>
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const folder = yield* fileSystem.makeTempDirectoryScoped()
      for (const name of ["vocabulary.yaml", "asking.yaml"])
        yield* fileSystem.copyFile(`${builtInCatalog}/${name}`, `${folder}/${name}`)
      const { languages } = yield* readVocabulary(folder)
      assert.isNull(languages?.translate("Wie wird das Wetter?", noWords))
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )
})
