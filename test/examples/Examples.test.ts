// The examples work: each one is run here against a whole gateway, so that none of them can rot.
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect, Either } from "effect"
import { assert, describe, it } from "vitest"
import { gatewayClient, GatewayRefusal, RunFailed } from "../../examples/client.js"
import { decodeCatalog } from "../../src/layers/catalog/ManifestReading.js"
import { lintCatalog } from "../../src/layers/catalog/CatalogLint.js"
import { welcome } from "../../src/layers/accounts/DemoWorkspace.js"
import {
  drop,
  fail,
  failures,
  hit,
  type Listening,
  miss,
  testGateway,
  type TestGatewayOptions
} from "../../src/testing.js"
import "../../examples/test-with-scripted-providers.test.js"

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
const hasCurl = spawnSync("curl", ["--version"]).status === 0

const withGateway = async <A>(options: TestGatewayOptions, work: (listening: Listening) => Promise<A>): Promise<A> => {
  const listening = await testGateway(options).listen()
  try {
    return await work(listening)
  } finally {
    await listening.close()
  }
}
const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => assert.fail("it was not rejected"),
    (error: unknown) => error
  )

const request = { endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } }

describe("examples/curl.sh", () => {
  it.skipIf(!hasCurl)("goes from the first run to the ledger", () =>
    withGateway({}, async ({ token, url }) => {
      const { stdout } = await promisify(execFile)("bash", [example("curl.sh")], {
        env: { ...process.env, GATEWAY_URL: url, GATEWAY_TOKEN: token }
      })
      const [run, again, attempts, balance, ledger] = stdout
        .split(/^== .*\n/m)
        .slice(1)
        .map((text) => JSON.parse(text))
      assert.deepStrictEqual([run.status, run.replayed, again.replayed], ["completed", false, true])
      assert.strictEqual(again.runId, run.runId)
      assert.strictEqual(attempts.attempts.length, 1)
      assert.strictEqual(balance.availableMicros, 100_000_000 - run.pricing.finalChargeMicros)
      assert.deepStrictEqual(
        ledger.entries.map(({ kind }: { readonly kind: string }) => kind),
        ["charge", "release", "hold"]
      )
    })
  )

  it.skipIf(!hasCurl)("ends at once, with an error, where the gateway refuses", () =>
    withGateway({ usd: 0 }, async ({ token, url }) => {
      const error = await rejection(
        promisify(execFile)("bash", [example("curl.sh")], {
          env: { ...process.env, GATEWAY_URL: url, GATEWAY_TOKEN: token }
        })
      )
      const { code, stdout } = error as { readonly code: number; readonly stdout: string }
      assert.notStrictEqual(code, 0)
      assert.deepStrictEqual(stdout.match(/^== .*$/gm), ["== run"])
    })
  )
})

describe("examples/client.ts", () => {
  it("gives a completed run, a miss included", () =>
    withGateway(
      {
        providers: {
          "mock-email-find": [hit({ found: true, email: "ada@example.com", status: "deliverable" }), miss()]
        }
      },
      async (listening) => {
        const client = gatewayClient(listening)
        assert.strictEqual((await client.run(request)).normalized?.fields["email"], "ada@example.com")
        assert.strictEqual((await client.run(request)).outcome, "miss")
      }
    ))

  it("tells a refusal and a failed run apart", async () => {
    const refusal = await withGateway({ usd: 0 }, (listening) => rejection(gatewayClient(listening).run(request)))
    assert.instanceOf(refusal, GatewayRefusal)
    assert.deepStrictEqual([refusal.status, refusal.code], [402, "insufficient_balance"])
    const failed = await withGateway(
      { providers: { "mock-email-find": fail(new failures.ProviderReportedError()) } },
      (listening) => rejection(gatewayClient(listening).run(request))
    )
    assert.instanceOf(failed, RunFailed)
    assert.strictEqual(failed.run.error?.code, "provider_reported_error")
    const lost = await withGateway({ providers: { "mock-send-message": drop() } }, (listening) =>
      rejection(
        gatewayClient(listening).run({
          endpointId: "mock-send-message",
          input: { to: "ada@example.com", text: "hello" }
        })
      )
    )
    assert.instanceOf(lost, RunFailed)
    assert.strictEqual(lost.run.status, "reconciliation_pending")
  })

  it("waits as long as a 429 says, and then runs", () =>
    withGateway({ requestRate: { burst: 1, refillPerSecond: 1 } }, async (listening) => {
      const client = gatewayClient(listening)
      const runs = await Promise.all([client.run(request), client.run(request)])
      assert.deepStrictEqual(
        runs.map(({ status }) => status),
        ["completed", "completed"]
      )
    }))

  it("loses an answer, asks again with the same key, and is charged once", () =>
    withGateway({}, async ({ token, url }) => {
      let requests = 0
      // Hands the first request on, and drops its answer.
      const relay: RequestListener = async (incoming, outgoing) => {
        const chunks: Array<Buffer> = []
        for await (const chunk of incoming) chunks.push(chunk as Buffer)
        const { authorization, "content-type": type, "idempotency-key": key } = incoming.headers
        const answer = await fetch(`${url}${incoming.url}`, {
          method: incoming.method ?? "GET",
          headers: {
            authorization: String(authorization),
            "content-type": String(type),
            "idempotency-key": String(key)
          },
          body: Buffer.concat(chunks)
        })
        const text = await answer.text()
        if (requests++ === 0) return void incoming.socket.destroy()
        outgoing.writeHead(answer.status, { "content-type": "application/json" }).end(text)
      }
      const server = createServer((incoming, outgoing) => void relay(incoming, outgoing))
      await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))
      try {
        const run = await gatewayClient({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          token
        }).run(request)
        assert.deepStrictEqual([requests, run.status, run.replayed], [2, "completed", true])
        const { runs } = await gatewayClient({ url, token }).send<{ readonly runs: ReadonlyArray<unknown> }>(
          "GET",
          "/v1/runs"
        )
        assert.strictEqual(runs.length, 1)
      } finally {
        server.close()
      }
    }))
})

