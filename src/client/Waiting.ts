/** Time and signals, as the rest of the client uses them. */

/** Milliseconds that only go forward, whatever happens to the clock. */
export const now = (): number => performance.now()

interface Watched {
  readonly acts: Set<() => void>
  readonly tell: () => void
}
const watched = new WeakMap<AbortSignal, Watched>()

/**
 * Does `act` when the signal is aborted, until the function that it answers is called. All calls with one signal share
 * a listener: Node warns of a leak where a signal has more than ten.
 */
const onAbort = (signal: AbortSignal | undefined, act: () => void): (() => void) => {
  if (signal === undefined) return () => {}
  const watch = (): Watched => {
    const acts = new Set<() => void>()
    const made = { acts, tell: () => acts.forEach((each) => each()) }
    signal.addEventListener("abort", made.tell)
    watched.set(signal, made)
    return made
  }
  const { acts, tell } = watched.get(signal) ?? watch()
  acts.add(act)
  return () => {
    // A second time, the signal may have other acts by then.
    if (!acts.delete(act) || acts.size > 0) return
    signal.removeEventListener("abort", tell)
    watched.delete(signal)
  }
}

/** Resolves after so many milliseconds, or at once when the signal is aborted: look at the signal then. */
export const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const end = () => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const timer = setTimeout(end, millis)
    const forget = onAbort(signal, end)
  })

/** The time that one attempt has, which the caller's own signal can end. */
interface AttemptLimit {
  /** Aborted by the caller's signal, or when the time is over. */
  readonly signal: AbortSignal
  /** The same work, which fails at the limit also where whoever does it does not look at the signal. */
  readonly within: <A>(work: Promise<A>) => Promise<A>
  /** For an answer whose body the caller reads: the time counts no more, the caller's signal does. */
  readonly stopClock: () => void
  /** The same as `within` for a piece of that body, which has the whole time anew. */
  readonly piece: <A>(work: Promise<A>) => Promise<A>
  readonly release: () => void
}

export const attemptLimit = (millis: number, callers: AbortSignal | undefined): AttemptLimit => {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort(callers?.reason)
  const startClock = (what: string) =>
    setTimeout(() => controller.abort(new Error(`no ${what} within ${millis / 1000} seconds`)), millis)
  let timer = startClock("whole answer")
  const stopClock = () => clearTimeout(timer)
  if (callers?.aborted === true) abort()
  const forget = onAbort(callers, abort)
  const within = <A>(work: Promise<A>): Promise<A> =>
    new Promise((resolve, reject) => {
      // What looks at the signal ends first, and says more: that nothing was sent, for one.
      const giveUp = () => void setTimeout(() => reject(signal.reason))
      // A file is read in many pieces: none of them leaves a listener behind.
      const forget = onAbort(signal, giveUp)
      if (signal.aborted) giveUp()
      work.then(resolve, reject).finally(forget)
    })
  return {
    signal,
    within,
    stopClock,
    piece: (work) => {
      timer = startClock("further piece of the file")
      return within(work).finally(stopClock)
    },
    release: () => {
      stopClock()
      forget()
    }
  }
}
