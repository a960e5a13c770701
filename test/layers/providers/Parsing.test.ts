// XML and CSV as data for the rules and the output map: what they see, and what a hostile document cannot do.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callOnce, certaintyOf, serve } from "./support.js"

const answered = (
  body: string | Buffer,
  { contentType = "text/xml", ...operation }: { readonly contentType?: string; readonly [name: string]: unknown }
) =>
  Effect.gen(function* () {
    const provider = yield* serve(
      (_, response) => void response.writeHead(200, { "content-type": contentType }).end(body)
    )
    return yield* callOnce(provider, { operation: { contentTypes: ["*/*"], ...operation } })
  })

/** What the output map finds under `expression`. */
const seen = (body: string | Buffer, parse: object, expression: string, contentType?: string) =>
  Effect.map(
    answered(body, {
      ...(contentType === undefined ? {} : { contentType }),
      job: "company.enrich",
      response: { parse },
      output: { fields: { name: expression } }
    }),
    (result) =>
      result._tag === "Answered" ? result.normalized?.fields["name"] : [result.failure.code, result.failure.message]
  )

const xml = { format: "xml" }
const csv = { format: "csv" }

const rates = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <Cube><Cube time="2026-11-20"><Cube currency="USD" rate="1.0837"/><Cube currency="JPY" rate="167.01"/></Cube></Cube>
</gesmes:Envelope>`

describe("XML", () => {
  const views: ReadonlyArray<readonly [what: string, text: string, parse: object, expression: string, value: unknown]> =
    [
      ["prefixes are left out", rates, xml, "body.Envelope.subject", "Reference rates"],
      [
        "attributes have an underscore, and what is named a list is one",
        rates,
        { ...xml, lists: ["Cube"] },
        "body.Envelope.Cube[0].Cube[0].Cube[?_currency == 'USD']._rate | [0]",
        "1.0837"
      ],
      ["namespaces are no attributes", '<a xmlns="u" xmlns:b="v" b:c="1"/>', xml, "body.a", { _c: "1" }],
      ["an element that repeats is a list", "<a><b>1</b><c/><b>2</b></a>", xml, "body.a", { b: ["1", "2"], c: null }],
      [
        "text beside elements is `_`",
        '<a x="1"> one <b/> two </a>',
        xml,
        "body.a",
        { _x: "1", b: null, _: "one  two" }
      ],
      ["CDATA and references are text", "<a><![CDATA[<&]]>&lt;&#x41;&amp;</a>", xml, "body.a", "<&<A&"],
      ["every digit stays", "<a>12345678901234567890.1230</a>", xml, "body.a", "12345678901234567890.1230"],
      [
        "names of every object are only names",
        '<__proto__ constructor="1"><toString/></__proto__>',
        xml,
        'body."__proto__"',
        { _constructor: "1", toString: null }
      ],
      ["a no-break space is no white space", "<a>\u00a0</a>", xml, "body.a", "\u00a0"]
    ]
  for (const [what, text, parse, expression, value] of views)
    it.scopedLive(what, () =>
      Effect.map(seen(text, parse, expression), (found) => assert.deepStrictEqual<unknown>(found, value))
    )

  it.scopedLive("the run's result stays the text", () =>
    Effect.map(answered(rates, { response: { parse: xml } }), (result) =>
      assert.deepStrictEqual<unknown>(result._tag === "Answered" && [result.outcome, result.body], [
        "hit",
        { _tag: "Text", text: rates, format: "xml" }
      ])
    )
  )

  it.scopedLive("an error answer is read too", () =>
    Effect.gen(function* () {
      const provider = yield* serve(
        (_, response) =>
          void response
            .writeHead(400, { "content-type": "application/xml" })
            .end("<Error><Code>SlowDown</Code><Message>Too fast</Message></Error>")
      )
      const errors = [{ when: "body.Error.Code == 'SlowDown'", code: "rate_limited", message: "body.Error.Message" }]
      const result = yield* callOnce(provider, { operation: { response: { parse: xml, errors } } })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, result.failure.message], [
        "rate_limited",
        "Too fast"
      ])
    })
  )

  const laughs = `<!DOCTYPE l [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, n) => `<!ENTITY a${n} "&a;&a;">`).join("")}]>`
  const refused: ReadonlyArray<readonly [what: string, text: string, why: RegExp]> = [
    ["that expands entities of its own", `${laughs}<r>&a29;</r>`, /undefined entity/],
    ["that reads a file", '<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><r>&f;</r>', /undefined entity/],
    ["that is too deep", "<a>".repeat(600) + "</a>".repeat(600), /deeper than 512/],
    ["that has too many elements", `<a>${"<b/>".repeat(60_000)}</a>`, /more than 50000 elements/],
    [
      "that has too many attributes",
      `<a ${Array.from({ length: 60_000 }, (_, n) => `b${n}="1"`).join(" ")}/>`,
      /more than 50000 elements/
    ],
    ["that is too large", `<a>${"b".repeat(1_048_576)}</a>`, /larger than 1048576 bytes/],
    ["that ends early", "<a><b>", /unclosed tag/],
    ["that ends early under a long name", `<${"b".repeat(900_000)}>`, /^.{100,250}$/],
    ["that is a page", "<p>Sorry<br>", /unclosed tag/],
    ["that is empty", " ", /must contain a root element/]
  ]
  for (const [what, text, why] of refused)
    it.scopedLive(`a document ${what} is no answer`, () =>
      Effect.gen(function* () {
        const result = yield* answered(text, { response: { parse: xml } })
        if (result._tag === "Answered") return assert.fail("answered")
        assert.deepStrictEqual([result.failure.code, certaintyOf(result)], ["invalid_response", "unanswered"])
        assert.match(result.failure.message, why)
      })
    )

  it.scopedLive("a document type that names a file elsewhere is not fetched", () =>
    Effect.gen(function* () {
      const elsewhere = yield* serve((_, response) => void response.end())
      const text = `<!DOCTYPE a SYSTEM "${elsewhere.origin}/a.dtd"><a>1</a>`
      assert.strictEqual(yield* seen(text, xml, "body.a"), "1")
      assert.strictEqual(elsewhere.requests.length, 0)
    })
  )
})

describe("the charset of an XML", () => {
  const latin = (declared: string) => Buffer.from(`<?xml version="1.0" encoding="${declared}"?><a>ü</a>`, "latin1")
  const utf16 = Buffer.from('\ufeff<?xml version="1.0" encoding="UTF-16"?><a>ü</a>', "utf16le")
  const cases: ReadonlyArray<readonly [what: string, bytes: Buffer, contentType: string]> = [
    ["is the one of its declaration", latin("ISO-8859-1"), "text/xml"],
    ["is the one of the header, before its declaration", latin("UTF-8"), "text/xml; charset=iso-8859-1"],
    [
      "is UTF-8 by its mark, before header and declaration",
      Buffer.from(`\ufeff${latin("ISO-8859-1").toString("latin1")}`),
      "text/xml; charset=iso-8859-1"
    ],
    ["is UTF-16 by its mark", utf16, "text/xml; charset=utf-8"],
    ["is UTF-16 without a mark too", utf16.subarray(2), "text/xml"],
    ["is UTF-8 where nothing says it", Buffer.from("<a>ü</a>"), "text/xml"],
    [
      "is not the UTF-16 that a text of single bytes declares",
      Buffer.from('<?xml version="1.0" encoding="UTF-16"?><a>ü</a>'),
      "text/xml"
    ]
  ]
  for (const [what, bytes, contentType] of cases)
    it.scopedLive(what, () =>
      Effect.map(seen(bytes, xml, "body.a", contentType), (found) => assert.strictEqual(found, "ü"))
    )
})

describe("CSV", () => {
  const table = 'name,note,id\r\nAda,"likes ""x, y""\nand z",12345678901234567890\r\n\r\nBob,,-0\r\n'
  const rows = [
    { name: "Ada", note: 'likes "x, y"\nand z', id: "12345678901234567890" },
    { name: "Bob", note: "", id: "-0" }
  ]
  const views: ReadonlyArray<readonly [what: string, text: string, parse: object, value: unknown]> = [
    ["is a list of rows by the names of the first", table, csv, rows],
    ["may have a byte order mark", `\ufeff${table}`, csv, rows],
    ["may have another delimiter", "a;b\n1,5;2", { ...csv, delimiter: ";" }, [{ a: "1,5", b: "2" }]],
    [
      "may have no row of names",
      "1e400,2\n3,4",
      { ...csv, header: false },
      [
        ["1e400", "2"],
        ["3", "4"]
      ]
    ],
    [
      "has columns of any name",
      "__proto__,toString\n1,2",
      csv,
      [
        Object.fromEntries([
          ["__proto__", "1"],
          ["toString", "2"]
        ])
      ]
    ]
  ]
  for (const [what, text, parse, value] of views)
    it.scopedLive(what, () =>
      Effect.map(seen(text, parse, "body", "text/csv"), (found) => assert.deepStrictEqual<unknown>(found, value))
    )

  it.scopedLive("is CSV whatever content type it comes with", () =>
    Effect.gen(function* () {
      for (const contentType of ["text/plain", "application/octet-stream", "application/vnd.ms-excel"]) {
        const result = yield* answered(table, { contentType, response: { parse: csv, resultCount: "length(body)" } })
        assert.deepStrictEqual<unknown>(result._tag === "Answered" && [result.resultCount, result.body], [
          2,
          { _tag: "Text", text: table, format: "csv" }
        ])
      }
    })
  )

  it.scopedLive("an empty answer without rows is a miss where the rule says so", () =>
    Effect.map(answered("name,id\n", { contentType: "text/csv", response: { parse: csv, miss: "!body" } }), (result) =>
      assert.strictEqual(result._tag === "Answered" && result.outcome, "miss")
    )
  )

  const refused: ReadonlyArray<readonly [what: string, text: string, why: RegExp]> = [
    ["of one endless line", "a".repeat(10_000_000), /larger than 1048576 bytes/],
    ["of one line of a mebibyte", "a".repeat(1_048_576), /65536/],
    ["of one endless quote", `"${"a,\n".repeat(300_000)}`, /65536/],
    ["of too many rows", "a\n".repeat(20_002), /more than 20000 rows/],
    ["of too many columns", `${"a,".repeat(1_000)}b\n`, /more than 1000 columns/],
    ["of rows of unequal length", "a,b\n1\n", /Record Length/],
    ["with two columns of one name", "a,a\n1,2\n", /two columns of one name/]
  ]
  for (const [what, text, why] of refused)
    it.scopedLive(`${what} is no answer`, () =>
      Effect.gen(function* () {
        const result = yield* answered(text, { contentType: "text/csv", response: { parse: csv } })
        if (result._tag === "Answered") return assert.fail("answered")
        assert.strictEqual(result.failure.code, "invalid_response")
        assert.match(result.failure.message, why)
      })
    )

  it.scopedLive("of as many rows as there may be is an answer", () =>
    Effect.map(
      answered(`a\n${"1\n".repeat(20_000)}`, {
        contentType: "text/csv",
        response: { parse: csv, resultCount: "length(body)" }
      }),
      (result) => assert.strictEqual(result._tag === "Answered" && result.resultCount, 20_000)
    )
  )
})
