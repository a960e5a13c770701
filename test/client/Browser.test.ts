// The client in a browser, as docs/client.md says: the page's own server relays to the gateway and adds the token.
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { assert, describe, it } from "vitest"
import { chromiumPath, openBrowser } from "../support/chromium.js"
import { kindsOf, onGateway, request } from "./onGateway.js"

const folder = fileURLToPath(new URL("../../src/client/", import.meta.url))

/** The modules of the client as JavaScript, each as it stands: nothing is bundled, so nothing else can be needed. */
const modules = new Map(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [
      `/client/${name.replaceAll("\\", "/").replace(/ts$/, "js")}`,
      ts.transpileModule(readFileSync(`${folder}${name}`, "utf8"), {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
      }).outputText
    ])
)

const onPageServer = async (gateway: string, token: string, use: (url: string) => Promise<void>) => {
  const server = createServer(async (incoming, answer) => {
    const { headers, method = "GET", url = "/" } = incoming
    const module = modules.get(url)
    if (module !== undefined) return void answer.writeHead(200, { "content-type": "text/javascript" }).end(module)
    if (!url.startsWith("/gateway/"))
      return void answer.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Page</title>")
    const chunks: Array<Buffer> = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const relayed = await fetch(gateway + url.slice("/gateway".length), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(headers["content-type"] === undefined ? {} : { "content-type": headers["content-type"] }),
        ...(headers["idempotency-key"] === undefined ? {} : { "idempotency-key": String(headers["idempotency-key"]) })
      },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
    })
    answer.writeHead(relayed.status, { "content-type": "application/json" }).end(await relayed.text())
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

describe.skipIf(chromiumPath === null)("the client in Chromium (skipped where there is no Chromium)", () => {
  it(
    "runs once through a lost answer, reads lists, tells failures, and checks webhooks",
    () =>
      onGateway({}, ({ direct, gateway, proxy, token }) =>
        onPageServer(proxy.url, token, async (url) => {
          const browser = await openBrowser()
          try {
            const page = await browser.newPage()
            await page.goto(url)
            proxy.next({ fault: "replace_answer", status: 504, body: "<h1>Gateway Timeout</h1>" })
            const seen: unknown = await page.evaluate(`(async () => {
            const { createClient, isGatewayFailure, verifyWebhook } = await import("/client/index.js")
            const gateway = createClient({ baseUrl: "/gateway", token: null })
            const run = await gateway.run(${JSON.stringify(request)})
            const listed = []
            for await (const { runId } of gateway.runs.list()) listed.push(runId === run.runId)
            const failed = await gateway.run({ endpointId: "no-such-thing", input: {} }).catch((failure) => failure)
            const other = createClient({ baseUrl: ${JSON.stringify(proxy.url)}, token: "pgw_x", retryForMillis: 0 })
            const elsewhere = await other.balance().catch((failure) => failure)
            const webhook = await verifyWebhook({
              "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
              "webhook-timestamp": "1614265330",
              "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
            }, '{"test": 2432232314}', "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", { toleranceSeconds: 1e10 })
            return [
              run.outcome, listed, isGatewayFailure(failed), failed.kind, failed.code, elsewhere.kind, webhook.payload
            ]
          })()`)
            assert.deepStrictEqual(seen, [
              "hit",
              [true],
              true,
              "run_failed",
              "endpoint_not_found",
              "unreachable",
              { test: 2432232314 }
            ])
            assert.strictEqual(gateway.calls().length, 1)
            assert.deepStrictEqual(await kindsOf(direct), ["hold", "release", "charge"])
          } finally {
            await browser.close()
          }
        })
      ),
    120_000
  )
})
