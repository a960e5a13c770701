/** The file of logins is changed by one program at a time: a token that it loses works on at its gateway. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, Redacted, TestClock } from "effect"
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { currentUrl, forgetLogin, keepLogin, tokenFor } from "../../src/cli/client/KeptLogins.js"
import { temporaryFolder } from "../support/folders.js"

const machine = Effect.map(temporaryFolder("logins-"), (folder) => ({
  folder: join(folder, "provider-gateway"),
  settings: Layer.merge(
    NodeFileSystem.layer,
    Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["XDG_CONFIG_HOME", folder]])))
  )
}))
const urlOf = (number: number): string => `https://gateway-${number}.test`
const tokenOf = (number: number): Redacted.Redacted => Redacted.make(`token-${number}`)

it.scopedLive("twenty logins and logouts at once lose none of each other", () =>
  Effect.gen(function* () {
    const { folder, settings } = yield* machine
    yield* Effect.gen(function* () {
      yield* keepLogin(urlOf(20), tokenOf(20))
      yield* Effect.all(
        [
          forgetLogin(urlOf(20)),
          ...Array.from({ length: 20 }, (_, number) => keepLogin(urlOf(number), tokenOf(number)))
        ],
        { concurrency: "unbounded" }
      )
      for (let number = 0; number < 20; number += 1)
        assert.deepStrictEqual(yield* tokenFor(urlOf(number)), tokenOf(number))
      assert.isNull(yield* tokenFor(urlOf(20)))
    }).pipe(Effect.provide(settings))
    assert.deepStrictEqual(readdirSync(folder), ["logins.json"])
  })
)

it.scoped("what a program left behind that was killed is no obstacle, and what one holds is waited for", () =>
  Effect.gen(function* () {
    const { folder, settings } = yield* machine
    const lock = join(folder, "logins.json.lock")
    mkdirSync(folder)
    writeFileSync(lock, "")
    utimesSync(lock, 0, 0)
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      yield* passing(yield* Effect.fork(keepLogin(urlOf(1), tokenOf(1))))
      assert.isFalse(existsSync(lock))
      // The clock of the machine has been set back since.
      writeFileSync(lock, "")
      utimesSync(lock, Date.now() / 1_000 + 86_400, Date.now() / 1_000 + 86_400)
      yield* passing(yield* Effect.fork(keepLogin(urlOf(1), tokenOf(1))))
      assert.isFalse(existsSync(lock))
      writeFileSync(lock, "")
      const second = yield* Effect.fork(keepLogin(urlOf(2), tokenOf(2)))
      for (let times = 0; times < 50; times += 1) yield* Effect.zipRight(TestClock.adjust("100 millis"), turn)
      assert.isNull(second.unsafePoll())
      assert.strictEqual(yield* currentUrl, urlOf(1))
      rmSync(lock)
      yield* passing(second)
      assert.deepStrictEqual([yield* currentUrl, existsSync(lock)], [urlOf(2), false])
    }).pipe(Effect.provide(settings))
  })
)

/** The file system answers outside of the test's clock. */
const turn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
/** Lets time pass until the fiber has ended. */
const passing = <A, E>(fiber: Fiber.RuntimeFiber<A, E>) =>
  Effect.gen(function* () {
    while (fiber.unsafePoll() === null) yield* Effect.zipRight(TestClock.adjust("100 millis"), turn)
    return yield* Fiber.join(fiber)
  })
