/**
 * Bounds on what comes from outside, and defaults that a client can notice. A number that more than one file uses, or
 * that the OpenAPI document names, belongs here. A name says what is counted, and its last word is the unit. A name
 * that ends in `Default` holds when nothing else is set. Where a number comes from the contract, its section is named
 * beside it; all others are our choice.
 *
 * A number of one algorithm stays beside it, such as the time for a connection in `layers/providers/Transport.ts` and
 * the length of a question in `QuestionHints.ts`. Defaults of settings (ports, connections, slots) are in
 * `layers/node/Config.ts`; some of them are taken from here, because a page or a client names them too.
 */

// Workspaces and their money.

/** Runs of a workspace that may be in flight at once (contract: "Limits"). `GATEWAY_INFLIGHT_LIMIT` sets another. */
export const inflightLimitDefault = 8
/** Requests that a workspace may send at once, and a second after that (contract: "Limits"). */
export const rateBurstDefault = 60
export const ratePerSecondDefault = 10
/** Requests without a token that one address may send at once, and a second after that. */
export const publicRateBurst = 60
export const publicRatePerSecond = 10
/** The same for all addresses together, on one node. */
export const publicTotalRateBurst = 1_000
export const publicTotalRatePerSecond = 200
/** The smallest top-up and the one that is suggested (completions, section 4), and the largest. */
export const topUpMinimumUsdDefault = 5
export const topUpSuggestedUsdDefault = 20
export const topUpMaximumUsdDefault = 10_000
/** How long a payment processor may take to answer a request. */
export const processorMillisMax = 10_000
/** How old the signature of a payment processor's event may be, and how large the event. */
export const webhookToleranceSeconds = 300
export const webhookBytesMax = 262_144
/** How often each node looks whether an automatic top-up is due. */
export const automaticTopUpSeconds = 5
/** How long a charge of a card may be asked for again with its idempotency key. Stripe keeps keys for 24 hours. */
export const chargeHours = 23
/** How long a checkout can be paid. Stripe allows at most 24 hours from when it makes the checkout. */
export const checkoutHours = 23
/** The largest amount of dollars that a field of a body may name. */
export const fieldUsdMax = 1_000_000
/** Open holds that the balance shows: the newest (completions, section 4). */
export const holdsShownMax = 50
/** What an operator may set a workspace's limits of runs to. */
export const workspaceCountMax = 999_999_999
/** Rules that the policy of one workspace may have. Every request of the workspace reads them. */
export const policyRulesMax = 100
/** The longest reason that an operator gives for a credit or for settling a run. */
export const reasonCharsMax = 500

// Tokens, logins and connections.

/** The longest name of a workspace, and the longest label of a token or connection. */
export const labelCharsMax = 100
/**
 * Connections that a workspace may have. Whoever makes some at once, or comes back from providers with them, may exceed
 * it by those.
 */
export const connectionsMax = 10_000
/** The longest key at a provider. */
export const secretCharsMax = 8_192
/** The longest text in which a person types such values (`shop=acme region=eu`). */
export const variablesTextCharsMax = 2_000
/** The longest value that a connection gives for a variable of its provider's address. */
export const variableCharsMax = 200
/** How long a person may take to connect an account at a provider, from the link to the way back. */
export const authorizationMillis = 900_000
/** How long one request to a provider's token address may take, and how large its answer may be. */
export const oauthMillis = 20_000
export const oauthAnswerBytesMax = 65_536
/** An access token is renewed this long before it ends, at half of its life at the latest. */
export const renewalEarlyMillis = 60_000
/**
 * How long one node alone may renew the tokens of a connection. It is longer than a request to a token address can
 * take, so that another node takes over only from one that died or stands still.
 */
export const renewalLeaseMillis = 45_000
/**
 * How long a login may be approved. A person needs time to find the browser, and nobody should be able to use the link
 * later.
 */
export const loginMillis = 600_000
/** How often a client should ask whether its login was approved. */
export const loginPollSeconds = 3
/**
 * How often a device should ask for its token, and how much longer it has to wait from each `slow_down` on (RFC 8628,
 * section 3.5).
 */
