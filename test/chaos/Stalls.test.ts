/**
 * Short forms of what happens to nodes that stand still, whose clocks are wrong, that a run kills, or that are
 * replaced; `npm run chaos` has the long ones.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clocks } from "../../chaos/attacks/Clocks.js"
import { poison } from "../../chaos/attacks/Poison.js"
import { restarts } from "../../chaos/attacks/Restarts.js"
import { restores } from "../../chaos/attacks/Restores.js"
import { stalls } from "../../chaos/attacks/Stalls.js"
import { acquireOwnPostgres } from "../../chaos/stage/OwnPostgres.js"
import { acquireStage } from "../../chaos/stage/Stage.js"
import { assertClean, attacked, program } from "./stage.js"

describe("a node that stands still", () => {
  it.live(
    "beside a healthy one loses time and no certainty: every answered call ends its run",
    () =>
      attacked("stalls", (stage) =>
        Effect.flatMap(stalls(stage, { seconds: 11, runs: 8 }), (rows) => {
          assertClean(rows)
          return Effect.succeed(rows[0]!)
        })
      ),
    180_000
  )
})

describe("nodes whose clocks are wrong", () => {
  it.live(
    "lose no run to each other, and say that they are not ready",
    () => attacked("stalls", (stage) => clocks(stage, { runs: 24 })),
    240_000
  )
})

describe("a run that ends its nodes", () => {
  it.live("is set apart after the second, and nobody else suffers", () => attacked("stalls", poison), 180_000)
})

describe("nodes that are replaced under load", () => {
  it.live(
    "reset and refuse no request",
    () => attacked("stalls", (stage) => restarts(stage, { restarts: 2, clients: 4 })),
    240_000
  )
})

describe("a database that fails over to an older copy", () => {
  it.live(
    "makes nobody call again for what waited in it",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const postgres = yield* acquireOwnPostgres
          const stage = yield* acquireStage(postgres.url, yield* program("stalls"))
          assertClean([yield* restores(stage, postgres, { queued: 8 })])
        })
      ),
    180_000
  )
})
