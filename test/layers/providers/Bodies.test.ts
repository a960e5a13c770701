// How bodies, forms and queries are written: styles of lists and objects, free maps, files, bodies of one value.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { JsonObject } from "../../../src/domain/Json.js"
import { planRequest } from "../../../src/layers/providers/RequestPlan.js"
import { callOnce, type CallOptions, certaintyOf, endpointOf, json, serve } from "./support.js"

const sent = (options: CallOptions) =>
  Effect.gen(function* () {
    const provider = yield* serve((_, response) => json(response, 200, {}))
    const result = yield* callOnce(provider, options)
    assert.strictEqual(result._tag, "Answered", JSON.stringify(result))
    return provider.requests[0]!
  })

const refused = (options: CallOptions) =>
  Effect.gen(function* () {
    const provider = yield* serve((_, response) => json(response, 200, {}))
    const result = yield* callOnce(provider, options)
    assert.ok(result._tag !== "Answered")
    assert.deepStrictEqual([result.failure.code, certaintyOf(result)], ["validation_error", "not_sent"])
    assert.deepStrictEqual(provider.requests, [])
    return result.failure.message
  })

const problemsOf = (operation: object, provider: object = {}) =>
  Either.match(planRequest(endpointOf({ operation, provider })), {
    onLeft: (found) => found.map(({ message, path }) => `${path} ${message}`),
    onRight: () => []
  })

const value = { a: 1, list: ["x", "y"], deep: { on: true, none: null }, "odd & key": "é" }
const styles: ReadonlyArray<
  readonly [style: string, value: JsonObject[string], pairs: ReadonlyArray<[string, string]>]
> = [
  ["single", ["x", "y"], [["v", "x,y"]]],
  [
    "repeat",
    ["x", "y"],
    [
      ["v", "x"],
      ["v", "y"]
    ]
  ],
  ["comma", ["x", "y"], [["v", "x,y"]]],
  ["comma", { r: 100, g: 200 }, [["v", "r,100,g,200"]]],
  ["pipe", ["x", "y z"], [["v", "x|y z"]]],
  ["space", ["x", "y"], [["v", "x y"]]],
  [
    "brackets",
    value,
    [
      ["v[a]", "1"],
      ["v[list][]", "x"],
      ["v[list][]", "y"],
      ["v[deep][on]", "true"],
      ["v[odd & key]", "é"]
    ]
  ],
  [
    "deepObject",
    value,
    [
      ["v[a]", "1"],
      ["v[list][0]", "x"],
      ["v[list][1]", "y"],
      ["v[deep][on]", "true"],
      ["v[odd & key]", "é"]
    ]
  ],
  [
    "deepObject",
    [{ price: "p_1", quantity: 2 }],
    [
      ["v[0][price]", "p_1"],
      ["v[0][quantity]", "2"]
    ]
  ],
  ["brackets", "plain", [["v", "plain"]]],
  ["repeat", [], []],
  ["comma", [], []],
  ["brackets", [], []],
  ["deepObject", {}, []]
]

