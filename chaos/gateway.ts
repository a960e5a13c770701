/**
 * One node under attack: the gateway of `layers/compose/Main.ts` with a catalog of fixtures only (GATEWAY_CATALOG),
 * because it is started hundreds of times. Says its port in one line once it serves, and ends when its standard input
 * does, so that it never outlives its test.
 */
import { ServerAddress } from "../src/http/serving/Listening.js"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Logger, LogLevel } from "effect"
import { readCatalog } from "../src/layers/catalog/CatalogFiles.js"
import { readConfig } from "../src/layers/node/Config.js"
import { Gateway } from "../src/layers/compose/Main.js"
import { CatalogPublisher } from "../src/services/CatalogPublisher.js"
import { answerMeasurements } from "./stage/Measure.js"

/** A node whose clock is off by so much; its timers are not. */
const skew = Number(process.env["CHAOS_CLOCK_SKEW_MILLIS"] ?? 0)
if (skew !== 0) {
  const real = Date
  const now = () => real.now() + skew
  globalThis.Date = new Proxy(real, {
    construct: (target, given: Array<never>) =>
      given.length === 0 ? new target(now()) : (Reflect.construct(target, given) as Date),
    get: (target, name): unknown => (name === "now" ? now : Reflect.get(target, name))
  })
}

const started = Layer.unwrapEffect(
  Effect.map(readConfig, (config) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const { port } = yield* ServerAddress
        yield* Console.log(JSON.stringify({ port }))
      })
    ).pipe(
      Layer.provide(
        Gateway(
          config,
          Layer.effectDiscard(
            Effect.gen(function* () {
              yield* (yield* CatalogPublisher).publish(yield* readCatalog(config.catalogFolders))
            })
          )
        )
      )
    )
  )
)

answerMeasurements()

const inputEnded = Effect.async((resume: (ended: Effect.Effect<void>) => void) => {
  process.stdin.once("close", () => resume(Effect.void)).resume()
  // `block 30000` lets nothing else run on this thread for so many milliseconds. It waits, and leaves the processor to
  // the others.
  process.stdin.on("data", (text) => {
    const millis = Number(/block (\d+)/.exec(String(text))?.[1] ?? 0)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
  })
})

Layer.launch(started).pipe(
  Effect.raceFirst(inputEnded),
  Effect.provide(NodeContext.layer),
  Effect.tapErrorCause((cause) => Effect.logFatal("The gateway could not start", cause)),
  Effect.provide(Logger.json),
  Logger.withMinimumLogLevel(LogLevel.Info),
  (program) => NodeRuntime.runMain(program, { disableErrorReporting: true, disablePrettyLogger: true })
)
