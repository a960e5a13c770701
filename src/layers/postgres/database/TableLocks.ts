/**
 * How long a transaction that changes tables waits for those who use them. Everybody who comes later waits behind it,
 * so it gives up soon and tries again later. For the rest of the transaction.
 */
export const tableLockTimeout = "set local lock_timeout = '2s'"
