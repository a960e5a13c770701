/** What the last check of the whole ledger found, for all nodes: one of them makes it, the others show it. */
export const ledgerChecks = `
create table ledger_checks (
  only_row boolean primary key default true check (only_row),
  checked_at bigint not null,
  took_millis bigint not null,
  drift_micros bigint not null,
  difference text
);
`
