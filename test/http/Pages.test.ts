/** The pages that need no session: what they answer, what they may load, and that no link is broken. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { runFailures } from "../../src/domain/RunFailures.js"
import { apiRoutes } from "../../src/http/ApiRoutes.js"
import { wireErrors } from "../../src/http/Envelope.js"
import { wantsPage, wantsProblem } from "../../src/http/Accept.js"
import { guides } from "../../src/http/pages/Guides.js"
import { markdown } from "../../src/http/pages/Markdown.js"
import { type Answer, type Gateway, startGateway } from "../support/httpGateway.js"
import { unlistedPaths } from "../support/openApi.js"

const gateway = startGateway({})
const open = ({ get }: Gateway, path: string, headers: Record<string, string> = {}) =>
  get(path, { authorization: null, headers })
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8" }
const typeOf = ({ headers }: Answer) => headers.get("content-type")?.split(";")[0]
const addresses = (page: string) => [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = ""]) => address)

describe("/", () => {
  it.scopedLive("is a page for a browser and JSON for a program, with the same links, and each of them answers", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      const page = yield* open(on, "/", browser)
      assert.deepStrictEqual([page.status, typeOf(page)], [200, "text/html"])
      const json = yield* open(on, "/")
      assert.deepStrictEqual([json.status, typeOf(json)], [200, "application/json"])
      const linked = addresses(page.text)
      for (const address of Object.values<string>(json.json.links)) {
        assert.match(address, /^https:\/\/gateway\.test\//)
        assert.include(linked, new URL(address).pathname)
      }
      for (const answer of [page, json]) {
        assert.strictEqual(answer.headers.get("vary"), "accept")
        assert.isNotNull(answer.headers.get("ratelimit"))
      }
    })
  )

  it.scopedLive("answers HEAD as GET, and no other method", () =>
    Effect.gen(function* () {
      const { send } = yield* gateway
      const head = yield* send("HEAD", "/", { authorization: null, headers: browser })
      assert.deepStrictEqual([head.status, typeOf(head), head.text], [200, "text/html", ""])
      const post = yield* send("POST", "/", { authorization: null })
      assert.deepStrictEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"])
    })
  )
})

describe("what Accept asks for", () => {
  it("is a page where it prefers text/html to JSON, by weight and by the narrowest range", () => {
    const asks: ReadonlyArray<readonly [accept: string | undefined, page: boolean]> = [
      [undefined, false],
      ["", false],
      ["*/*", false],
      [browser.accept, true],
      ["text/html", true],
      ["TEXT/HTML", true],
      ["text/*", true],
      ["text/html, application/json", false],
      ["text/html;q=0.9, application/json;q=0.8", true],
      ["text/html;q=0.8, application/json;q=0.9", false],
      ["text/html;q=0, */*", false],
      ["application/*;q=0.5, */*", true],
      ["application/json, text/html;q=0.999", false],
      ["text/html;q=0", false],
      ["text/html; q=0.5, */*;q=0.4", true],
      ["image/png", false],
      ["text/html;q=x", false]
    ]
    for (const [accept, page] of asks) assert.strictEqual(wantsPage(accept), page, accept)
  })

  it("is RFC 9457 only where it names that type", () => {
    const asks: ReadonlyArray<readonly [accept: string | undefined, problem: boolean]> = [
      [undefined, false],
      ["*/*", false],
      ["application/*", false],
      ["application/problem+json", true],
      ["application/problem+json;q=0.5, */*", true],
      ["application/problem+json;q=0.5, application/json", false],
      ["application/problem+json;q=0", false]
    ]
    for (const [accept, problem] of asks) assert.strictEqual(wantsProblem(accept), problem, accept)
  })
})