export const devicePollSeconds = 5
/** How much too early a device may ask, because a request does not always take equally long. */
export const devicePollEarlyMillis = 1_000
/** How long a device may ask for its token again after it was handed out, because the answer may have been lost. */
export const deviceTokenAgainMillis = 60_000
/** The largest form that an OAuth client may send. */
export const oauthFormBytesMax = 16_384
/**
 * How long a line of tokens may be in which each let in or made the next. Every run of the last one locks and counts
 * all tokens of the line.
 */
export const tokenLineMax = 8
/** How long the old secret of a rotated token may go on working (extensions, section 2). */
export const rotationOverlapSecondsMax = 604_800

// Members and sign-in.

/** People that a workspace may have, and operators that the gateway may have. */
export const membersMax = 1_000
/** The longest e-mail address of a member (RFC 5321, section 4.5.3.1). */
export const emailCharsMax = 254
/** How long a one-time sign-in link works. */
export const signInLinkMillis = 900_000
/** How long a session lives without a request, and how long at most, whatever is done with it. */
export const sessionIdleMillis = 12 * 3_600_000
export const sessionMillis = 7 * 24 * 3_600_000
/** How long a person may take at the OpenID provider, and how long a request to it may. */
export const openIdMillis = 900_000
export const openIdTimeoutSeconds = 10
/** Workspaces among which an operator chooses in a list; with more they type the id. */
export const approvalWorkspacesMax = 200
/** The longest address to which a sign-in leads back. */
export const returnCharsMax = 1_000
/** The time of a session's last request is written at most this often. */
export const sessionWriteMillis = 60_000

// Capability requests.

/** The longest title, and the longest of the other texts. */
export const requestTitleCharsMax = 200
export const requestTextCharsMax = 10_000

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

// Requests and answers.

/** The largest request body (completions, section 5). */
export const bodyBytesMax = 1_048_576
/**
 * A body that is too large is read up to this size and thrown away, so that its sender can read the answer. Beyond this
 * size the connection is cut.
 */
export const discardBytesMax = 8 * bodyBytesMax
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

// Lists and the catalog.

/** Rows of a page of the lists that are newest first. */
export const pageRowsMax = 100
export const pageRowsDefault = 20
/** Rows of a page of a table of the console, and of the file that it gives. */
export const consoleRowsDefault = 50
export const consoleCsvRowsMax = 10_000
/** Operations of a page of the catalog in the console. */
export const consoleCardsDefault = 60
/** How long a run that is started in the console is waited for before its page is shown. */
export const consoleRunWaitSeconds = 2
/** How much of a result or of another long text a page of the console shows. */
export const consoleTextCharsMax = 65_536
/** The longest cursor of these lists. */
export const cursorCharsMax = 512
/**
 * How many bytes of results a page of the run list carries (`includeResult=true`). The page ends before the row that
 * would exceed them, but it always has its first row.
 */
export const listedResultBytesMax = 4 * 1_048_576
/** The longest words to search for (completions, section 5). */
export const queryCharsMax = 512
/** The longest name of a category, platform, provider or job to filter by. */
export const filterCharsMax = 200
/** How long a search counts for a run of one of its rows (docs/search.md, "Learning from use"). */
export const searchUseMillis = 1_800_000
/** After this time, a use counts half. */
export const searchUseHalfLifeMillis = 14 * 86_400_000
/** The largest share of the best score that uses add to a row. */
export const searchUseShareMax = 0.1
/** How long a search waits for what it has learned, before it answers without it. */
export const searchUseWaitMillis = 500
/** Operations and jobs of one workspace whose uses are read: the latest. */
export const searchUsesMax = 500
/** Rows of a page of the search (contract: "Limits"). */
export const searchRowsMax = 200
export const searchRowsDefault = 50
/** Rows of a page of the listing, and its longest cursor (contract: "Limits"). */
export const listingRowsMax = 5_000
export const listingRowsDefault = 100
export const listingCursorCharsMax = 4_096
/** Items of a page of the public catalog (completions, section 2). */
export const publicRowsMax = 100
export const publicRowsDefault = 50
/** Operations that a discovery answers (completions, section 2). */
export const discoveredMax = 20
export const discoveredDefault = 5
/** Items of a comparison (completions, section 2). */
export const comparedMin = 2
export const comparedMax = 10
/** The longest contract version that is looked up. */
export const contractVersionCharsMax = 128

