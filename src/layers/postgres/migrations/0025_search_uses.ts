/** What the searches of a workspace learn from its runs: ids and counts, and no words of a question. */
export const searchUses = `
alter table workspaces add column learns_from_use boolean not null default false;

-- What a search showed last, until a run of it is counted or half an hour is over. An item is the id of an operation,
-- or \`job:\` with the id of a job.
create table search_shown (
  workspace_id text not null references workspaces,
  item_id text not null,
  shown_at bigint not null,
  primary key (workspace_id, item_id)
);

-- How much an item was used: \`weight\` as of \`used_at\`.
create table search_uses (
  workspace_id text not null references workspaces,
  item_id text not null,
  weight double precision not null,
  used_at bigint not null,
  primary key (workspace_id, item_id)
);
`
