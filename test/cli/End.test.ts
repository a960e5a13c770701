/** What a command says that does not do what was asked: a line for people, and with `--json` a document as well. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StorageBusy } from "../../src/domain/StorageErrors.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { Accounts } from "../../src/services/Accounts.js"
import { cli, CommandLineTest, type Typed } from "./commandLine.js"

const nobody = "0".repeat(26)
const failing =
  (workspaces: Effect.Effect<never, StorageBusy>): NonNullable<Typed["between"]> =>
  (services) =>
    Context.add(services, Accounts, { ...Context.get(services, Accounts), workspaces })

layer(CommandLineTest, { excludeTestServices: true })("a command that is refused", (it) => {
  const refusals: ReadonlyArray<readonly [line: string, exitCode: number, code: string, typed?: Typed]> = [
    ["workspace list more", 2, "not_understood"],
    ["workspace", 2, "not_understood"],
    [`workspace set ws_${nobody}`, 1, "not_found"],
    ["workspace set nobody", 1, "no_such_workspace"],
    ["provider state huntr enabled", 1, "validation_error"],
    ["workspace list", 1, "storage_busy", { between: failing(new StorageBusy({ retryAfterSeconds: 1 })) }],
    ["workspace list", 1, "internal_error", { between: failing(Effect.die("a mistake")) }]
  ]
  for (const [line, exitCode, code, typed] of refusals)
    it.effect(`${line} says ${code} in one document with --json, and the same words without`, () =>
      Effect.gen(function* () {
        const plain = yield* cli(line, typed)
        assert.deepStrictEqual([plain.code, plain.out, plain.err.length], [exitCode, [], 1])
        const forPrograms = yield* cli(`${line} --json`, typed)
        assert.deepStrictEqual([forPrograms.code, forPrograms.out.length], [exitCode, 1])
        assert.deepStrictEqual(forPrograms.err, plain.err)
        assert.deepInclude(JSON.parse(forPrograms.out.join("")).error, { code, message: plain.err.join("") })
      })
    )

  it.effect("names the fields that are wrong as they are typed", () =>
    Effect.gen(function* () {
      const { out } = yield* cli("provider state huntr enabled --json")
      const { details } = JSON.parse(out.join("")).error
      assert.deepStrictEqual(
        details.map(({ field }: { readonly field: string }) => field),
        ["PROVIDER"]
      )
    })
  )

  it.scoped("has the code with which a gateway refuses it", () =>
    Effect.gen(function* () {
      const error = { code: "token_revoked", message: "The token is revoked.", retryable: false, retryHint: "" }
      const server = createServer((_, response) =>
        response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ error }))
      )
      const url = `http://127.0.0.1:${yield* listenLocally(server)}`
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-cli-end-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true }))
      )
      mkdirSync(join(folder, "provider-gateway"))
      const logins = { current: url, tokens: { [url]: "a token" } }
      writeFileSync(join(folder, "provider-gateway", "logins.json"), JSON.stringify(logins))
      const { code, out } = yield* cli("whoami --json", { settings: { XDG_CONFIG_HOME: folder } })
      assert.strictEqual(code, 1)
      assert.deepInclude(JSON.parse(out.join("")).error, { code: "token_revoked" })
    })
  )
})
