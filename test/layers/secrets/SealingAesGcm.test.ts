import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Layer, Redacted } from "effect"
import { describe } from "vitest"
import {
  checkValueOf,
  parseSealingKeys,
  SealingAesGcm,
  sealingKeys
} from "../../../src/layers/secrets/SealingAesGcm.js"
import { Sealing } from "../../../src/services/Sealing.js"
import { sealingOf } from "../../services/Secrets.suite.js"

const secret = Redacted.make("clé 🔑")
const withConfig = (entries: ReadonlyArray<readonly [string, string]>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(entries)))
const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")

describe("SealingAesGcm", () => {
  it.effect("opens what it sealed, and seals the same secret differently every time", () =>
    Effect.gen(function* () {
      const sealing = yield* Sealing
      const [one, two] = [yield* sealing.seal(secret, "a"), yield* sealing.seal(secret, "a")]
      assert.notDeepEqual(one.bytes, two.bytes)
      assert.strictEqual(Redacted.value(yield* sealing.open(one, "a")), "clé 🔑")
      assert.strictEqual(Redacted.value(yield* sealing.open(two, "a")), "clé 🔑")
    }).pipe(Effect.provide(sealingOf("one", { one: 1 })))
  )

  it.effect("does not open what was changed, cut, meant for something else or sealed by another key", () =>
    Effect.gen(function* () {
      const sealing = yield* Sealing
      const sealed = yield* sealing.seal(secret, "a")
      for (let at = 0; at < sealed.bytes.length; at++) {
        const bytes = Uint8Array.from(sealed.bytes)
        bytes[at] = (bytes[at] ?? 0) ^ 1
        assert.strictEqual((yield* Effect.flip(sealing.open({ ...sealed, bytes }, "a")))._tag, "SealUnreadable")
      }
      for (const bytes of [new Uint8Array(), sealed.bytes.subarray(0, 20), sealed.bytes.subarray(0, -1)]) {
        assert.strictEqual((yield* Effect.flip(sealing.open({ ...sealed, bytes }, "a")))._tag, "SealUnreadable")
      }
      assert.strictEqual((yield* Effect.flip(sealing.open(sealed, "b")))._tag, "SealUnreadable")
      for (const keyId of ["two", "three"])
        assert.strictEqual((yield* Effect.flip(sealing.open({ ...sealed, keyId }, "a")))._tag, "SealUnreadable")
    }).pipe(Effect.provide(sealingOf("one", { one: 1, two: 2 })))
  )

  it("reads keys as id:base64, the first being the current one, and says what is wrong without showing a key", () => {
    const right = parseSealingKeys(`b:${key(2)}, a:${key(1)}`)
    assert.strictEqual(Either.isRight(right) && right.right.current, "b")
    assert.deepStrictEqual(Either.isRight(right) && [...right.right.byId.keys()], ["b", "a"])
    const short = Buffer.alloc(16, 7).toString("base64")
    for (const wrong of [
      "",
      "a",
      `:${key(1)}`,
      `a b:${key(1)}`,
      `a:${short}`,
      "a:not base64!",
      `a:${key(1)},a:${key(2)}`,
      `a:${key(1)},`
    ]) {
      const parsed = parseSealingKeys(wrong)
      assert.isTrue(Either.isLeft(parsed), wrong)
      assert.isFalse(Either.isLeft(parsed) && (parsed.left.includes(key(1)) || parsed.left.includes(short)))
    }
  })

  it.scoped("without configured keys a file with a key is made once, which only its owner can read", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const keyFile = `${yield* fs.makeTempDirectoryScoped()}/data/sealing-keys`
      const sealing = Effect.provide(Sealing, Layer.unwrapEffect(Effect.map(sealingKeys({ keyFile }), SealingAesGcm)))
      // Several programs that start at once.
      const [one, ...others] = yield* Effect.all(
        Array.from({ length: 5 }, () => sealing),
        { concurrency: 5 }
      )
      const sealed = yield* one!.seal(secret, "a")
      for (const other of others) assert.strictEqual(Redacted.value(yield* other.open(sealed, "a")), "clé 🔑")
      assert.strictEqual((yield* fs.stat(keyFile)).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* fs.readDirectory(keyFile.replace("/sealing-keys", "")), ["sealing-keys"])
    }).pipe(Effect.provide(Layer.merge(NodeContext.layer, withConfig([]))))
  )

  it.scoped("keys that two machines make for themselves have ids of their own", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const made = yield* Effect.all(
        [1, 2].map(() =>
          Effect.flatMap(fs.makeTempDirectoryScoped(), (folder) => sealingKeys({ keyFile: `${folder}/keys` }))
        )
      )
      assert.strictEqual(new Set(made.map(({ current }) => current)).size, 2)
    }).pipe(Effect.provide(Layer.merge(NodeContext.layer, withConfig([]))))
  )

  it.effect("configured keys win over a file, and without either the start fails naming the variable", () =>
    Effect.gen(function* () {
      const keysWith = (keyFile: string | null, config: ReadonlyArray<readonly [string, string]>) =>
        Effect.provide(sealingKeys({ keyFile }), withConfig(config))
      assert.strictEqual((yield* keysWith("/nowhere/keys", [["GATEWAY_SEALING_KEYS", `x:${key(1)}`]])).current, "x")
      assert.include(String(yield* Effect.flip(keysWith(null, []))), "GATEWAY_SEALING_KEYS")
      assert.include(String(yield* Effect.flip(keysWith(null, [["GATEWAY_SEALING_KEYS", "x:aGk="]]))), "32 bytes")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it("the check value of a key says whether it is the same key under the same id, and nothing else", () => {
    const value = (id: string, fill: number) => checkValueOf(id, Redacted.make(new Uint8Array(32).fill(fill)))
    assert.strictEqual(value("a", 1), value("a", 1))
    assert.lengthOf([...new Set([value("a", 1), value("a", 2), value("b", 1)])], 3)
    assert.notInclude(value("a", 1), Buffer.alloc(32, 1).toString("hex"))
  })
})
