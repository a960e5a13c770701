/**
 * The token buckets that nodes share: when each is full again, in microseconds since the epoch. Unlogged, because a
 * bucket that is lost is a full one.
 */
export const requestRates = `
create unlogged table request_rates (
  tenant text primary key,
  full_at bigint not null
) with (fillfactor = 50);
`
