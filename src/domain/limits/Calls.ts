/** Bounds and defaults: calls of providers, and what is read of their answers. */

/** How long one exchange with a provider may take (completions, section 5). */
export const callMillisMin = 100
export const callMillisMax = 120_000
export const callMillisDefault = 30_000
/** How long an asynchronous operation may take from its start to its final answer (completions, section 5). */
export const asyncMillisMax = 600_000
/** The largest answer of a provider that is read (completions, section 5), and the most that a manifest may allow. */
export const answerBytesDefault = 10_485_760
export const answerBytesMax = 104_857_600
/** How many stored files one input may name. */
export const inputFilesMax = 20
/**
 * A provider's answer of at most this size stands inline in `result`. A larger answer is kept as a file (completions,
 * section 5). `GATEWAY_INLINE_RESULT_BYTES` sets another bound.
 */
export const inlineResultBytesMax = 1_048_576
/** The least of that setting: with less, even what a client can read at a glance would be a file. */
export const inlineResultBytesLeast = 1_024
/**
 * How deep the JSON of a provider's answer may be nested to stand inline. A deeper answer is kept as a file, and the
 * rules see it down to this depth only.
 */
export const answerDepthMax = 512
/**
 * Lists and objects, values of any kind, and members of one object, that the JSON of an answer of more than 256 KiB may
 * hold: small ones take many times the memory of their text. An answer with more cannot be read.
 */
export const answerContainersMax = 500_000
export const answerValuesMax = 1_500_000
export const answerMembersMax = 250_000
/** How deep such a JSON may be nested to be read at all. */
export const largeAnswerDepthMax = 10_000
/** The longest address out of an answer that is asked: for a state, a result or the next page. */
export const toldAddressCharsMax = 8_192
/** The most pages of a provider that are read for one run, and how long all of them may take. */
export const pagesMax = 100
export const pagesMillisMax = 600_000
/** The longest cursor of a provider, written as JSON, that is sent back for the next page. */
export const pageCursorCharsMax = 8_192
/** The largest page number or offset from which pages are counted on. */
export const pageStartMax = 1e15
/** Where providers call back, followed by a token. */
export const callbackPath = "/v1/callbacks/"
/**
 * A callback that reaches a node that does not wait is passed on to the others once in this time for each wait, and so
 * many waits are remembered for that.
 */
export const callbackSignalMillis = 1_000
export const callbacksRememberedMax = 10_000
/** How many bytes of an error answer that is no JSON the rules see as a text, unless its type says that it is one. */
export const answerTextGlancedBytes = 1_048_576
/** The largest XML or CSV that is read as data for the rules of an operation (`response.parse`). */
export const parsedBytesMax = 1_048_576
/** Elements and attributes of such an XML together. `answerDepthMax` says how deep it may be nested. */
export const xmlNodesMax = 50_000
/** Rows and columns of such a CSV, and the bytes of one row. */
export const csvRowsMax = 20_000
export const csvColumnsMax = 1_000
export const csvRecordBytesMax = 65_536
/**
 * Steps that all expressions together may take on one answer of a provider, and values that they may look at or make.
 */
export const expressionStepsMax = 400_000
/** What all patterns may take to match the texts of one input: characters times steps of their pattern. */
export const patternWorkMax = 4_000_000
/**
 * What the check of one input against its schema may take, in steps: a schema that is applied to a value is some of
 * them, and 16 characters that are looked at are one. Patterns are counted apart.
 */
export const schemaWorkMax = 750_000
/**
 * The check of an answer against its documented schema: how large the answer may be, how much is kept of where and how
 * it breaks the schema, how many answers wait for the check on one node, and the share of the node's time that all
 * checks may take.
 */
export const answerSchemaBytesMax = 262_144
export const breakCharsMax = 300
export const answersWaitingMax = 32
export const answerChecksShare = 0.02
/** The longest text that a format (`uri`, `email`, …) is looked for in. */
export const formatCharsMax = 2_048
/** The longest text of each field that every job knows; longer ones are refused before they are looked at. */
export const commonTextCharsMax = { email: 320, url: 8_192, linkedin_url: 8_192, domain: 8_192, phone: 100 } as const
/** The same of the fields that are not looked at further (`name`, `company`, …). */
export const otherTextCharsMax = 10_000
/** The longest text that is looked at as a host name; one has at most 253 characters, with fewer that are not ASCII. */
export const hostCharsMax = 1_000
