/** Commands for keys of providers, connections and the state of a provider. */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { cli, CommandLine, json } from "./commandLine.js"
import { type CommandTests, nobody, workspace, temporary, batManifest } from "./CommandStage.js"

export const keyCommands = (it: CommandTests): void => {
  it.effect("announces of a rotation only what it can do, and ends as a dry run as it ends without", () =>
    Effect.gen(function* () {
      const sealed = (id: string) => `${id}:${Buffer.alloc(32, id).toString("base64")}`
      const [k1, both] = [sealed("k1"), `${sealed("k2")},${sealed("k1")}`].map((keys) => ({
        settings: { GATEWAY_SEALING_KEYS: keys }
      }))
      assert.strictEqual((yield* cli("key set hunter", { input: "sk-canary-0123456789", ...both })).code, 0)
      const foreseen = yield* cli("secrets rotate --dry-run", k1)
      assert.deepStrictEqual(foreseen, {
        code: 1,
        out: [
          "Seals 0 secrets anew under the key k1\nLeaves 1 secret as it is: sealed under a key that is not in GATEWAY_SEALING_KEYS\nNothing was changed (--dry-run)"
        ],
        err: []
      })
      const done = yield* cli("secrets rotate", k1)
      assert.deepStrictEqual(
        [done.code, done.out],
        [1, ["0 secrets sealed anew; left 1 secret as it is: sealed under a key that is not in GATEWAY_SEALING_KEYS"]]
      )
      assert.strictEqual((yield* cli("key remove hunter", both)).code, 0)
    })
  )

  it.effect("sets, lists and removes keys without ever showing one", () =>
    Effect.gen(function* () {
      const secret = "sk-canary-0123456789"
      const set = yield* cli("key set hunter --json", { input: secret })
      const list = yield* cli("key list --json")
      const plain = yield* cli("key list")
      assert.deepStrictEqual(JSON.parse(set.out.join("")), { providerId: "hunter", set: true })
      const [key] = JSON.parse(list.out.join("")).keys
      assert.strictEqual(key.providerId, "hunter")
      assert.match(key.sealedWith, /^local-[0-9a-f]{8}$/)
      assert.notInclude(JSON.stringify([set, list, plain]), "canary")
      const { services } = yield* CommandLine
      const kept = yield* Effect.flatMap(PlatformKeys, (keys) => keys.use("hunter")).pipe(Effect.provide(services))
      assert.strictEqual(kept === null ? null : Redacted.value(kept.secret), secret)
      assert.deepStrictEqual(yield* json("secrets rotate"), { resealed: 0, unreadable: 0 })
      yield* json("key remove hunter")
      const again = yield* cli("key remove hunter")
      assert.deepStrictEqual(again, { code: 1, out: [], err: ["No platform key with the id hunter"] })
      const empty = yield* cli("key set hunter", { input: "" })
      assert.strictEqual(empty.code, 1)
      assert.lengthOf(empty.err, 1)
      assert.include(empty.err[0], "is read from standard input, which was empty")
      for (const [provider, form] of [
        ["twilio", "user:password"],
        ["snov", "client_id:client_secret"]
      ] as const) {
        const malformed = yield* cli(`key set ${provider}`, { input: secret })
        assert.deepStrictEqual(malformed, { code: 1, out: [], err: [`secret: must have the form ${form}`] })
      }
      assert.deepStrictEqual((yield* json("key list"))["keys"], [])
    })
  )

  it.effect("makes, lists and deletes connections of a workspace", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const made = yield* json(
        ["connection", "create", "--workspace", id, "--provider", "hunter", "--label", "our account"],
        { input: "sk-canary-1" }
      )
      assert.deepInclude(made, { providerId: "hunter", label: "our account", expiresAt: null })
      assert.deepStrictEqual((yield* json(`connection list --workspace ${id}`))["connections"], [made])
      assert.deepStrictEqual(yield* json(`connection delete ${made["connectionId"]} --workspace ${id}`), {
        connectionId: made["connectionId"],
        deleted: true
      })
      assert.deepStrictEqual(yield* json(`connection list --workspace ${id}`), { connections: [] })
      const stranger = yield* cli(`connection create --workspace ws_${nobody} --provider hunter --label x`, {
        input: "sk-canary-2"
      })
      assert.deepStrictEqual(stranger, { code: 1, out: [], err: [`No workspace with the id ws_${nobody}`] })
    })
  )

  it.effect("sets the state of a provider", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* json("provider state hunter draining"), { providerId: "hunter", state: "draining" })
      const wrong = yield* cli("provider state hunter off")
      assert.strictEqual(wrong.code, 2)
      assert.match(wrong.err.join("\n"), /^[^\n]*enabled[^\n]*$/)
    })
  )

  it.effect(
    "refuses a provider that nobody knows with close names, and keeps nothing under it",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const id = yield* workspace
          for (const [line, typed] of [
            ["key set huntr", "PROVIDER"],
            ["provider state huntr disabled", "PROVIDER"],
            [`connection create --workspace ${id} --provider huntr --label x`, "--provider"]
          ] as const) {
            const { code, err, out } = yield* cli(line, { input: "sk-canary-3" })
            assert.deepStrictEqual([code, out], [1, []], line)
            assert.match(
              err.join("\n"),
              new RegExp(`^${typed}: huntr is no provider of the catalog; did you mean hunter[^\n]*\\?$`),
              line
            )
          }
          assert.deepStrictEqual(
            (yield* json("key list"))["keys"].filter(
              ({ providerId }: { providerId: string }) => providerId === "huntr"
            ),
            []
          )
          assert.deepStrictEqual(yield* json(`connection list --workspace ${id}`), { connections: [] })
        })
      ),
    60_000
  )

  it.effect(
    "refuses a key for a provider that takes none, and still takes back what was set for one that is gone",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* temporary
          mkdirSync(join(place, "providers"))
          const keyless = "is called without a key"
          const own = "takes no key of the gateway, because its manifest says platformKey: false: "
          const unsupported = "wants its key as a client certificate, which "
          const refusals = [
            ["keyless", "", keyless],
            ["own", "auth: { type: bearer }\nplatformKey: false", own],
            ["unsupported", "auth: { type: unsupported, placement: a client certificate }", unsupported]
          ] as const
          for (const [name, changes] of [["", "auth: { type: bearer }"], ...refusals] as const)
            writeFileSync(
              join(place, "providers", `bats${name}.yaml`),
              batManifest
                .replace("operations:", `${changes}\noperations:`)
                .replaceAll(/^(\s*(?:- )?id: \S+)/gm, `$1${name}`)
            )
          yield* json(["catalog", "publish", place])
          yield* json("provider state bats disabled")
          for (const [name, , why] of refusals) {
            const { code, err } = yield* cli(`key set bats${name}`, { input: "sk-canary-4" })
            assert.strictEqual(code, 1)
            assert.isTrue(err.join("\n").startsWith(`PROVIDER: ${why}`), err.join("\n"))
          }
          yield* json("key set bats", { input: "sk-canary-4" })
          yield* json("catalog withdraw")
          yield* json("key remove bats")
          yield* json("provider state bats enabled")
          assert.strictEqual((yield* cli("provider state bats disabled")).code, 1)
        })
      ),
    180_000
  )
}
