/** Bounds and defaults: requests and their answers, on every route. */

/** The largest request body (completions, section 5). */
export const bodyBytesMax = 1_048_576
/**
 * A body that is too large is read up to this size and thrown away, so that its sender can read the answer. Where more
 * may come, the answer says that the connection ends. Beyond this size the connection is cut.
 */
export const discardBytesMax = 8 * bodyBytesMax
/**
 * Pieces in which a body may come. A client that sends 16 bytes or more in each chunk has fewer; each piece takes time,
 * however small it is.
 */
export const bodyPiecesMax = 65_536
/** How deep a JSON body may be nested. */
export const bodyDepthMax = 64
/** Values in the `input` of a body, counted at every depth, on routes that know their caller. */
export const inputValuesMax = 12_000
/** The same on routes that anybody may call. */
export const publicInputValuesMax = 2_000
/** Values in the rest of a body. */
export const bodyValuesMax = 500
/** The longest name of a member of a body. */
export const bodyNameCharsMax = 1_024
/** The longest number in a body, as it is written. */
export const bodyNumberCharsMax = 1_024
/** The largest form of a page of the console; the input of a run may stand in it. */
export const consoleFormBytesMax = 524_288
/** Fields of a form: more than the schema of an input may have properties (`schemaNodesMax`). */
export const formFieldsMax = 6_000
/** The headers of a request together. */
export const headerBytesMax = 16_384
/** How long a client may take to send its headers, and its whole request. */
export const headersMillisMax = 10_000
export const requestMillisMax = 30_000
/** For how long after a request its run is looked for: to be sent, a request has half of this. */
export const runAfterRequestMillisMax = 60_000
/**
 * How long an idle connection stays open. This is longer than load balancers keep it, so that they close it and not the
 * gateway.
 */
export const keepAliveMillis = 65_000
/** How long a client may go on sending after the last answer of its connection. */
export const lingerMillis = 5_000
/** Requests that it may send there. Nobody looks at them, and each holds memory until the connection is closed. */
export const lateRequestsMax = 20
/**
 * Requests of one connection that are worked on at once, and how many more may wait there. Few clients send a request
 * before the answer to the one before it.
 */
export const pipelinedAtOnceMax = 8
export const pipelinedWaitingMax = 1_000
/** The longest value of a parameter in a path. */
export const pathParameterCharsMax = 4_096
/** The longest path: such a value, and what a route has around it. In a longer one, an id names nothing. */
export const pathCharsMax = pathParameterCharsMax + 256
/** How much of an id that names nothing an answer shows. */
export const shownIdCharsMax = 100
/** Parameters of a query. */
export const queryParametersMax = 100
/** How many characters of `X-Service-Agent` are read (contract: "Limits"). */
export const serviceAgentCharsMax = 64
/** How many service agents are counted by name. */
export const serviceAgentsMax = 100
/** How many wrong fields an answer names: the first ones. */
export const problemsMax = 20
/** How many unknown query parameters an answer names, and how much of each name. */
export const ignoredParametersMax = 20
export const ignoredParameterChars = 64
/** Reads of one workspace that a node works on at once, each on a connection of its own: lists, files, quotes. */
export const readsAtOnceMax = 4
/**
 * The same of reads that share a statement: a run that is small and recent, its attempts, the balance. A statement
 * answers as many, so that one workspace delays the others by one statement at most.
 */
export const readsSharedMax = 64
/**
 * Callers whose tokens one statement looks up. More than that of reads: a token is one small row, and the callers of
 * all workspaces together wait for it.
 */
export const tokenReadsSharedMax = 256
/** Further reads of it that may wait for their turn; beyond that the answer is 429 `rate_limit_exceeded`. */
export const readsWaitingMax = 100
/** How long such a read waits at most. After that the answer is 503 `storage_busy`. */
export const readWaitMillisMax = 3_000
/** How much of a stored file is in memory at once for one reader. */
export const mediaPartBytes = 262_144
/** For so long a client may read its answer at any rate. */
export const readerStallMillis = 20_000
/** The rate at which a client has to read its answer on average, after that time. */
export const readerBytesPerSecond = 16_384
/**
 * How much memory the answers that wait for their clients may hold on one node. Above it the clients whose answers have
 * waited longest are cut off.
 */
export const unreadBytesMax = 268_435_456

// Capability requests.

/** The longest title, and the longest of the other texts. */
export const requestTitleCharsMax = 200
export const requestTextCharsMax = 10_000
