// What a large answer is worked through in slices must become exactly what it becomes at once.
import { hash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import {
  answerContainersMax,
  answerDepthMax,
  answerTextGlancedBytes,
  csvRowsMax
} from "../../../src/domain/limits/Calls.js"
import { writeJson } from "../../../src/domain/LosslessJson.js"
import { allSteps } from "../../../src/services/Slices.js"
import { textSteps } from "../../../src/layers/providers/AnswerText.js"
import { readCsv, readCsvInSlices } from "../../../src/layers/providers/CsvReading.js"
import { workedThrough } from "../../../src/layers/providers/LargeAnswers.js"
import { callOnce, platformKey, serve } from "./support.js"

const secret = "sk-live-0123456789abcdef"

const called = (body: string | Buffer, contentType: string, operation: object = {}, status = 200) =>
  Effect.gen(function* () {
    const provider = yield* serve(
      (_, response) => void response.writeHead(status, { "content-type": contentType, "x-key": secret }).end(body)
    )
    return yield* callOnce(provider, {
      provider: { auth: { type: "bearer" } },
      operation: { contentTypes: ["*/*"], timeoutMs: 30_000, ...operation },
      credential: platformKey(secret)
    })
  })

const rows = Array.from({ length: 12_000 }, (_, id) => ({ id, name: `name ${id} ü`, tags: [[], {}, null, [id]] }))
const manyRows = `${JSON.stringify(rows).slice(0, -1)},{"exact":12345678901234567890,"key":"${secret}"}]`

/** Bytes of every kind where portions meet: whole characters, broken ones, and continuations without a beginning. */
const around = (middle: Buffer) =>
  Buffer.concat([Buffer.from("ä".repeat(262_140)), middle, Buffer.from("€".repeat(100_000))])

describe("a large answer", () => {
  it("is decoded in portions to the text that it is as a whole, wherever they meet", () => {
    for (const middle of [
      Buffer.from("abcdefgh"),
      Buffer.from("a€€€€€€"),
      Buffer.from("ab💩💩💩💩"),
      Buffer.from("abc💩💩💩💩"),
      Buffer.alloc(16, 0x80),
      Buffer.alloc(16, 0xff),
      Buffer.from("61e282e282e282f09f92f09f9280808080c0", "hex")
    ]) {
      const bytes = around(middle)
      const { text } = allSteps(textSteps(bytes, "text/plain", "other"))
      assert.isTrue(text === bytes.toString("utf8"), middle.toString("hex"))
      for (const charset of ["utf-16le", "shift_jis", "euc-kr", "gb18030"]) {
        const decoded = allSteps(textSteps(bytes, `text/plain; charset=${charset}`, "other"))
        assert.isTrue(decoded.text === new TextDecoder(charset).decode(bytes), `${charset} ${middle.toString("hex")}`)
      }
    }
  })

  it.scopedLive("of JSON is read by the rules, keeps its digits and loses the key", () =>
    Effect.map(
      called(manyRows, "application/json", {
        job: "company.enrich",
        response: { success: "body[11999].tags[3][0] == `11999`", requestId: 'headers."x-key"' },
        output: { fields: { name: "to_string(body[-1])" } }
      }),
      (result) => {
        if (result._tag !== "Answered") return assert.fail(JSON.stringify(result))
        const blotted = "*".repeat(secret.length)
        assert.strictEqual(result.normalized?.fields["name"], `{"exact":12345678901234567890,"key":"${blotted}"}`)
        assert.strictEqual(result.evidence.providerRequestId, blotted)
        assert.deepStrictEqual<unknown>(
          result.body._tag === "Json" && Array.isArray(result.body.value) && result.body.value.slice(0, -1),
          rows
        )
      }
    )
  )

  const manyLists = `[${"[],".repeat(answerContainersMax)}[]]`
  const blanks = " \r\n\t".repeat(100)

  it.scopedLive("of JSON behind many blanks is what it is without them, and no larger", () =>
    Effect.gen(function* () {
      for (const body of [
        `${blanks}${manyRows}`,
        Buffer.from(`\ufeff${blanks}${manyRows}`, "utf8"),
        Buffer.from(`\ufeff${blanks}${manyRows}`, "utf16le"),
        Buffer.from(`\ufeff${blanks}${manyRows}`, "utf16le").swap16()
      ]) {
        const result = yield* called(body, "application/json", {
          response: { success: "body[11999].tags[3][0] == `11999`" }
        })
        assert.strictEqual(result._tag === "Answered" && result.outcome, "hit")
      }
      const result = yield* called(`${blanks}${manyLists}`, "application/json")
      assert.match(result._tag === "Answered" ? "" : result.failure.message, /more than 500000 lists and objects/)
    })
  )

  it.scopedLive("of a JSON that is no list, object or text among blanks is read", () =>
    Effect.gen(function* () {
      const filler = " ".repeat(300_000)
      for (const [body, value] of [
        [`${filler}12345678901234567890${filler}`, "12345678901234567890"],
        [`-7${filler}`, "-7"],
        [`${filler}true`, "true"],
        [`${filler}null`, "null"]
      ] as const) {
        const result = yield* called(body, "application/json")
        assert.strictEqual(
          result._tag === "Answered" && result.body._tag === "Json" ? writeJson(result.body.value) : "",
          value
        )
      }
      for (const body of [filler, `${filler}no`, `${filler}1 2`, `${"1".repeat(300_000)}`])
        assert.strictEqual((yield* called(body, "application/json"))._tag, "CallLost")
    })
  )

  it.scopedLive("of JSON that breaks off is no JSON", () =>
    Effect.map(called(manyRows.slice(0, -1), "application/json"), (result) =>
      assert.strictEqual(
        result._tag === "Answered" ? "" : result.failure.message,
        "The provider's answer is not the JSON that its content type promises."
      )
    )
  )

  it.scopedLive("of JSON with more lists than can be read fails, and says why", () =>
    Effect.map(called(manyLists, "application/json"), (result) =>
      assert.match(result._tag === "Answered" ? "" : result.failure.message, /more than 500000 lists and objects/)
    )
  )

  it.scopedLive("that is nested too deep is kept as a file", () =>
    Effect.map(
      called(`[${`${"[".repeat(answerDepthMax)}${"]".repeat(answerDepthMax)},`.repeat(400)}1]`, "application/json", {
        response: { success: "length(body) == `401`" }
      }),
      (result) => {
        if (result._tag !== "Answered") return assert.fail(JSON.stringify(result))
        assert.strictEqual(result.body._tag, "Media")
        assert.match(result.outcomeReason, /nested deeper than 512 levels and is kept as a file/)
      }
    )
  )

  it.scopedLive("of an error status is read by the rules", () =>
    Effect.map(
      called(
        manyRows,
        "application/json",
        { response: { errors: [{ when: "body[5].id == `5`", code: "rate_limited" }] } },
        400
      ),
      (result) => assert.strictEqual(result._tag === "Answered" ? "" : result.failure.code, "rate_limited")
    )
  )

  it.scopedLive("of an error status that is no JSON shows the rules its beginning", () =>
    Effect.gen(function* () {
      const rule = `length(body) == \`${answerTextGlancedBytes}\` && starts_with(body, 'quota')`
      for (const type of ["application/octet-stream", "application/json"]) {
        const result = yield* called(
          `quota ${"x".repeat(2 * answerTextGlancedBytes)}`,
          type,
          { response: { errors: [{ when: rule, code: "rate_limited" }] } },
          500
        )
        assert.strictEqual(result._tag === "Answered" ? "" : result.failure.code, "rate_limited")
      }
    })
  )

  it.effect("is read in slices as whatever it may be read as, and as nothing else", () =>
    Effect.gen(function* () {
      const aheadOf = (body: string, type: string | null, more: object) =>
        Effect.map(
          workedThrough(
            { status: 200, headers: type === null ? {} : { "content-type": type }, bytes: Buffer.from(body) },
            null,
            { allowed: ["application/json"], parse: undefined, isGlanced: false, ...more }
          ),
          ({ ahead }) => {
            const { digest, ...read } = ahead ?? {}
            assert.strictEqual(digest, hash("sha256", body))
            return Object.keys(read)
          }
        )
      const csv = `"a","b"\n${'"1","2"\n'.repeat(40_000)}`
      const parse = { parse: { format: "csv", delimiter: ",", header: true } }
      const glanced = { isGlanced: true }
      for (const [body, type, more, read] of [
        [manyRows, "application/json", {}, ["json"]],
        [manyRows, null, {}, ["json"]],
        [csv, "application/json", {}, ["json"]],
        [csv, "text/csv", parse, ["text", "parsed"]],
        [csv, "text/csv", { ...parse, ...glanced }, ["json", "text", "parsed"]],
        [manyRows, "text/html", {}, ["text"]],
        [manyRows, "text/html", glanced, ["json", "text"]],
        [manyRows, "application/octet-stream", {}, []],
        [csv, "application/octet-stream", glanced, ["json"]]
      ] as const)
        assert.deepStrictEqual<ReadonlyArray<string>>(yield* aheadOf(body, type, more), read, `${type} ${read.join()}`)
    })
  )

  it.scopedLive("of XML is data for the rules", () =>
    Effect.map(
      called(`<r>${"<a b='1'>ü&amp;</a>".repeat(10_000)}<c/></r>`, "text/xml", {
        response: { parse: { format: "xml" }, success: "length(body.r.a) == `10000` && body.r.a[9999]._ == 'ü&'" }
      }),
      (result) => assert.strictEqual(result._tag === "Answered" && result.outcome, "hit")
    )
  )

  it.scopedLive("of XML that is not well-formed fails, and says why", () =>
    Effect.map(
      called(`<r>${"<a></a>".repeat(10_000)}<b></r>`, "text/xml", { response: { parse: { format: "xml" } } }),
      (result) =>
        assert.match(
          result._tag === "Answered" ? "" : result.failure.message,
          /cannot be read as XML: it is not well-formed/
        )
    )
  )

  it.scopedLive("of CSV is data for the rules", () =>
    Effect.map(
      called(`a,b\n${'1,"x ""ü"" y\n z"\n'.repeat(6_000)}`, "text/csv", {
        response: { parse: { format: "csv" }, success: "length(body) == `6000` && body[5999].b == 'x \"ü\" y\n z'" }
      }),
      (result) => assert.strictEqual(result._tag === "Answered" && result.outcome, "hit")
    )
  )
})

describe("CSV in slices", () => {
  const shape = { delimiter: ",", header: true }
  const texts: ReadonlyArray<[what: string, text: string]> = [
    ["rows", `a,b\n${"1,2\n".repeat(15_000)}`],
    ["empty lines and a last row without line break", `a,b\n\n${"1,2\r\n\r\n".repeat(9_000)}3,4`],
    ["a quote that does not end", `a,b\n${"1,2\n".repeat(9_000)}"3,4\n${"1,2\n".repeat(9_000)}`],
    ["a row with too many cells", `a,b\n${"1,2\n".repeat(9_000)}3,4,5\n${"1,2\n".repeat(9_000)}`],
    ["a quote inside of a cell", `a,b\n${"1,2\n".repeat(9_000)}3,4"5\n`],
    ["too many rows", `a\n${"1\n".repeat(csvRowsMax + 20_000)}`],
    ["two columns of one name", `a,a\n${"1,2\n".repeat(9_000)}`],
    ["a row that is too long", `a\n${"1\n".repeat(9_000)}${"x".repeat(70_000)}\n`],
    ["nothing", ""]
  ]
  for (const [what, text] of texts)
    it.effect(`${what}: the same as at once`, () =>
      Effect.map(readCsvInSlices(text, shape), (sliced) => {
        assert.deepStrictEqual(Either.isRight(sliced), Either.isRight(readCsv(text, shape)))
        assert.deepStrictEqual(sliced, readCsv(text, shape))
      })
    )
})
