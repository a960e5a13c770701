/** Attacks end, and say so, where a gateway neither answers nor starts; and each row has its own findings. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { insist } from "../../chaos/stage/Client.js"
import { makeFindings, makeFindingsInTurns } from "../../chaos/stage/Findings.js"
import { startNode } from "../../chaos/stage/Nodes.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"

describe("an attack on a gateway", () => {
  it.scoped("that never answers notes it, and goes on", () =>
    Effect.gen(function* () {
      const findings = makeFindings()
      const silent = createServer()
      const port = yield* listenLocally(silent, 0)
      const node = { origin: `http://127.0.0.1:${port}`, isAlive: () => true }
      const asking = yield* Effect.fork(insist(findings, () => [node], { token: "t", body: {}, key: "k", wait: 0 }))
      yield* TestClock.adjust("3 minutes")
      assert.strictEqual((yield* Fiber.join(asking)).httpStatus, 0)
      assert.match(findings.list().join(), /no answer in 180 s/)
    })
  )

  it.scoped("whose node neither serves nor ends notes it", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-silent-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const program = join(folder, "silent.mjs")
      writeFileSync(program, "setInterval(() => {}, 1_000)")
      const findings = makeFindings()
      const starting = yield* Effect.fork(
        Effect.scoped(
          startNode({ program, databaseUrl: "", fixtureOrigin: "", catalog: folder, dataDir: folder, findings })
        )
      )
      yield* TestClock.adjust("60 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.join(starting)))
      assert.deepStrictEqual(findings.list(), ["a node did not serve within 60 seconds"])
    })
  )

  it("in several turns has the findings of each turn by themselves", () => {
    const { findings, take } = makeFindingsInTurns()
    findings.note("first")
    assert.deepStrictEqual(take(), ["first"])
    findings.hold(false, "second")
    assert.deepStrictEqual(take(), ["second"])
    assert.deepStrictEqual(take(), [])
  })
})
