// A whole gateway in a test, with providers that answer what the test says: node --test examples/whole-gateway.test.mjs
import assert from "node:assert/strict"
import { test } from "node:test"
import { createClient } from "provider-gateway/client"
import { hit, miss, testGateway } from "provider-gateway/testing"

test("asks the second provider when the first finds nobody", async (t) => {
  const found = hit({ found: true, email: "ada@example.com", status: "deliverable" })
  const gateway = testGateway({ providers: { "mock-email-find": miss(), "mock-slow-email-find": found } })
  const { close, token, url } = await gateway.listen()
  t.after(close)
  const input = { name: "Ada Example", domain: "example.com" }
  const run = await createClient({ baseUrl: url, token }).run({
    endpointId: "job:people.email.find",
    input,
    fallback: true
  })
  assert.equal(run.normalized?.fields.email, "ada@example.com")
})
