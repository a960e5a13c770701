/** What cursors of lists are signed with: 244 random bits of the database's own, the same for all nodes. */
export const cursorKey = `
create table cursor_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null check (octet_length(key) = 32)
);
insert into cursor_key (key) values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
`
