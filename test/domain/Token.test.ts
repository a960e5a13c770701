import { assert, it } from "@effect/vitest"
import { FastCheck, Schema } from "effect"
import { describe } from "vitest"
import { suffix, TokenId } from "../../src/domain/Ids.js"
import { isTokenText, mayBeToken, secretBytes, tokenText } from "../../src/domain/Token.js"

const ids = FastCheck.tuple(
  FastCheck.integer({ min: 0, max: 2 ** 48 - 1 }),
  FastCheck.uint8Array({ minLength: 10, maxLength: 10 })
).map(([millis, random]) => suffix(millis, random))
const secrets = FastCheck.uint8Array({ minLength: secretBytes, maxLength: secretBytes })

describe("Token", () => {
  it.prop(
    "every token that is made is recognised, and carries the id that follows its prefix",
    [ids, secrets],
    ([id, secret]) => {
      const text = tokenText(id, secret)
      return isTokenText(text) && Schema.is(TokenId)(`tok_${text.slice(4, 30)}`) && text.slice(4, 30) === id
    }
  )

  it.prop(
    "a token with one wrong character is told from a token",
    [ids, secrets, FastCheck.nat(85), FastCheck.constantFrom(..."0123456789abcdefgh")],
    ([id, secret, at, wrong]) => {
      const text = tokenText(id, secret)
      return text.charAt(at) === wrong || !isTokenText(text.slice(0, at) + wrong + text.slice(at + 1))
    }
  )

  it.prop(
    "32 random bytes of a client's are a token, in base64url and in hex, with and without the prefix",
    [FastCheck.uint8Array({ minLength: 32, maxLength: 32 })],
    ([bytes]) => {
      const texts = [Buffer.from(bytes).toString("base64url"), Buffer.from(bytes).toString("hex")]
      return texts.every(
        (text) =>
          mayBeToken(`pgw_${text}`) && !isTokenText(`pgw_${text}`) && (text.startsWith("pgw_") || mayBeToken(text))
      )
    }
  )

  it.prop(
    "a token of a gateway with one wrong character is not taken for a client's",
    [ids, secrets, FastCheck.nat(85), FastCheck.constantFrom(..."0123456789abcdefgh")],
    ([id, secret, at, wrong]) => {
      const text = tokenText(id, secret)
      return text.charAt(at) === wrong || !mayBeToken(text.slice(0, at) + wrong + text.slice(at + 1))
    }
  )

  it("what is too short for 256 bits, too long, or of another alphabet is no token", () => {
    for (const text of [
      "",
      "pgw_",
      "a".repeat(42),
      `pgw_${"a".repeat(42)}`,
      "a".repeat(81),
      `pgw_${"a".repeat(81)}`,
      `${"a".repeat(42)}+`,
      `${"a".repeat(43)} `,
      `${"a".repeat(42)}é`
    ]) {
      assert.isFalse(mayBeToken(text), text)
    }
    for (const text of ["a".repeat(43), "A_-9".repeat(20), `pgw_${"a".repeat(43)}`, `pgw_${"a".repeat(80)}`])
      assert.isTrue(mayBeToken(text), text)
  })

  it("has the published form: prefix, id, secret and the CRC-32 of all before it", () => {
    const text = tokenText("01hzzzzzzz0123456789abcdef", new Uint8Array(secretBytes))
    assert.strictEqual(text.length, 86)
    assert.match(text, /^pgw_01hzzzzzzz0123456789abcdef0{48}[0-9a-f]{8}$/)
  })
})
