/** Which parts of a key must never be seen again. */
import { assert, describe, it } from "@effect/vitest"
import { blotFor } from "../../../src/layers/providers/Blotting.js"
import { secretParts } from "../../../src/layers/providers/KeyPlacement.js"

const passwordless = { type: "basic", passwordless: true } as const
const withPassword = { type: "basic", passwordless: false } as const

const key = "sk_live_0123456789"
/** What is left of a provider's answer that quotes both parts of a key. */
const left = (auth: typeof passwordless | typeof withPassword, secret: string) => {
  const [user, password] = secret.split(":")
  const answer = Buffer.from(`Invalid key ${user ?? ""} given, ${password ?? ""}`)
  return (blotFor(secretParts(auth, secret))?.(answer) ?? answer).toString()
}

describe("a key of basic authentication", () => {
  it("that is the user name is secret, however it is given", () => {
    for (const [auth, secret] of [
      [passwordless, key],
      [passwordless, `${key}:`],
      [passwordless, `${key}:X`],
      [passwordless, `${key}:api_token`],
      [withPassword, `${key}:`],
      [withPassword, `${key}:X`]
    ] as const)
      assert.notInclude(left(auth, secret), key, JSON.stringify([auth, secret]))
  })

  it("with a password has a user name that may be part of an answer", () => {
    const answer = left(withPassword, "developer:pass-word-1")
    assert.include(answer, "developer")
    assert.notInclude(answer, "pass-word-1")
  })
})
