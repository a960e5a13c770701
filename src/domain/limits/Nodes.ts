/** Bounds and defaults: nodes, their processes and their clocks. */

/** The dollars above which `gateway credit` asks before it moves them. */
export const creditAskUsdDefault = 1_000
/** How far a node's clock may be from the database's before it says that it is not ready. */
export const clockDifferenceMillisMax = 1_000
/**
 * How far the time in a run's id is from the time at which the database stored the run. The id has the time of its
 * node's clock. Nodes whose clock is more than a second off are not ready, and a run that cannot be stored within
 * seconds is refused.
 */
export const runIdClockMillisMax = 60_000
/** The free disk below which `gateway doctor` says that there is too little. */
export const diskFreeBytesMin = 1_073_741_824
/** How long an answer of `/readyz` holds. */
export const readinessMillis = 1_000
/** How long a stopping node says so before it closes, in production; in development it closes at once. */
export const stopPauseMillis = 5_000
/**
 * A connection that is open when the server stops may bring one more request for this share of the time that requests
 * may take to end: 250 ms of 10 s.
 */
export const idleShareOfDrain = 40
/**
 * Who waits for a run while the server stops is answered after this share of the time that requests may take to end:
 * 7.5 s of 10 s. Most runs have ended by then; the rest of the time is for the answers.
 */
export const waitsShareOfDrain = 0.75
/** Between two looks at the connections of a stopping server that have nothing more to bring. */
export const idleLookMillis = 20
/** How long nothing may fail before the log says that a problem, such as an unreachable storage, is over. */
export const troubleQuietMillis = 5_000
/**
 * How long the main thread of a node may be stuck. After that its leases are not renewed any more, and the node counts
 * as dead.
 */
export const mainSilenceMillisMax = 300_000

/** A node says so often that it runs. */
export const nodeSeenSeconds = 5
/** A node that has not said so for this time counts as silent; it may be dead, or stand still. */
export const nodeSilentMillis = 15_000
/** A node that is silent for this time is no longer listed. */
export const nodeForgottenMillis = 3_600_000

/** How many processes one machine may run of a gateway. */
export const processesMax = 64

/**
 * Calls that a node makes at once to one address of a provider. Others wait, and their wait counts towards the time
 * that their call may take.
 */
export const callsPerProviderMax = 64
