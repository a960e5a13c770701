/** Short form of `npm run chaos storage`: a Postgres of its own is stopped, crashed and cut off. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { storage } from "../../chaos/attacks/Storage.js"
import { acquireOwnPostgres } from "../../chaos/stage/OwnPostgres.js"
import { acquireStage } from "../../chaos/stage/Stage.js"
import { assertClean, program } from "./stage.js"

describe("a database that fails under load", () => {
  it.live(
    "is answered with storage troubles only, ends no process, and is worked with again within five seconds of its return",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const postgres = yield* acquireOwnPostgres
          const stage = yield* acquireStage(postgres.url, yield* program("storage"))
          assertClean(
            yield* storage(stage, postgres, { clients: 8, awaySeconds: 2, massacres: 3, cuts: 1, lockSeconds: 4 })
          )
        })
      ),
    240_000
  )
})
