// Keys are found by what a text means: random keys, written in random ways inside one another, at random places.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { blotFor } from "../../../src/layers/providers/Blotting.js"

/** A way of writing a text, and how it is read back. */
interface Way {
  readonly name: string
  readonly write: (text: string) => string
  readonly read: (text: string) => string
}

const hexOf = (sign: string, digits: number) => sign.charCodeAt(0).toString(16).padStart(digits, "0")
const each = (text: string, pattern: RegExp, write: (sign: string) => string) => text.replace(pattern, write)
/** Escapes only some of the signs: those whose code is even. */
const some = (write: (sign: string) => string) => (sign: string) => (sign.charCodeAt(0) % 2 === 0 ? write(sign) : sign)

const inJson = { read: (text: string): string => JSON.parse(`"${text}"`) }
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const inAddress = { read: (text: string) => decodeURIComponent(text) }
const named: { readonly [sign: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#039;",
  "/": "&sol;",
  "+": "&plus;"
}
const inHtml = {
  read: (text: string) =>
    text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string) =>
      hex !== undefined
        ? String.fromCharCode(parseInt(hex, 16))
        : decimal !== undefined
          ? String.fromCharCode(Number(decimal))
          : (Object.keys(named).find((sign) => named[sign] === whole) ?? whole)
    )
}
const inBase64 = { read: (text: string) => Buffer.from(text, "base64").toString() }

const ways: ReadonlyArray<Way> = [
  { name: "as it is", write: (text) => text, read: (text) => text },
  { name: "a JSON string", ...inJson, write: json },
  { name: "a JSON string by PHP", ...inJson, write: (text) => json(text).replaceAll("/", "\\/") },
  {
    name: "a JSON string, all escaped",
    ...inJson,
    write: (text) => each(text, /[^]/g, (sign) => `\\u${hexOf(sign, 4)}`)
  },
  {
    name: "a JSON string, partly escaped",
    ...inJson,
    write: (text) =>
      each(text, /[^]/g, (sign) => (sign.charCodeAt(0) % 2 === 0 ? `\\u${hexOf(sign, 4).toUpperCase()}` : json(sign)))
  },
  { name: "percent escapes", ...inAddress, write: encodeURIComponent },
  {
    name: "small percent escapes",
    ...inAddress,
    write: (text) => each(encodeURIComponent(text), /%../g, (escape) => escape.toLowerCase())
  },
  {
    name: "all percent escapes",
    ...inAddress,
    write: (text) => each(text, /[^]/g, (sign) => (sign < "\x80" ? `%${hexOf(sign, 2)}` : encodeURIComponent(sign)))
  },
  { name: "HTML names", ...inHtml, write: (text) => each(text, /[&<>"'/+]/g, (sign) => named[sign] ?? sign) },
  { name: "HTML numbers", ...inHtml, write: (text) => each(text, /[^]/g, (sign) => `&#${sign.charCodeAt(0)};`) },
  {
    name: "some HTML numbers",
    ...inHtml,
    write: (text) =>
      each(
        each(text, /&/g, () => "&amp;"),
        /[^a-z&;]/g,
        some((sign) => `&#x${hexOf(sign, 2)};`)
      )
  },
  { name: "base64", ...inBase64, write: (text) => Buffer.from(text).toString("base64") },
  { name: "base64url", ...inBase64, write: (text) => Buffer.from(text).toString("base64url") },
  {
    name: "base64 in lines",
    ...inBase64,
    write: (text) =>
      Buffer.from(text)
        .toString("base64")
        .replace(/.{76}(?=.)/g, "$&\r\n")
  },
  {
    name: "hex",
    write: (text) => Buffer.from(text).toString("hex"),
    read: (text) => Buffer.from(text, "hex").toString()
  },
  {
    name: "capital hex",
    write: (text) => Buffer.from(text).toString("hex").toUpperCase(),
    read: (text) => Buffer.from(text, "hex").toString()
  }
]

/** In base64 the signs at the ends of a key belong to its neighbours too, which may then no longer read. */
const readable = (way: Way, text: string): string => {
  try {
    return way.read(text)
  } catch {
    return text
  }
}

const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./+=:!\"#$%&'()*,;<>?@[\\]^`{|}~"
const key = fc
  .tuple(fc.array(fc.constantFrom(...signs), { minLength: 8, maxLength: 60 }), fc.constantFrom("", "é", " "))
  .map(([start, middle]) => `k${start.slice(0, 4).join("")}${middle}${start.slice(4).join("")}y`)
/** What may stand around a key: nothing that begins an escape and leaves its end to the key. */
const words = fc
  .array(
    fc.constantFrom(
      "error",
      " ",
      "the key ",
      "12",
      ": ",
      '"',
      "é",
      "{",
      "}",
      "\n",
      "/",
      ", ",
      "token=",
      "100% ",
      "a&b "
    ),
    { maxLength: 12 }
  )
  .map((parts) => parts.join(""))
const place = fc.tuple(
  words.map((text) => `${text} `),
  words.map((text) => ` ${text}`)
)

describe("a key", () => {
  it("is found in whatever ways it is written inside one another, and what stands around it stays readable", () => {
    fc.assert(
      fc.property(
        key,
        fc.array(fc.tuple(fc.constantFrom(...ways), place), { minLength: 1, maxLength: 3 }),
        place,
        (secret, layers, [before, after]) => {
          const written = layers.reduce((text, [way, [start, end]]) => way.write(`${start}${text}${end}`), secret)
          const whole = `${before}${written}${after}`
          const blotted = blotFor([secret])!(Buffer.from(whole)).toString()
          assert.strictEqual(Buffer.byteLength(blotted), Buffer.byteLength(whole), "nothing moves")
          assert.isTrue(blotted.startsWith(before) && blotted.endsWith(after), "what stands outside stays")
          const inner = blotted.slice(before.length, blotted.length - after.length)
          const meant = layers.reduceRight((text, [way, [start, end]]) => {
            const read = readable(way, text)
            assert.notInclude(read, secret)
            return read.slice(start.length, read.length - end.length)
          }, inner)
          assert.notInclude(meant, secret)
        }
      ),
      { numRuns: 1000 }
    )
  })

  it("is found in UTF-16 and UTF-32, either way round", () => {
    fc.assert(
      fc.property(key, place, fc.constantFrom("le", "be", "le32"), (secret, [before, after], order) => {
        const little = Buffer.from(JSON.stringify({ [before]: `${before}${secret}${after}` }), "utf16le")
        const bytes =
          order === "le"
            ? little
            : order === "be"
              ? Buffer.from(little).swap16()
              : Buffer.concat(
                  Array.from({ length: little.length / 2 }, (_, n) =>
                    Buffer.from([little[2 * n]!, little[2 * n + 1]!, 0, 0])
                  )
                )
        const text = (all: Buffer) =>
          new TextDecoder(order === "be" ? "utf-16be" : "utf-16le").decode(
            order === "le32" ? all.filter((_, n) => n % 4 < 2) : all
          )
        const blotted = text(blotFor([secret])!(Buffer.from(bytes)))
        assert.notInclude(blotted, secret)
        const [found] = Object.values<string>(JSON.parse(blotted))
        assert.notInclude(found, secret)
      }),
      { numRuns: 300 }
    )
  })

  it("leaves JSON readable wherever it stands, a bare number too", () => {
    const texts: ReadonlyArray<[secret: string, text: string]> = [
      ["12345678", '{"id":12345678,"more":[912345678.5,"12345678"]}'],
      ["nabcdefgh", '{"text":"a\\nabcdefgh"}'],
      ["e9abcdefg", '{"text":"\\u00e9abcdefg"}'],
      ["abcdefgh\\", '{"text":"abcdefgh\\\\","next":"abcdefgh\\""}'],
      ['abc"defgh', '{"abc\\"defgh":"\\u0061bc\\u0022defgh"}']
    ]
    for (const [secret, text] of texts) {
      const blotted = blotFor([secret])!(Buffer.from(text)).toString()
      assert.notInclude(JSON.stringify(JSON.parse(blotted)), JSON.stringify(secret).slice(1, -1), blotted)
    }
  })

  it("is found in either case, and a text without it is left alone", () => {
    const blot = blotFor(["sk-Live-1234abcd"])!
    assert.strictEqual(blot(Buffer.from("bad key: SK-LIVE-1234ABCD.")).toString(), "bad key: ****************.")
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) =>
        assert.deepStrictEqual(new Uint8Array(blot(Buffer.from(bytes))), bytes)
      )
    )
  })

  it("is looked for with the same work as before, and two keys are not one with a line feed", () => {
    const two = ["sk-first-key", "sk-second-key"]
    assert.strictEqual(blotFor(two), blotFor([...two]))
    assert.notStrictEqual(blotFor(two), blotFor([two.join("\n")]))
  })

  it("that is too short to tell from other text is not looked for", () => assert.isNull(blotFor(["abc", ""])))
})

