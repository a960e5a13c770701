/** Bounds and defaults: lists, the catalog and its search, and the pages of the console. */

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

// Pages of the console and what they report.

/** Days of one report of what was spent. */
export const reportDaysMax = 92
/** Runs that one page of a list looks through when it is filtered by token, operation or provider. */
export const runsLookedThroughMax = 5_000
/** How far runs of one status are counted; where there are more, the count says so. */
export const runsCountedMax = 5_000
