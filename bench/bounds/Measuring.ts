/**
 * Measures one case in this process: how long the event loop stood still, and how far the memory grew. As long as it
 * does, this process works; so of the time by the clock only so much counts as a busy machine gave to this process.
 */

export interface Measured {
  readonly stallMillis: number
  readonly memoryMegabytes: number
  readonly totalMillis: number
  /** What became of it, in a few words: a case that is refused at once proves little. */
  readonly endedAs: string
}

/** A loop of plain JavaScript, the best of several rounds, in milliseconds. */
export const calibrate = (): number => {
  let best = Infinity
  for (let round = 0; round < 15; round += 1) {
    const started = performance.now()
    let state = 1
    for (let step = 0; step < 20_000_000; step += 1) state = (Math.imul(state, 1_103_515_245) + 12_345) | 0
    if (state === 0) throw new Error("the calibration was optimised away")
    best = Math.min(best, performance.now() - started)
  }
  return best
}

/** The CPU time of this process, in milliseconds. */
const worked = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

const pause = (): Promise<void> => new Promise((done) => void setTimeout(done, 5))

/** A round that takes longer says enough. */
const roundMillisMax = 1_000

/**
 * Runs it so often, and once where it takes long. The memory counts in the first round alone: later ones find a warm
 * process.
 */
export const measure = async (rounds: number, run: () => Promise<string>): Promise<Measured> => {
  let stallMillis = Infinity
  let totalMillis = Infinity
  let endedAs = ""
  let memoryMegabytes = 0
  for (let round = 0; round < rounds && (round === 0 || totalMillis < roundMillisMax); round += 1) {
    globalThis.gc?.()
    await pause()
    const before = process.memoryUsage().rss
    const highest = process.resourceUsage().maxRSS * 1024
    let peak = before
    let last = performance.now()
    let lastWorked = worked()
    let longest = 0
    const tick = (): void => {
      const now = performance.now()
      const nowWorked = worked()
      longest = Math.max(longest, Math.min(now - last, nowWorked - lastWorked))
      last = now
      lastWorked = nowWorked
      peak = Math.max(peak, process.memoryUsage.rss())
    }
    const beat = setInterval(tick, 1)
    const started = performance.now()
    endedAs = await run()
    totalMillis = Math.min(totalMillis, performance.now() - started)
    await pause()
    tick()
    clearInterval(beat)
    stallMillis = Math.min(stallMillis, longest)
    // The system knows peaks between two ticks, once they are higher than the one of the start.
    const after = process.resourceUsage().maxRSS * 1024
    if (round === 0) memoryMegabytes = (Math.max(peak, after > highest ? after : 0) - before) / 1_048_576
  }
  return { stallMillis, memoryMegabytes, totalMillis, endedAs }
}
