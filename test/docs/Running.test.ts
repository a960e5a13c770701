// The numbers of docs/running.md are those of the program: the order of a job's providers, and what waits how long.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { cancelWaitSeconds, queueMillisMax } from "../../src/domain/limits/Runs.js"
import { inflightLimitDefault } from "../../src/domain/limits/Workspaces.js"
import { route } from "../../src/domain/Routing.js"
import { root } from "../support/program.js"

const page = readFileSync(join(root, "docs/running.md"), "utf8")
const numbersIn = (form: RegExp): ReadonlyArray<number> => (form.exec(page) ?? []).slice(1).map(Number)

describe("docs/running.md", () => {
  it("says how providers are weighed, so that a reader comes to the same figures", () => {
    const [success = 0, cheap = 0, fast = 0] = numbersIn(
      /([\d.]+) × success rate \+ ([\d.]+) × cheapness \+ ([\d.]+) × speed/
    )
    const [halfPriceUsd = 0] = numbersIn(/1 \/ \(1 \+ cost \/ ([\d.]+) dollars\)/)
    const [halfSpeedSeconds = 0] = numbersIn(/1 \/ \(1 \+ time \/ (\d+) s\)/)
    const [worked = 0] = numbersIn(/ten more calls of which (\d+) worked/)
    const [unknownSeconds = 0] = numbersIn(/That is (\d+) seconds while nobody/)
    assert.include(page, "Ten more calls are added, with the rate of the whole job")
    assert.include(page, "Ten more calls are added, with the mean time of the job")
    const known = { calls: 30, successes: 27, p50Ms: 500 }
    const [first, second] = route(
      [
        { endpointId: "known", mock: false, obstacle: 0, expectedMicros: 4_000, evidence: known },
        { endpointId: "new", mock: false, obstacle: 0, expectedMicros: 40_000, evidence: null }
      ],
      "balanced"
    )
    const rateOfJob = (known.successes + worked) / (known.calls + 10)
    const balanced = (rate: number, micros: number, millis: number) =>
      success * rate + cheap / (1 + micros / 1e6 / halfPriceUsd) + fast / (1 + millis / 1000 / halfSpeedSeconds)
    assert.approximately(
      first?.balanced ?? 0,
      balanced((known.successes + 10 * rateOfJob) / (known.calls + 10), 4_000, known.p50Ms),
      1e-9
    )
    assert.approximately(second?.balanced ?? 0, balanced(rateOfJob, 40_000, known.p50Ms), 1e-9)
    const [alone] = route([{ endpointId: "a", mock: false, obstacle: 0, expectedMicros: 0, evidence: null }], "fastest")
    assert.strictEqual(alone?.latencyMs, unknownSeconds * 1000)
  })

  it("says how long a cancel waits, how long a run may be queued, and how many may be in flight", () => {
    assert.include(page, `waits up to ${cancelWaitSeconds} seconds for a call to be aborted`)
    assert.include(page, `After ${queueMillisMax / 60_000} minutes there it fails`)
    assert.include(page, `may have ${inflightLimitDefault} runs in flight`)
  })
})
