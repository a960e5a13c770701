/**
 * The statements that read a table as a whole. All others read a range of an index, or an index of few rows;
 * `judging.ts` looks at each statement that the tests make the gateway send. A row here says what the statement does
 * and has a piece of its text. None of them is part of a request.
 */
export const wholeReads: ReadonlyArray<{ readonly what: string; readonly text: string }> = [
  { what: "The check of the whole ledger, now and then, on a connection of its own", text: "with sums as (" },
  { what: "Marking the runs of a restored storage, once", text: "update runs set restored = true" }
]
