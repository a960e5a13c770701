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

/** A signal for one attempt: aborted by the caller's own, or when the time is over. `release` lets go of both. */
export const attemptSignal = (
  millis: number,
  callers: AbortSignal | undefined
): { readonly signal: AbortSignal; readonly release: () => void } => {
  const controller = new AbortController()
  const abort = () => controller.abort(callers?.reason)
  const timer = setTimeout(() => controller.abort(new Error(`no whole answer within ${millis / 1000} seconds`)), millis)
  if (callers?.aborted === true) abort()
  callers?.addEventListener("abort", abort)
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer)
      callers?.removeEventListener("abort", abort)
    }
  }
}
