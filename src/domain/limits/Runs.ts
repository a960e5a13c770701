/** Bounds and defaults: what a request may ask of a run, how long a run may wait, and how long it is kept. */

/** The longest idempotency key (completions, section 3). */
export const idempotencyKeyCharsMax = 255
/** The longest id of an endpoint, a connection or a provider in the body of a run. */
export const runIdentifierCharsMax = 255
/** How long `wait` may be, and how long `wait=true` means (contract: "Limits"). */
export const waitSecondsMax = 60
export const waitSecondsWhenTrue = 20
/** Attempts of a run with fallback (completions, section 3). */
export const fallbackAttemptsMax = 10
export const fallbackAttemptsDefault = 3
/** Endpoints and providers that a fallback may exclude (completions, section 3). */
export const fallbackExcludesMax = 50
/**
 * With so many fields in its input, a job looks at each of its providers in a turn of the event loop of its own: each
 * takes a millisecond or more.
 */
export const longInputFields = 1_000
/** What `max_items` may be (contract: "Limits"). */
export const resultItemsMax = 10_000
/** Paths that `fields` may name, and the longest text of all of them. */
export const resultPathsMax = 100
export const resultPathsCharsMax = 4_096
/** How long a cancellation waits for a call under way to be aborted before it answers the run as it is. */
export const cancelWaitSeconds = 3
/** How long a run may wait for its turn before it fails with `capacity_exhausted`. Nodes look every second. */
export const queueMillisMax = 300_000
/**
 * When so many nodes have gone silent while they worked on one run, the run waits for the operator and no other node
 * takes it.
 */
export const workersLostMax = 2
/**
 * Runs that were refused before anything was sent, of one workspace in a minute; more are answered 429
 * `rate_limit_exceeded` and not stored.
 */
export const refusedRunsPerMinuteMax = 300
/** How much is kept of the input of a refused run, as JSON. */
export const refusedInputCharsMax = 1_024
/** How much is kept of each text that says why a run was refused. */
export const refusedTextCharsMax = 2_000
/**
 * How long a refused run is kept and its key replays it. After that the run is forgotten and the key is free again.
 * Other runs and keys stay.
 */
export const refusedRunDaysKept = 7

// Keeping and dropping runs.

/**
 * For how many days a request with an idempotency key is answered with the run that it made. Neither a run nor its
 * payload can be set to leave earlier.
 */
export const keyDaysPromised = 30
/** After how many days finished runs leave the hot tables, where the gateway is set to drop anything later. */
export const historyDaysDefault = 7
/** The longest time that a setting in days can name. */
export const keptDaysMax = 36_500