describe("/docs", () => {
  it.scopedLive("names every route, and has a place for every code", () =>
    Effect.gen(function* () {
      const { text } = yield* open(yield* gateway, "/docs")
      for (const { method, path } of apiRoutes) {
        const shown = `${method} ${path.replace(/:(\w+)/g, "{$1}")}`
        assert.strictEqual(text.includes(`<code>${shown}</code>`), !unlistedPaths.has(path), shown)
      }
      for (const code of wireErrors.keys()) assert.include(text, `id="${code}"`)
      for (const { code } of runFailures) assert.include(text, `id="run-${code}"`)
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.scopedLive("has the place that the type of an error leads to", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      const { json } = yield* open(on, "/nowhere", { accept: "application/problem+json" })
      const [path = "", place = ""] = String(json.type).split("#")
      assert.include((yield* open(on, path)).text, `id="${place}"`)
    })
  )
})

const pages = ["/", "/docs", "/docs/reference", ...guides.map(({ name }) => `/docs/${name}`)]

/** Addresses that a page loads by itself, and those that it only links to. */
const loaded = (page: string) => [...page.matchAll(/(?:<link[^>]*href|src)="([^"]*)"/g)].map(([, to = ""]) => to)
const isElsewhere = (address: string) => address.startsWith("https://")

describe("every page without a session", () => {
  it.scopedLive("loads only from this gateway, runs nothing inline, and its links lead to places that are there", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      const shown = new Map<string, string>()
      for (const path of pages) {
        const answer = yield* open(on, path, browser)
        assert.deepStrictEqual([answer.status, typeOf(answer)], [200, "text/html"], path)
        const policy = answer.headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'")
        assert.notMatch(policy, /unsafe|https?:/)
        assert.notMatch(answer.text, /<style|<script(?! src=)|<[^>]* (on[a-z]+|style)=/, path)
        for (const address of loaded(answer.text)) assert.match(address, /^\//, path)
        shown.set(path, answer.text)
      }
      // These two show the catalog, which this test has not.
      const known = new Set(["/llms.txt", "/v1/public-catalog"])
      for (const [path, text] of shown) {
        for (const address of addresses(text)) {
          if (isElsewhere(address)) continue
          const [to = "", place = ""] = address.split("#")
          const target = shown.get(to === "" ? path : to)
          if (target === undefined && !known.has(to)) {
            const { status } = yield* open(on, to, browser)
            assert.isTrue(status === 200 || (status === 303 && to === "/console"), `${path}: ${address} is ${status}`)
            known.add(to)
          }
          // The places of the reference are made by its script; the browser test looks at them.
          if (place !== "" && to !== "/docs/reference") assert.include(target, `id="${place}"`, `${path}: ${address}`)
        }
      }
    })
  )

  it.scopedLive("begins every address with the path of the public URL", () =>
    Effect.gen(function* () {
      const on = yield* startGateway({ settings: { publicUrl: "https://example.com/gateway" } })
      for (const path of pages) {
        const here = addresses((yield* open(on, path, browser)).text).filter((address) => !isElsewhere(address))
        for (const address of here) assert.match(address, /^(\/gateway\/|#)/, path)
      }
      const { links } = (yield* open(on, "/")).json
      assert.strictEqual(links.docs, "https://example.com/gateway/docs")
    })
  )

  it.scopedLive("answers with a slash behind it too", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      const [plain, slashed] = [yield* open(on, "/docs", browser), yield* open(on, "/docs/", browser)]
      assert.deepStrictEqual([slashed.status, slashed.text], [200, plain.text])
    })
  )

  it.scopedLive("spends from the rate of those who have no token, also its files", () =>
    Effect.gen(function* () {
      const asked = [...pages, "/docs/none", "/docs/files/none.js"]
      let spent = 0
      const on = yield* startGateway({
        limiter: {
          takePublic: () =>
            Effect.sync(() => {
              spent += 1
              return {
                allowed: spent <= asked.length,
                limit: asked.length,
                remaining: 0,
                refillPerSecond: 1,
                retryAfterSeconds: 1,
                resetSeconds: 1
              }
            })
        }
      })
      for (const path of asked) assert.notStrictEqual((yield* open(on, path)).status, 429, path)
      for (const path of asked) assert.strictEqual((yield* open(on, path)).status, 429, path)
    })
  )
})

