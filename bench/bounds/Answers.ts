/** Answers of a hostile provider, as large as they may be, over a socket through the whole engine. */
import { gzipSync } from "node:zlib"
import type { Answer, Case } from "./Case.js"

const megabyte = 1_048_576
/** A little below the largest answer. */
const largest = 10 * megabyte - 4096

const json = (body: string): Answer => ({ headers: { "content-type": "application/json" }, body })
const typed = (type: string, body: Buffer | string): Answer => ({ headers: { "content-type": type }, body })

/** `part` as often as it fits, with commas. */
const list = (part: string, bytes = largest): string =>
  `[${`${part},`.repeat(Math.floor((bytes - 2) / (part.length + 1)) - 1)}${part}]`

const xml = { contentTypes: ["text/xml"], response: { parse: { format: "xml" }, success: "status" } }
const csv = { contentTypes: ["text/csv"], response: { parse: { format: "csv" }, success: "status" } }
const text = { contentTypes: ["text/*"] }
const key = { auth: { type: "bearer" } }
const secret = "sk-live-0123456789abcdefghijklmnop"

const ofBodies: ReadonlyArray<Case> = [
  { name: "answer: JSON of 10 MB of rows", answer: () => json(list('{"id":123456,"name":"Ada Example","ok":true}')) },
  { name: "answer: JSON of 10 MB of empty lists", answer: () => json(list("[]")) },
  { name: "answer: JSON of 10 MB of empty objects", answer: () => json(list("{}")) },
  { name: "answer: JSON of 10 MB of one text", answer: () => json(`"${"x".repeat(largest - 2)}"`) },
  { name: "answer: JSON of 10 MB of escapes", answer: () => json(`"${"\\u00e4".repeat(largest / 6 - 2)}"`) },
  { name: "answer: JSON of 10 MB of numbers", answer: () => json(list("1.5")) },
  { name: "answer: JSON of 10 MB of exact numbers", answer: () => json(list("12345678901234567890")) },
  {
    name: "answer: JSON of 10 MB of names",
    answer: () => json(`{${Array.from({ length: 600_000 }, (_, at) => `"n${at}":null`).join(",")}}`)
  },
  {
    name: "answer: JSON 5,000,000 levels deep",
    answer: () => json("[".repeat(largest / 2) + "]".repeat(largest / 2))
  },
  {
    name: "answer: JSON of 1 MB, 500 levels deep",
    answer: () => json(list("[".repeat(500) + "]".repeat(500), megabyte))
  },
  { name: "answer: JSON of 1 MB inline", answer: () => json(list('{"id":1}', megabyte - 10)) },
  {
    name: "answer: JSON of 10 MB out of 10 kB of gzip",
    answer: () => ({
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: gzipSync(list("0"))
    })
  },
  {
    name: "answer: error page of 10 MB",
    answer: () => ({ ...typed("text/html", "<p>".repeat(largest / 3)), status: 500 })
  },
  { name: "answer: error JSON of 10 MB", answer: () => ({ ...json(list('{"a":1}')), status: 400 }) },
  {
    name: "answer: error of 10 MB that is no JSON to its end",
    answer: () => ({ ...json(`${list('{"a":1}').slice(0, -1)},`), status: 400 })
  },
  { name: "answer: JSON behind 10 MB of blanks", answer: () => json(`${" ".repeat(largest - 10)}{"id":1}`) },
  { name: "answer: text of 10 MB", answer: () => typed("text/plain", "ä".repeat(largest / 2)), operation: text },
  {
    name: "answer: text of 10 MB in UTF-16",
    answer: () => typed("text/plain; charset=utf-16le", Buffer.from("ä".repeat(largest / 2), "utf16le")),
    operation: text
  },
  {
    name: "answer: text of 10 MB in Shift_JIS",
    answer: () => typed("text/plain; charset=shift_jis", Buffer.alloc(largest, 0x83)),
    operation: text
  },
  {
    name: "answer: text of 10 MB that is no UTF-8",
    answer: () => typed("text/plain", Buffer.alloc(largest, 0xff)),
    operation: text
  }
]

