/** Time and signals, as the rest of the client uses them. */

/** Milliseconds that only go forward, whatever happens to the clock. */
export const now = (): number => performance.now()

/** Resolves after so many milliseconds, or at once when the signal is aborted: look at the signal then. */
export const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, millis)
    signal?.addEventListener("abort", end)
  })

/** Aborted by the caller's own signal, or when the time is over. */
interface AttemptSignal {
  readonly signal: AbortSignal
  /** For an answer whose body the caller reads: the time counts no more, the caller's signal does. */
  readonly stopClock: () => void
  readonly release: () => void
}

export const attemptSignal = (millis: number, callers: AbortSignal | undefined): AttemptSignal => {
  const controller = new AbortController()
  const abort = () => controller.abort(callers?.reason)
  const timer = setTimeout(() => controller.abort(new Error(`no whole answer within ${millis / 1000} seconds`)), millis)
  const stopClock = () => clearTimeout(timer)
  if (callers?.aborted === true) abort()
  callers?.addEventListener("abort", abort)
  return {
    signal: controller.signal,
    stopClock,
    release: () => {
      stopClock()
      callers?.removeEventListener("abort", abort)
    }
  }
}
