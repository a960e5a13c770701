// The examples work: each one is run here against a whole gateway, so that none of them can rot.
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect, Either } from "effect"
import { assert, describe, it } from "vitest"
import { findEmail } from "../../examples/client.js"
import { createClient } from "../../src/client/index.js"
import { decodeCatalog } from "../../src/layers/catalog/ManifestReading.js"
import { lintCatalog } from "../../src/layers/catalog/CatalogLint.js"
import { commandFrom, welcome } from "../../src/layers/accounts/DemoWorkspace.js"
import { fail, failures, hit, type Listening, miss, testGateway, type TestGatewayOptions } from "../../src/testing.js"
import { root } from "../support/program.js"
import "../../examples/test-with-effect.test.js"
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

const clientOf = ({ token, url }: Pick<Listening, "token" | "url">) => createClient({ baseUrl: url, token })

describe("examples/client.ts", () => {
  const found = (options: TestGatewayOptions) =>
    withGateway(options, (listening) => findEmail(clientOf(listening), "Ada Example", "example.com"))
  const nobody = { "mock-email-find": miss(), "mock-slow-email-find": miss() }

  it("finds an address, and says what it cost", async () => {
    const one = hit({ found: true, email: "ada@example.com", status: "deliverable" })
    assert.deepStrictEqual(await found({ providers: { "mock-email-find": one } }), {
      text: "ada@example.com (hit); it cost 0.005 dollars",
      failed: false
    })
    assert.deepStrictEqual(await found({ providers: nobody }), {
      text: "Nobody knows the address of Ada Example; it cost 0 dollars",
      failed: false
    })
  })

  // Started as its first lines say it is in test/docs/Installed.test.ts, by the package that was built.
  it("prints what it finds when it is started, and ends with an error when a token is refused", () =>
    withGateway({}, async ({ token, url }) => {
      const program = join(root, "node_modules", ".bin", "vite-node")
      const args = ["--config", join(root, "vitest.config.ts"), "--script", example("client.ts")]
      const started = (given: string) =>
        promisify(execFile)(program, args, { env: { ...process.env, GATEWAY_URL: url, GATEWAY_TOKEN: given } })
      assert.match((await started(token)).stdout, /^\S+@example\.com \(hit\); it cost 0\.005 dollars\n$/)
      const { code, stdout } = (await rejection(started("pgw_other"))) as {
        readonly code: number
        readonly stdout: string
      }
      assert.strictEqual(code, 1)
      assert.match(stdout, /^\S.*[Tt]oken.*\n$/)
    }))

  it("tells a refusal, a failed run and a missing gateway apart", async () => {
    const refused = await found({ usd: 0 })
    assert.match(refused.text, /^The balance is too low by \d+ micros$/)
    assert.isTrue(refused.failed)
    const wrong = fail(new failures.ProviderReportedError())
    assert.deepStrictEqual(await found({ providers: { "mock-email-find": wrong, "mock-slow-email-find": wrong } }), {
      text: "provider_reported_error, which is the fault of the provider",
      failed: true
    })
    const { url } = await withGateway({}, async (listening) => listening)
    const gone = createClient({ baseUrl: url, token: "pgw_x", retryForMillis: 0 })
    const unreached = await findEmail(gone, "Ada Example", "example.com")
    assert.match(unreached.text, /^No answer came from .* Check the base URL/)
    assert.isTrue(unreached.failed)
  })
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
        const contract = await clientOf({ url, token }).inspect(id)
        ran(await pasted(contract.usageHints.curl, { GATEWAY_URL: url, GATEWAY_TOKEN: token }))
      }
    })
  )

  it.runIf(hasCurl)("of the welcome does too", () =>
    withGateway({}, async ({ token, url }) => {
      const place = mkdtempSync(join(tmpdir(), "gateway welcome-"))
      try {
        writeFileSync(join(place, "dev-token"), `${token}\n`)
        const text = welcome(url, join(place, "dev-token"), "gateway")
        ran(await pasted(text.slice(text.indexOf("curl")), {}))
        const command = commandFrom(
          [
            ["GATEWAY_DATA_DIR", place],
            ["PORT", "1"]
          ],
          "/bin/sh -c 'echo $GATEWAY_DATA_DIR $PORT'"
        )
        assert.include((await pasted(command, {})).stdout, `${place} 1`)
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
      const run = await clientOf(listening).run({ endpointId: "catfacts-fact", input: { max_length: 140 } })
      assert.deepStrictEqual([run.outcome, run.pricing.finalChargeMicros], ["hit", 0])
    }))
})
