import { Agent, createServer, request as ask } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tellAllResponses } from "../../../src/http/serving/HangUps.js"
import { listen } from "../../../src/http/serving/Listening.js"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

describe("a connection", () => {
  it.scopedLive("keeps no response that has been answered, while it stays open", () =>
    Effect.gen(function* () {
      const server = createServer()
      tellAllResponses(server)
      const responses: Array<WeakRef<object>> = []
      server.on("request", (_request, response) => {
        responses.push(new WeakRef(response))
        response.end("x")
      })
      const { port } = yield* listen(server, { host: "127.0.0.1", port: 0 })
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
        (made) => Effect.sync(() => made.destroy())
      )
      const answered = Effect.async<boolean>((resume) => {
        const asked = ask({ port, host: "127.0.0.1", agent }, (answer) => {
          answer.resume()
          answer.once("end", () => resume(Effect.succeed(asked.reusedSocket)))
        })
        asked.end()
      })
      const reused: Array<boolean> = []
      for (let count = 0; count < 3; count++) reused.push(yield* answered)
      assert.deepStrictEqual(reused, [false, true, true])
      collectGarbage()
      // The parser of the connection knows its newest request.
      assert.deepStrictEqual(
        responses.slice(0, 2).map((each) => each.deref()),
        [undefined, undefined]
      )
    })
  )
})
