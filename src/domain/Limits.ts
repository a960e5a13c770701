/**
 * Every bound on what comes from outside and every default that a client or an operator can notice, in one place. A
 * name says what is counted, and its last word is the unit. Where a number comes from the contract, its section is
 * named beside it. Bounds of an algorithm that nobody outside can notice stay beside their algorithm.
 */

/** The largest request body (completions, section 5). */
export const bodyBytesMax = 1_048_576
/**
 * An over-large body is read on to here and thrown away, so that its sender can hear the answer; after that the
 * connection is cut.
 */
export const discardBytesMax = 8 * bodyBytesMax
/** How much of `X-Service-Agent` is read (contract: "Limits"). */
export const serviceAgentCharsMax = 64
/** How many agents are counted by name. */
export const serviceAgentsMax = 100
/** How deep a JSON body may be nested. */
export const bodyDepthMax = 64
/** How far a node's clock may be from the database's before it says that it is not ready. */
export const clockDifferenceMillisMax = 1_000
/** How long an answer of `/readyz` holds. */
export const readinessMillis = 1_000
/** How long a stopping node says so before it closes, in production; in development it closes at once. */
export const stopPauseMillis = 5_000
/** How long the main thread of a node may be stuck before its leases are renewed no more: then it counts as dead. */
export const mainSilenceMillisMax = 300_000
/** A run under which so many nodes have gone silent is set apart for the operator instead of being handed on. */
export const workersLostMax = 2
/** How many wrong fields an answer names: the first ones. */
export const problemsMax = 20
/** The longest cursor of a list; the catalog listing has its own bound in the contract. */
export const cursorCharsMax = 512
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
/**
 * An answer of a provider up to this stands inline in `result`; a larger one is kept as a file.
 * `GATEWAY_INLINE_RESULT_BYTES` sets another bound.
 */
export const inlineResultBytesMax = 1_048_576
/**
 * How deep the JSON of a provider's answer may be nested to stand inline; a deeper one is kept as a file, and the rules
 * see it down to here.
 */
export const answerDepthMax = 512
/** The largest form that a page of ours sends. */
export const formBytesMax = 16_384
/** How much of a stored file is in memory at once for one reader. */
export const mediaPartBytes = 262_144
/** A reader who takes nothing of an answer for so long is cut off. */
export const readerStallMillis = 20_000
/** The least that a reader has to take on average, after that time. */
export const readerBytesPerSecond = 16_384
/**
 * Answers that wait for their readers may hold so much memory on one node; above it the readers that wait longest are
 * cut off.
 */
export const unreadBytesMax = 268_435_456
/** How many unknown query parameters an answer names, and how much of each name. */
export const ignoredParametersMax = 20
export const ignoredParameterChars = 64
/** Requests without a token that one address may send at once, and a second after that. */
export const publicRateBurst = 60
export const publicRatePerSecond = 10
/** The same for all addresses together, on one node. */
export const publicTotalRateBurst = 1_000
export const publicTotalRatePerSecond = 200
/** How many steps the dotted name of a binding or fixed value may have in a JSON body. */
export const bindingStepsMax = 16
/** The last position of a list that such a name may fill. */
export const bindingItemMax = 99
/**
 * How many logins in a row may have let one another in: each of them is locked and counted for every run of the last.
 */
export const loginLineMax = 8
/**
 * How many bytes of results a page of the run list carries (`includeResult=true`): it ends before the row that would
 * pass them, never before its first.
 */
export const listedResultBytesMax = 4 * 1_048_576
/** Reads of one workspace that a node works on at once: lists, runs, files, the balance, quotes. */
export const readsAtOnceMax = 4
/** Further reads of it that may wait for their turn; beyond that the answer is 429 `rate_limit_exceeded`. */
export const readsWaitingMax = 100
/** How long one waits at most; after that the answer is the same. */
export const readWaitMillisMax = 3_000
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
 * How long a refused run is kept and its key replays it; after that both are gone, and the key is free again. Other
 * runs and keys stay.
 */
export const refusedRunDaysKept = 7
/**
 * Steps that all expressions together may take on one answer of a provider, and values that they may look at or make.
 */
export const expressionStepsMax = 400_000
/** The longest expression of a manifest. */
export const expressionCharsMax = 10_000
/** The longest pattern of a schema. */
export const patternCharsMax = 1_000
/** How many steps a pattern may have, with its repetitions written out. */
export const patternSizeMax = 1_000
/** What all patterns may take to match the texts of one input: characters times steps of their pattern. */
export const patternWorkMax = 4_000_000
/** The longest text that a format (`uri`, `email`, …) is looked for in. */
export const formatCharsMax = 2_048
/** How deep the schema of an operation's input may be nested, and how many schemas it may hold. */
export const schemaDepthMax = 32
export const schemaNodesMax = 5_000
/** The longest text of each field that every job knows; longer ones are refused before they are looked at. */
export const commonTextCharsMax = { email: 320, url: 8_192, linkedin_url: 8_192, domain: 8_192, phone: 100 } as const
/** The same of the fields that are not looked at further (`name`, `company`, …). */
export const otherTextCharsMax = 10_000
/** The longest text that is looked at as a host name; one has at most 253 characters, with fewer that are not ASCII. */
export const hostCharsMax = 1_000
/** Rules that the policy of one workspace may have. Every request of the workspace reads them. */
export const policyRulesMax = 100