let pagesGiven = 0
const ofPages: ReadonlyArray<Case> = [
  {
    name: "answer: ten pages of 846 kB together",
    answer: () => json(list(`{"id":${(pagesGiven += 1) + 100_000},"name":"Ada Example","ok":true}`, 846_000)),
    operation: {
      input: { type: "object", properties: { limit: { type: "integer" }, page: { type: "integer" } } },
      volume: { field: "limit", default: 180_000, max: 200_000 },
      pages: { items: "body", size: 18_000, next: { by: "page", field: "page" } }
    }
  }
]

const ofDocuments: ReadonlyArray<Case> = [
  {
    name: "answer: XML of 1 MiB with 49,000 elements",
    answer: () => typed("text/xml", `<r>${"<a>1234567890123</a>".repeat(49_000)}</r>`),
    operation: xml
  },
  {
    name: "answer: XML of 1 MiB with attributes",
    answer: () => typed("text/xml", `<r>${'<a b="1" c="2" d="3" e="4" />'.repeat(9_900)}</r>`),
    operation: xml
  },
  {
    name: "answer: XML of 1 MiB of references",
    answer: () => typed("text/xml", `<r>${"&amp;".repeat(209_000)}</r>`),
    operation: xml
  },
  {
    name: "answer: XML of 1 MiB of text in parts",
    answer: () => typed("text/xml", `<r>${"a<![CDATA[b]]>".repeat(74_000)}</r>`),
    operation: xml
  },
  {
    name: "answer: XML with one name of 1 MiB",
    answer: () => typed("text/xml", `<${"a".repeat(500_000)}></${"a".repeat(500_000)}>`),
    operation: xml
  },
  {
    name: "answer: XML 500 levels deep, again and again",
    answer: () => typed("text/xml", `<r>${("<a>".repeat(500) + "</a>".repeat(500)).repeat(99)}</r>`),
    operation: xml
  },
  {
    name: "answer: CSV of 1 MiB with 20,000 rows",
    answer: () => typed("text/csv", `a,b,c,d\n${"1234567890,abcdefghij,1234567890,xyz\n".repeat(20_000)}`),
    operation: csv
  },
  {
    name: "answer: CSV of 1 MiB with 1,000 columns",
    answer: () =>
      typed(
        "text/csv",
        `${Array.from({ length: 1000 }, (_, at) => `c${at}`).join(",")}\n${`${"1,".repeat(999)}1\n`.repeat(520)}`
      ),
    operation: csv
  },
  {
    name: "answer: CSV of 1 MiB of quotes",
    answer: () => typed("text/csv", `a\n${`"${'""'.repeat(100)}"\n`.repeat(5_100)}`),
    operation: csv
  },
  {
    name: "answer: CSV of 1 MiB of empty cells",
    answer: () => typed("text/csv", `a\n${`${",".repeat(900)}\n`.repeat(1_160)}`),
    operation: csv
  }
]

const ofKeys: ReadonlyArray<Case> = [
  ["plain rows", () => json(list('{"id":123456,"name":"Ada Example","ok":true}'))],
  ["its escapes", () => json(`"${"\\u0073".repeat(largest / 6 - 2)}"`)],
  ["base64", () => json(`"${Buffer.alloc(7 * megabyte, 0x73).toString("base64")}"`)],
  ["short runs of base64", () => json(`"${`${"QUJD".repeat(12)} `.repeat(largest / 50)}"`)],
  ["hex", () => json(`"${"73".repeat(largest / 2 - 2)}"`)],
  ["percent escapes", () => json(`"${"%2573".repeat(largest / 5 - 2)}"`)],
  ["the key, a hundred thousand times", () => json(list(`"${secret}"`))],
  ["zero bytes", () => typed("application/json", Buffer.from(`"${"s".repeat(largest / 2 - 4)}"`, "utf16le"))]
].map(([what, answer]): Case => ({
  name: `answer: blotting 10 MB of ${String(what)}`,
  answer: answer as () => Answer,
  provider: key,
  secret
}))

export const answers: ReadonlyArray<Case> = [...ofBodies, ...ofPages, ...ofDocuments, ...ofKeys]
