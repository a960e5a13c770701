/** The pages that need no session: what they answer, what they may load, and that no link is broken. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runFailures } from "../../src/domain/RunFailures.js"
import { routesOf } from "../../src/http/Access.js"
import { Api } from "../../src/http/Api.js"
import { wireErrors } from "../../src/http/Envelope.js"
import { wantsPage, wantsProblem } from "../../src/http/Accept.js"
import { type Answer, type Gateway, startGateway } from "../support/httpGateway.js"

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
      for (const { method, path } of routesOf(Api)) {
        const shown = `${method} ${path.replace(/:(\w+)/g, "{$1}")}`
        assert.strictEqual(text.includes(`<code>${shown}</code>`), path !== "/docs/files/:file", shown)
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

const pages = ["/", "/docs", "/docs/reference"]

describe("every page without a session", () => {
  it.scopedLive("loads only from this gateway, runs nothing inline, and its links lead somewhere", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      const linked = new Set<string>()
      for (const path of pages) {
        const answer = yield* open(on, path, browser)
        assert.deepStrictEqual([answer.status, typeOf(answer)], [200, "text/html"], path)
        const policy = answer.headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'")
        assert.notMatch(policy, /unsafe|https?:/)
        assert.notMatch(answer.text, /<style|<script(?! src=)| on[a-z]+="| style="/)
        for (const address of addresses(answer.text)) {
          assert.match(address, /^[/#]/, path)
          linked.add(address.split("#")[0] ?? "")
        }
      }
      linked.delete("")
      // The catalog, which stands behind these two, is not part of this gateway.
      for (const path of ["/llms.txt", "/v1/public-catalog"]) assert.isTrue(linked.delete(path))
      for (const path of linked) {
        const { status } = yield* open(on, path, browser)
        assert.isTrue(status === 200 || (status === 303 && path === "/console"), `${path} ${status}`)
      }
    })
  )

  it.scopedLive("begins every address with the path of the public URL", () =>
    Effect.gen(function* () {
      const on = yield* startGateway({ settings: { publicUrl: "https://example.com/gateway" } })
      for (const path of pages) {
        for (const address of addresses((yield* open(on, path, browser)).text))
          assert.match(address, /^(\/gateway\/|#)/, path)
      }
      const { links } = (yield* open(on, "/")).json
      assert.strictEqual(links.docs, "https://example.com/gateway/docs")
    })
  )

  it.scopedLive("spends from the rate of those who have no token, also its files", () =>
    Effect.gen(function* () {
      let spent = 0
      const on = yield* startGateway({
        limiter: {
          takePublic: () =>
            Effect.sync(() => {
              spent += 1
              return {
                allowed: spent <= 4,
                limit: 4,
                remaining: 0,
                refillPerSecond: 1,
                retryAfterSeconds: 1,
                resetSeconds: 1
              }
            })
        }
      })
      for (const path of [...pages, "/docs/files/none.js"]) yield* open(on, path)
      for (const path of [...pages, "/docs/files/none.js"])
        assert.strictEqual((yield* open(on, path)).status, 429, path)
    })
  )
})

describe("the files of the reference", () => {
  it.scopedLive("have addresses that a browser may keep for ever, and a tag by which they are not sent again", () =>
    Effect.gen(function* () {
      const on = yield* gateway
      const files = addresses((yield* open(on, "/docs/reference")).text).filter((path) => path.includes("/files/"))
      assert.lengthOf(files, 4)
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
})