describe("a command to paste", () => {
  // `sh` is told to look nowhere but here: what a machine need not have is not there.
  const pasted = (command: string, more: Readonly<Record<string, string>>) => {
    const place = mkdtempSync(join(tmpdir(), "gateway-paste-"))
    const programs = execFileSync("sh", ["-c", "command -v curl; command -v date; command -v cat"], {
      encoding: "utf8"
    })
      .trim()
      .split("\n")
    for (const program of programs) symlinkSync(program, join(place, basename(program)))
    return promisify(execFile)("/bin/sh", ["-c", command], { env: { PATH: place, ...more } }).finally(() =>
      rmSync(place, { recursive: true })
    )
  }
  const ran = ({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }) => {
    const { outcome, status } = JSON.parse(stdout) as { readonly status: string; readonly outcome: string }
    assert.deepStrictEqual([status, outcome, stderr], ["completed", "hit", ""])
  }

  it.runIf(hasCurl)("of a contract runs with nothing but a POSIX shell, date and curl", () =>
    withGateway({}, async ({ token, url }) => {
      for (const id of ["mock-email-find", "job:people.email.find"]) {
        const contract = await gatewayClient({ url, token }).send<{ readonly usageHints: { readonly curl: string } }>(
          "GET",
          `/v1/operations/${encodeURIComponent(id)}`
        )
        ran(await pasted(contract.usageHints.curl, { GATEWAY_URL: url, GATEWAY_TOKEN: token }))
      }
    })
  )

  it.runIf(hasCurl)("of the welcome does too", () =>
    withGateway({}, async ({ token, url }) => {
      const place = mkdtempSync(join(tmpdir(), "gateway-welcome-"))
      try {
        writeFileSync(join(place, "dev-token"), `${token}\n`)
        const text = welcome(url, join(place, "dev-token"))
        ran(await pasted(text.slice(text.indexOf("curl")), {}))
      } finally {
        rmSync(place, { recursive: true })
      }
    })
  )
})

describe("examples/provider.yaml", () => {
  const text = readFileSync(example("provider.yaml"), "utf8")

  it("is sound, and its samples come out as it says", async () => {
    const content = Either.getOrThrow(
      decodeCatalog({ jobs: [], providers: [{ file: "provider.yaml", text }] }, { thorough: true })
    )
    assert.deepStrictEqual(
      content.endpoints.map(({ operation }) => Object.keys(operation.samples)),
      [["hit"]]
    )
    assert.deepStrictEqual(await Effect.runPromise(lintCatalog(content)), [])
  })

  it("runs", () =>
    withGateway({ manifests: [text] }, async (listening) => {
      const run = await gatewayClient(listening).run({ endpointId: "catfacts-fact", input: { max_length: 140 } })
      assert.deepStrictEqual([run.outcome, run.pricing.finalChargeMicros], ["hit", 0])
    }))
})
