/** Bounds that more than one measurement holds. */

/**
 * Somebody who waits for a run knows of its end sooner than this. It must stay below the five seconds after which a
 * waiter looks at the row without having been told, less the time that the run takes: else nobody would notice that
 * nobody is told.
 */
export const wokenWithinMillis = 1_500

/** For so long one request may hold the event loop. */
export const stallMillisMax = 50
