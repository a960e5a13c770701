import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import { describe } from "vitest"
import {
  holdsMoney,
  isInflight,
  isSettledForWaiters,
  isTerminal,
  next,
  type RunEvent,
  runEvents,
  runStatuses
} from "../../src/domain/RunMachine.js"
import { RunStatus } from "../../src/domain/Run.js"

/** Written once more by hand from the contract: what is not here must not be possible. */
const allowed: ReadonlyMap<string, RunStatus> = new Map<string, RunStatus>([
  ["queued Claimed", "running"],
  ["queued Failed", "failed"],
  ["queued Cancelled", "failed"],
  ["running Completed", "completed"],
  ["running Failed", "failed"],
  ["running Cancelled", "failed"],
  ["running Uncertain", "reconciliation_pending"],
  ["reconciliation_pending ResolvedCharged", "completed"],
  ["reconciliation_pending ResolvedReleased", "failed"],
  ["reconciliation_pending AnsweredLate", "completed"],
  ["reconciliation_pending FailedLate", "failed"]
])

const pairs = runStatuses.flatMap((status) => runEvents.map((event): readonly [RunStatus, RunEvent] => [status, event]))

describe("RunMachine", () => {
  it("knows every status of the contract", () => {
    assert.sameMembers([...runStatuses], [...RunStatus.literals])
    assert.strictEqual(pairs.length, 54)
  })

  it.each(pairs)("%s and %s: exactly the transition of the contract, or none", (status, event) => {
    assert.strictEqual(Option.getOrUndefined(next(status, event)), allowed.get(`${status} ${event}`))
  })

  it("a final status is one that no event leaves", () => {
    for (const status of runStatuses) {
      assert.strictEqual(
        isTerminal(status),
        runEvents.every((event) => Option.isNone(next(status, event))),
        status
      )
    }
  })

  it("money is held exactly while the run can still change", () => {
    for (const status of runStatuses) assert.strictEqual(holdsMoney(status), !isTerminal(status), status)
  })

  it("a run that waits for a person takes no place in flight, and nobody waits for it", () => {
    assert.deepStrictEqual(runStatuses.filter(isInflight), ["queued", "running"])
    assert.deepStrictEqual(runStatuses.filter(isSettledForWaiters), [
      "completed",
      "failed",
      "blocked",
      "reconciliation_pending"
    ])
  })
})
