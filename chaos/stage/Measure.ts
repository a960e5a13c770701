/**
 * What a stretch of work cost the process that did it: the longest stall of its event loop and the peak of its memory.
 * Asked for over the channel between a node and its test, because only the process itself can see this. A stall is
 * measured in processor time of the main thread from one turn of the loop to the next, so that other programs on the
 * machine do not count; where that is not known, in time.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"

export interface Cost {
  readonly stallMillis: number
  readonly peakBytes: number
}

const isLinux = existsSync("/proc/thread-self/schedstat")

const spentMillis = (): number =>
  isLinux ? Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 1)[0]) / 1e6 : performance.now()
/** Zero where it is not known. */
const peakBytes = (): number =>
  isLinux ? Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024 : 0
const forgetPeak = (): void => {
  if (isLinux) writeFileSync("/proc/self/clear_refs", "5")
}

/** Answers `begin` and `end` from the parent process; does nothing in a process without one. */
export const answerMeasurements = (): void => {
  const send = process.send?.bind(process)
  if (send === undefined) return
  let stallMillis = 0
  let spentBefore = 0
  let bytesBefore = 0
  let turning: NodeJS.Timeout | null = null
  const turn = (): void => {
    const spent = spentMillis()
    stallMillis = Math.max(stallMillis, spent - spentBefore)
    spentBefore = spent
    turning = setTimeout(turn, 1)
  }
  const begin = (): void => {
    forgetPeak()
    bytesBefore = peakBytes()
    stallMillis = 0
    spentBefore = spentMillis()
    turn()
    send({ began: true })
  }
  const end = (): void => {
    if (turning !== null) clearTimeout(turning)
    send({ stallMillis, peakBytes: peakBytes() - bytesBefore } satisfies Cost)
  }
  process.on("message", (asked) => {
    if (asked === "begin") globalThis.gc?.()
    // In another turn of the loop: what comes before it is no part of the work, and the work's last turn is.
    setTimeout(asked === "begin" ? begin : end, 5)
  })
  process.channel?.unref()
}
