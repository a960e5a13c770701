/** A short form of the attack with poisoned answers; `npm run chaos` makes ten thousand of them. */
import { it } from "@effect/vitest"
import { answers } from "../../chaos/attacks/Answers.js"
import { attacked } from "./stage.js"

it.live(
  "five hundred poisoned answers are each called for once, settled, and shown to the letter",
  () => attacked("answers", (stage) => answers(stage, { answers: 500, seed: 20 })),
  120_000
)
