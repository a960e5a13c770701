/**
 * The advisory locks of this program. Each has a number that no other lock has, and the numbers are the same in all
 * versions.
 */
export const migrationsLock = 7_463_120_512
export const ledgerCheckLock = 7_463_120_513
export const refusedRunsLock = 7_463_120_514
export const operatorsLock = 7_463_120_515
export const reportsLock = 7_463_120_516
