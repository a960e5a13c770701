// A whole gateway in a test, with providers that answer what the test says.
import { createClient } from "provider-gateway/client"
import { hit, miss, testGateway } from "provider-gateway/testing"
import { assert, it, onTestFinished } from "vitest"

it("asks the second provider when the first finds nobody", async () => {
  const gateway = testGateway({
    providers: {
      "mock-email-find": miss(),
      "mock-slow-email-find": hit({ found: true, email: "ada@example.com", status: "deliverable" })
    }
  })
  const { close, token, url } = await gateway.listen()
  onTestFinished(close)
  const run = await createClient({ baseUrl: url, token }).run({
    endpointId: "job:people.email.find",
    input: { name: "Ada Example", domain: "example.com" },
    fallback: true
  })
  assert.strictEqual(run.normalized?.fields["email"], "ada@example.com")
})