// Tools of agents (extensions, section 7).

/** How large an answer of a tool may be. */
export const toolAnswerBytesMax = 32_768
/** Rows of `search_operations`, and the rows of the catalog that they are put together from. */
export const toolSearchRowsMax = 20
export const toolSearchRowsDefault = 4
export const toolSearchedRows = 60
/** How long a summary in such a row may be. */
export const toolRowSummaryChars = 160
/** Field names that are shown of an operation whose schema is too large to show. */
export const toolFieldNamesMax = 100
/** Runs of a page of `list_runs`. */
export const toolRunsMax = 50
export const toolRunsDefault = 10
/** Providers that were skipped, of which a tool tells. */
export const toolSkippedMax = 10
/** How long `run_operation` waits for a run to end. */
export const toolWaitSecondsMax = 20

// Runs.

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
/** What `max_items` may be (contract: "Limits"). */
export const resultItemsMax = 10_000
/** Paths that `fields` may name, and the longest text of all of them. */
export const resultPathsMax = 100
export const resultPathsCharsMax = 4_096
/** How long a cancellation waits for a call under way to be aborted before it answers the run as it is. */
export const cancelWaitSeconds = 3
/** How long a run may wait for its turn before it fails with `capacity_exhausted`. */
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

// Pages of the console and what they report.

/** Days of one report of what was spent. */
export const reportDaysMax = 92
/** Runs that one page of a list looks through when it is filtered by token, operation or provider. */
export const runsLookedThroughMax = 5_000
/** How far runs of one status are counted; where there are more, the count says so. */
export const runsCountedMax = 5_000

// Calls of providers.

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

// Manifests.

/** The longest id of a provider and of an operation. */
export const providerIdCharsMax = 63
export const endpointIdCharsMax = 200
/** How deep the file of a manifest or an OpenAPI document may be nested. */
export const manifestDepthMax = 300
/** How many steps the dotted name of a binding or fixed value may have in a JSON body. */
export const bindingStepsMax = 16
/** The last position of a list that such a name may fill. */
export const bindingItemMax = 99
/** The longest expression of a manifest. */
export const expressionCharsMax = 10_000
/** How many levels the syntax tree of an expression may have; each step of a path such as `a.b.c` is one. */
export const expressionDepthMax = 200
/** The longest pattern of a schema. */
export const patternCharsMax = 1_000
/** How many steps a pattern may have, with its repetitions written out. */
export const patternSizeMax = 1_000
/** How many steps all patterns of one schema may have together; each counts as 20 at least. */
export const schemaPatternsSizeMax = 10_000
/** How deep the schema of an operation's input may be nested, and how many schemas may stand in it. */
export const schemaDepthMax = 32
export const schemaNodesMax = 5_000
/** How many schemas one list of them (`anyOf`, `oneOf`, `allOf`, `prefixItems`) may have. */
export const schemaChoicesMax = 100
/** Files that one OpenAPI document may be spread over. */
export const importFilesMax = 10_000
/** The pause between two calls of one provider while `gateway catalog watch` asks it. */
export const watchPauseMillis = 1_000
/** After how many days the documentation of an operation should be read again: `gateway catalog lint` says so then. */
export const verifiedDaysMax = 365

// Nodes.

/** The dollars above which `gateway credit` asks before it moves them. */
export const creditAskUsdDefault = 1_000
/** How far a node's clock may be from the database's before it says that it is not ready. */
export const clockDifferenceMillisMax = 1_000
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