describe("the work", () => {
  // Generous: each takes a tenth to a half of a second; a square of the length would take hours.
  const secret = 'sk_live_9fA/b+C7Qx"Zk21LmPq'
  const million = 1_000_000
  const shapes: ReadonlyArray<[name: string, text: () => Buffer]> = [
    ["escapes", () => Buffer.from("\\u0041".repeat(1.7 * million))],
    ["backslashes", () => Buffer.from("\\".repeat(10 * million))],
    ["percent signs", () => Buffer.from("%25".repeat(3.4 * million))],
    ["ampersands", () => Buffer.from("&#".repeat(5 * million))],
    ["base64", () => Buffer.from(Buffer.alloc(7.5 * million, "some text or other").toString("base64"))],
    ["hex", () => Buffer.from("ab12".repeat(2.5 * million))],
    ["short words", () => Buffer.from("ABCDEFGHabcdefgh12345678901234567890 ".repeat(270_000))],
    ["zero bytes", () => Buffer.alloc(10 * million)],
    ["the key, escaped", () => Buffer.from(JSON.stringify(`${secret} `.repeat(350_000)))]
  ]
  for (const [name, text] of shapes) {
    it(`grows with the text and not faster: 10 MB of ${name}`, () => {
      const bytes = text()
      const started = performance.now()
      blotFor([secret])!(bytes)
      assert.isBelow(performance.now() - started, 10_000)
    })
  }
})
