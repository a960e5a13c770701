/**
 * Contracts of every version that was ever published, and the revisions that operators published beside the built-in
 * catalog. A revision lists its members; their contracts are rows of their own, so that a large catalog that changes
 * little stays small.
 */
export const catalog = `
create table catalog_contracts (
  endpoint_id text not null,
  contract_version text not null,
  contract jsonb not null,
  primary key (endpoint_id, contract_version)
);

create table catalog_revisions (
  seq bigint generated always as identity primary key,
  revision text not null,
  jobs jsonb not null,
  endpoint_ids text[] not null,
  contract_versions text[] not null,
  published_at bigint not null,
  check (cardinality(endpoint_ids) = cardinality(contract_versions))
);
`
