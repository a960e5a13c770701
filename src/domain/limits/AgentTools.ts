/** Bounds and defaults: the tools of agents (extensions, section 7). */

/** Values of all messages of a batch together, beside the inputs of tools. */
export const batchValuesMax = 2_000
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
/** How many items `get_run` leaves out at most: more than a list has that stands in a result and is no file. */
export const toolSkippedItemsMax = 524_288
/** How long `run_operation` waits for a run to end. */
export const toolWaitSecondsMax = 20
