/**
 * The standing test of the front door, against a real gateway process: a part of the worst shapes to every route; `npm
 * run chaos` sends all of them.
 */
import { it } from "@effect/vitest"
import { worstShapes } from "../../chaos/attacks/WorstShapes.js"
import { attacked } from "./stage.js"

it.live(
  "no request holds up the event loop for 50 ms or takes 50 MB, whatever its shape, on any route, with a token or without",
  () => attacked("worst-shapes", (stage) => worstShapes(stage, { every: 30 })),
  180_000
)
