/** Runs that were refused before anything was sent: counted by the minute, and found by their age. */
export const refusedRuns = `
alter table wallets add column minute_refused integer not null default 0;
create index runs_refused on runs (created_at)
  where outcome = 'rejected' and started_at is null and hold_micros = 0 and status in ('failed', 'blocked');
`
