/**
 * Runs fibers in an order drawn from a seed: any of those that are ready may go next, and any may be held up between
 * two of its steps. The same seed gives the same order, as long as everything happens in memory and time is a
 * TestClock's.
 */
import type { Scheduler } from "effect"

type Fiber = Parameters<Scheduler.Scheduler["shouldYield"]>[0]

/** Numbers from 0 to 1 (mulberry32). */
export const seeded = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

// Being held up is itself some 25 steps: sooner than this, a fiber would do nothing else.
const stepsMin = 32
const stepsMax = 2048
const turnsMax = 20_000

export class SeededScheduler implements Scheduler.Scheduler {
  private random = seeded(0)
  private ready: Array<Scheduler.Task> = []
  private running = false
  /** How often a fiber is held up after a step. */
  private holdUp = 0

  reseed(seed: number): void {
    this.random = seeded(seed)
    // Some orders need many changes of turn, others need one fiber to run far ahead of the rest.
    this.holdUp = [0, 0.002, 0.02, 0.2][Math.floor(this.random() * 4)] ?? 0
  }

  shouldYield(fiber: Fiber): number | false {
    const due =
      fiber.currentOpCount > stepsMax ||
      (fiber.currentOpCount > stepsMin && this.holdUp > 0 && this.random() < this.holdUp)
    return due ? 0 : false
  }

  scheduleTask(task: Scheduler.Task): void {
    this.ready.push(task)
    if (this.running) return
    this.running = true
    queueMicrotask(() => this.drain())
  }

  /** Until nobody is ready; those who only ever take turns must let timers in now and then. */
  private drain(): void {
    for (let turns = 0; turns < turnsMax; turns++) {
      const [next] = this.ready.splice(Math.floor(this.random() * this.ready.length), 1)
      if (next === undefined) {
        this.running = false
        return
      }
      next()
    }
    setTimeout(() => this.drain(), 0)
  }
}
