/** The advisory locks of this program, each a number that no other has, the same in all versions. */
export const migrationsLock = 7_463_120_512
export const ledgerCheckLock = 7_463_120_513
export const refusedRunsLock = 7_463_120_514
