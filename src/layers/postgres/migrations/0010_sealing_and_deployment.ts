/**
 * A check value of each sealing key that was ever used here, and whether this database is used in production. Either is
 * written once.
 */
export const sealingAndDeployment = `
create table sealing_keys (
  key_id text primary key,
  check_value text not null,
  first_used_at bigint not null
);
create table production (
  only_row boolean primary key default true check (only_row),
  since bigint not null
);
`
