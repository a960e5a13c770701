/** The whole OpenAPI document, as a gateway serves it. */
import { assert, it } from "@effect/vitest"
import { testGateway } from "../../src/testing.js"
import type { Loose } from "../support/httpGateway.js"
import { goldenJson } from "./golden.js"

it("serves the same OpenAPI document", async () => {
  const { close, url } = await testGateway().listen()
  try {
    const answer = await fetch(`${url}/openapi.json`)
    assert.strictEqual(answer.status, 200)
    const document: Loose = await answer.json()
    await goldenJson("openapi", {
      ...document,
      info: { ...document.info, version: "<version>" }
    })
  } finally {
    await close()
  }
})