describe("a guide", () => {
  it.scopedLive("has the words of its file, without pictures", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      for (const { name, title } of guides) {
        const { text } = yield* open(on, `/docs/${name}`)
        assert.include(text, `<h1>${title}</h1>`)
        assert.notInclude(text, "<img")
        // Each cell, line and sentence of the file without its signs of Markdown is somewhere in the page.
        const words = (of: string) => new Set(of.match(/[\p{L}\p{N}]{3,}/gu))
        const page = words(text.replaceAll(/&(amp|lt|gt|quot|#39);/g, " "))
        const file = readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8")
        const prose = file
          .replace(/^# .*$/m, "")
          .replaceAll(/\]\([^)]*\)/g, "]")
          .replaceAll(/^ *```\w+/gm, "")
        assert.deepStrictEqual(
          [...words(prose)].filter((word) => !page.has(word)),
          [],
          name
        )
      }
    })
  )

  it.scopedLive("that is not there is told to a person on a page, and to a program as JSON", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      for (const path of ["/docs/nothing", "/docs/contract", "/docs/..%2FREADME", "/docs/constructor"]) {
        const page = yield* open(on, path, browser)
        assert.deepStrictEqual([page.status, typeOf(page)], [404, "text/html"], path)
        const json = yield* open(on, path)
        assert.deepStrictEqual([json.status, json.json.error.code], [404, "not_found"], path)
      }
    })
  )

  it("is every Markdown file for those who use or run a gateway", () => {
    // The list of the pages, and what is for those who develop it.
    const files = readdirSync(new URL("../../docs", import.meta.url)).filter((name) => name.endsWith(".md"))
    assert.sameMembers(
      files,
      ["README", "contract", "contributing", ...guides.map(({ name }) => name)].map((name) => `${name}.md`),
      "a new file belongs into http/pages/Guides.ts, or to the exception here"
    )
  })

  const shown = (text: string) => markdown(text, () => null).render({ prefix: "", csrf: null })

  it("shows HTML as text, drops links to files that are not here, and numbers equal headings", () => {
    assert.strictEqual(
      shown("a <b onclick='x'>c</b> & `<i>`"),
      "<p>a &lt;b onclick=&#39;x&#39;&gt;c&lt;/b&gt; &amp; <code>&lt;i&gt;</code></p>"
    )
    assert.strictEqual(shown("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;")
    assert.strictEqual(shown("[the **code**](../src/main.ts) ![p](x.png)"), "<p>the <strong>code</strong> </p>")
    assert.strictEqual(shown("![p](x.png)"), "")
    assert.strictEqual(
      shown("## Two `a:b` words\n## Two a:b words"),
      '<h2 id="two-ab-words">Two <code>a:b</code> words</h2><h2 id="two-ab-words-1">Two a:b words</h2>'
    )
  })
})

describe("the files of the reference", () => {
  it.scopedLive("have addresses that a browser may keep for ever, and a tag by which they are not sent again", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      const files = addresses((yield* open(on, "/docs/reference")).text).filter((path) => path.includes("/files/"))
      assert.lengthOf(files, 3)
      for (const path of files) {
        const first = yield* open(on, path)
        assert.strictEqual(first.status, 200)
        assert.strictEqual(typeOf(first), path.endsWith(".css") ? "text/css" : "text/javascript")
        assert.isAbove(first.text.length, 10)
        assert.include(first.headers.get("cache-control") ?? "", "immutable")
        const again = yield* open(on, path, { "if-none-match": `W/${first.headers.get("etag")}` })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
      }
      const gone = yield* open(on, "/docs/files/swagger-ui-0000000000000000.js")
      assert.deepStrictEqual([gone.status, gone.json.error.code], [404, "not_found"])
    })
  )

  it.scopedLive("hold the JSON Schemas of manifests, for editors, and send them once", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      for (const kind of ["provider", "job"]) {
        const first = yield* open(on, `/docs/files/${kind}.schema.json`)
        assert.deepStrictEqual([first.status, typeOf(first)], [200, "application/schema+json"])
        assert.strictEqual(first.json.$schema, "https://json-schema.org/draft/2020-12/schema")
        const again = yield* open(on, `/docs/files/${kind}.schema.json`, {
          "if-none-match": first.headers.get("etag") ?? ""
        })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
      }
      assert.strictEqual((yield* open(on, "/docs/files/none.schema.json")).status, 404)
    })
  )
})
