/** The nodes that run, each of which says now and again that it is there. */
export const nodes = `
create table nodes (
  node_id text primary key,
  role text not null,
  version text not null,
  host text not null,
  started_at bigint not null,
  last_seen_at bigint not null
) with (fillfactor = 50);
`
