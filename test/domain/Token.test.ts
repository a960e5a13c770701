import { assert, it } from "@effect/vitest"
import { FastCheck, Schema } from "effect"
import { describe } from "vitest"
import { suffix, TokenId } from "../../src/domain/Ids.js"
import { isTokenText, secretBytes, tokenText } from "../../src/domain/Token.js"

const ids = FastCheck.tuple(FastCheck.integer({ min: 0, max: 2 ** 48 - 1 }), FastCheck.uint8Array({ minLength: 10, maxLength: 10 })).map(([millis, random]) => suffix(millis, random))
const secrets = FastCheck.uint8Array({ minLength: secretBytes, maxLength: secretBytes })

describe("Token", () => {
  it.prop("every token that is made is recognised, and carries the id that follows its prefix", [ids, secrets], ([id, secret]) => {
    const text = tokenText(id, secret)
    return isTokenText(text) && Schema.is(TokenId)(`tok_${text.slice(4, 30)}`) && text.slice(4, 30) === id
  })

  it.prop("a token with one wrong character is told from a token", [ids, secrets, FastCheck.nat(85), FastCheck.constantFrom(..."0123456789abcdefgh")], ([id, secret, at, wrong]) => {
    const text = tokenText(id, secret)
    return text.charAt(at) === wrong || !isTokenText(text.slice(0, at) + wrong + text.slice(at + 1))
  })

  it("has the published form: prefix, id, secret and the CRC-32 of all before it", () => {
    const text = tokenText("01hzzzzzzz0123456789abcdef", new Uint8Array(secretBytes))
    assert.strictEqual(text.length, 86)
    assert.match(text, /^pgw_01hzzzzzzz0123456789abcdef0{48}[0-9a-f]{8}$/)
  })
})