describe("styles", () => {
  for (const place of ["query", "form", "multipart"])
    it.scopedLive(`are the same in a ${place}`, () =>
      Effect.gen(function* () {
        for (const [style, given, pairs] of styles) {
          const request = yield* sent({
            operation: { bindings: { value: { in: place, name: "v", style } } },
            input: { value: given }
          })
          const found =
            place === "query"
              ? [...new URL(request.url, "http://provider").searchParams]
              : place === "form"
                ? [...new URLSearchParams(request.body)]
                : Array.from(
                    Buffer.from(request.body, "latin1")
                      .toString("utf8")
                      .matchAll(/name="([^"]*)"\r\n\r\n([^\r]*)\r\n/g),
                    ([, name, text]) => [name, text]
                  )
          assert.deepStrictEqual<unknown>(found, pairs, `${style} ${JSON.stringify(given)}`)
        }
      })
    )

  it.scopedLive("a free map is sent under names made of its keys, whatever they are", () =>
    Effect.gen(function* () {
      const keys: JsonObject = JSON.parse('{"order":7,"__proto__":"p","a&b=c":"d\\r\\n","$&":"dollar","none":null}')
      const request = yield* sent({
        operation: {
          bindings: {
            metadata: { in: "form", name: "metadata[*]", style: "spread" },
            tags: { in: "header", name: "X-Amz-Meta-*", style: "spread" }
          }
        },
        input: { metadata: keys, tags: { Owner: "Ada" } }
      })
      assert.deepStrictEqual(
        [...new URLSearchParams(request.body)],
        [
          ["metadata[order]", "7"],
          ["metadata[__proto__]", "p"],
          ["metadata[a&b=c]", "d\r\n"],
          ["metadata[$&]", "dollar"]
        ]
      )
      assert.strictEqual(request.headers["x-amz-meta-owner"], "Ada")
    })
  )

  it.scopedLive("a key of a free map cannot name what the operation sets itself, nor another header", () =>
    Effect.gen(function* () {
      const free = (more: JsonObject) =>
        refused({
          operation: {
            bindings: { more: { in: "query", name: "*", style: "spread" } },
            fixed: [{ in: "query", name: "limit", value: 1 }]
          },
          input: { more }
        })
      for (const more of [{ limit: 9 }, { Limit: 9 }, { "limit[0]": 9 }, { " limit": 9 }])
        assert.match(yield* free(more), /which this operation sets itself/, JSON.stringify(more))
      for (const meta of [{ "a\r\nx-evil": "1" }, { "a b": "1" }, { "": "1", ü: "2" }, { a: "1\r\nx-evil: 2" }])
        assert.match(
          yield* refused({
            operation: { bindings: { meta: { in: "header", name: "X-Meta-*", style: "spread" } } },
            input: { meta }
          }),
          /header/
        )
      assert.match(
        yield* refused({
          operation: { bindings: { more: { in: "query", name: "*", style: "spread" } } },
          input: { more: "limit=9" }
        }),
        /must be an object/
      )
    })
  )

  it("a free map that could reach anything is refused when the manifest is read", () => {
    const of = (place: string, name: string) => problemsOf({ bindings: { a: { in: place, name, style: "spread" } } })
    for (const [place, name] of [
      ["header", "*"],
      ["header", "content-*"],
      ["header", "x-*-y"],
      ["json", "*"],
      ["path", "*"],
      ["query", "metadata"],
      ["query", "*[*]"]
    ] as const)
      assert.isNotEmpty(of(place, name), `${place} ${name}`)
    assert.deepStrictEqual([of("query", "*"), of("header", "x-meta-*"), of("form", "m[*]")], [[], [], []])
  })
})

describe("files", () => {
  const file = (text: string, filename: string) => ({
    filename,
    contentType: "text/plain",
    base64: Buffer.from(text).toString("base64")
  })

  it.scopedLive("lists of files and of texts stand in one multipart body", () =>
    Effect.gen(function* () {
      const request = yield* sent({
        operation: {
          bindings: {
            files: { in: "multipart", name: "file[]", style: "repeat" },
            granularities: { in: "multipart", name: "timestamp_granularities", style: "brackets" },
            attached: { in: "multipart", name: "attached", style: "deepObject" }
          }
        },
        input: {
          files: [file("one", "a.txt"), file("two", 'b".txt\r\nx: 1')],
          granularities: ["word", "segment"],
          attached: { main: file("three", "c.txt") }
        }
      })
      assert.deepStrictEqual(
        Array.from(
          request.body.matchAll(/Content-Disposition: ([^\r]*)\r\n(?:Content-Type: ([^\r]*)\r\n)?\r\n([^\r]*)/g),
          ([, ...found]) => found
        ),
        [
          ['form-data; name="file[]"; filename="a.txt"', "text/plain", "one"],
          ['form-data; name="file[]"; filename="b%22.txt%0D%0Ax: 1"', "text/plain", "two"],
          ['form-data; name="timestamp_granularities[]"', undefined, "word"],
          ['form-data; name="timestamp_granularities[]"', undefined, "segment"],
          ['form-data; name="attached[main]"; filename="c.txt"', "text/plain", "three"]
        ]
      )
    })
  )

  it.scopedLive("what is no base64 is refused before anything is sent", () =>
    Effect.gen(function* () {
      for (const base64 of ["not base64!", "a", "=AAA", "%41"]) {
        const multipart = { bindings: { file: { in: "multipart", name: "file" } } }
        assert.match(
          yield* refused({ operation: multipart, input: { file: { base64 } } }),
          /file must be a file with base64/
        )
        assert.match(
          yield* refused({
            operation: { input: { type: "object", properties: { data: {} } }, body: { as: "bytes", field: "data" } },
            input: { data: base64 }
          }),
          /data must be base64/
        )
      }
    })
  )
})

