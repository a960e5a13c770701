import { assert, describe, it } from "vitest"
import { readUrl } from "../../src/domain/Url.js"

describe("an address", () => {
  it("with letters beyond ASCII is read the thousandth time as it is the first time", () => {
    for (let time = 0; time < 30_000; time += 1)
      if (readUrl("http://münchen.de:8080/")?.hostname !== "xn--mnchen-3ya.de") assert.fail(`not read at time ${time}`)
  })

  it("that is none is null", () => {
    for (const text of ["", "example", "https://", "http://[", "//example.com"]) assert.isNull(readUrl(text), text)
  })
})