describe("bodies of one value", () => {
  const one = (body: object) => ({
    input: { type: "object", properties: { data: {}, lang: {} } },
    body: { field: "data", ...body }
  })

  it.scopedLive("JSON of any kind, text, XML and bytes go out as they are, and other fields go to the query", () =>
    Effect.gen(function* () {
      const file = { base64: "iVBORw0=", contentType: "image/png" }
      for (const [body, data, contentType, bytes] of [
        [{ as: "json" }, [{ a: 1 }, null, "x"], "application/json", '[{"a":1},null,"x"]'],
        [{ as: "json" }, "text", "application/json", '"text"'],
        [{ as: "json" }, null, "application/json", "null"],
        [{ as: "text" }, "a\r\nü", "text/plain; charset=utf-8", Buffer.from("a\r\nü").toString("latin1")],
        [{ as: "text", contentType: "application/xml" }, "<a>&amp;</a>", "application/xml", "<a>&amp;</a>"],
        [{ as: "text" }, "", "text/plain; charset=utf-8", ""],
        [{ as: "bytes" }, "AAEC/w==", "application/octet-stream", "\u0000\u0001\u0002\u00ff"],
        [{ as: "bytes" }, "AAEC_w", "application/octet-stream", "\u0000\u0001\u0002\u00ff"],
        [{ as: "bytes" }, file, "image/png", "\u0089PNG\r"],
        [{ as: "bytes", contentType: "audio/mpeg" }, "AA==", "audio/mpeg", "\u0000"]
      ] as const) {
        const request = yield* sent({ operation: one(body), input: { data, lang: "de" } as JsonObject })
        assert.deepStrictEqual(
          [request.headers["content-type"], request.body, request.url],
          [contentType, bytes, "/v1/things?lang=de"],
          JSON.stringify(body)
        )
      }
    })
  )

  it.scopedLive("without its field no body is sent", () =>
    Effect.gen(function* () {
      for (const as of ["json", "text", "bytes"]) {
        const request = yield* sent({ operation: one({ as }), input: {} })
        assert.deepStrictEqual([request.headers["content-type"], request.body], [undefined, ""])
      }
    })
  )

  it.scopedLive("a list around the fields keeps bindings and fixed values", () =>
    Effect.gen(function* () {
      const request = yield* sent({
        operation: { body: { as: "list" }, fixed: [{ in: "json", name: "language_code", value: "en" }] },
        input: { keyword: "x", location: { code: 2840 } }
      })
      assert.strictEqual(request.body, '[{"keyword":"x","location":{"code":2840},"language_code":"en"}]')
    })
  )

  it.scopedLive("an XML template takes values as text only", () =>
    Effect.gen(function* () {
      const operation = {
        input: { type: "object", properties: { country: {}, number: {}, note: {} } },
        body: { as: "xml", template: '<check country="{country}"><n>{number}</n><note>{note}</note></check>' }
      }
      const request = yield* sent({ operation, input: { country: `"><x a='`, number: "</n>{country}&", page: 2 } })
      assert.strictEqual(
        request.body,
        '<check country="&quot;&gt;&lt;x a=&apos;"><n>&lt;/n&gt;{country}&amp;</n><note></note></check>'
      )
      assert.deepStrictEqual(
        [request.headers["content-type"], request.url],
        ["application/xml; charset=utf-8", "/v1/things?page=2"]
      )
      for (const number of ["\u0000", "\u000b", "\ud800"])
        assert.match(yield* refused({ operation, input: { number } }), /number has a character that XML cannot hold/)
    })
  )

  it("contradictions are found when the manifest is read", () => {
    const body = { as: "json", field: "data" }
    const input = { type: "object", properties: { data: {} } }
    assert.deepStrictEqual(problemsOf({ input, body }), [])
    assert.match(problemsOf({ input, body, method: "GET" }).join(), /cannot be sent with GET/)
    assert.match(
      problemsOf({ input, body: { as: "json", field: "dta" } }).join(),
      /takes dta, which is no property of input/
    )
    assert.match(
      problemsOf({ input, body, bindings: { a: { in: "form", name: "a" } } }).join(),
      /one kind of body, not json and form/
    )
    assert.match(problemsOf({ input, body, bindings: { data: { in: "query", name: "d" } } }).join(), /needs no binding/)
    assert.match(problemsOf({ input, body }, { auth: { type: "body", name: "key" } }).join(), /no place for the key/)
    assert.match(
      problemsOf({ body: { as: "list" }, fixed: [{ in: "form", name: "a", value: 1 }] }).join(),
      /one kind of body/
    )
  })
})

describe("a body that may be left out", () => {
  for (const place of ["json", "form", "multipart"])
    it.scopedLive(`is sent with its fields, and not at all when none of them is given (${place})`, () =>
      Effect.gen(function* () {
        const operation = {
          method: "POST",
          body: { as: "fields" },
          input: { type: "object", properties: { a: { type: "string" }, q: { type: "string" } } },
          bindings: { a: { in: place, name: "a" }, q: { in: "query", name: "q" } }
        }
        const none = yield* sent({ operation, input: { q: "1" } })
        assert.deepStrictEqual([none.body, none.headers["content-type"]], ["", undefined])
        assert.include(none.url, "q=1")
        assert.include((yield* sent({ operation, input: { a: "x" } })).body, place === "json" ? '{"a":"x"}' : "x")
      })
    )

  it("cannot be sent with GET", () => {
    assert.include(problemsOf({ method: "GET", body: { as: "fields" } }).join("\n"), "cannot be sent with GET")
  })
})

describe("fields that name stored files", () => {
  const media = { type: "object", properties: { media: { type: "string" } } }
  const input = { type: "object", properties: { file: media, plain: { type: "string" } } }
  const file = { files: { file: {} }, input }

  it("must be able to hold a file, and to name one", () => {
    for (const place of ["multipart", "json", "form"])
      assert.deepStrictEqual(problemsOf({ ...file, bindings: { file: { in: place, name: "f" } } }), [], place)
    assert.deepStrictEqual(problemsOf({ ...file, body: { as: "bytes", field: "file" } }), [])
    const nested = { anyOf: [{ type: "string" }, { type: "array", items: media }] }
    assert.deepStrictEqual(problemsOf({ ...file, input: { type: "object", properties: { file: nested } } }), [])

    assert.deepStrictEqual(problemsOf({ files: { fiel: {} }, input }), ["files.fiel is no property of input"])
    assert.match(
      problemsOf({ files: { plain: {} }, input }).join(),
      /^files.plain needs a property media in the schema/
    )
    for (const wrong of [
      { bindings: { file: { in: "query", name: "f" } } },
      { bindings: { file: { in: "header", name: "x-f" } } },
      { method: "GET" },
      { body: { as: "text", field: "file" } }
    ])
      assert.match(problemsOf({ ...file, ...wrong }).join(), /files\.file holds no file/, JSON.stringify(wrong))
  })

  it.scopedLive("are refused where no file can be read, and say what to do", () =>
    Effect.gen(function* () {
      const named = { file: { media: "/v1/runs/run_1/media/med_1" } }
      for (const shape of [
        { bindings: { file: { in: "multipart", name: "f" } } },
        { bindings: { file: { in: "json", name: "f" } } },
        { body: { as: "bytes", field: "file" } }
      ])
        assert.match(
          yield* refused({ operation: { ...file, ...shape }, input: named }),
          /file names a file that cannot be read here: send it as base64/
        )
    })
  )
})
