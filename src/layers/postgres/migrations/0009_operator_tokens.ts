/**
 * Tokens of the platform's operator. A workspace is the operator's own while one of its tokens is, kept by whoever
 * makes or revokes one.
 */
export const operatorTokens = `
alter table tokens add column operator boolean not null default false;
alter table workspaces add column operator boolean not null default false;
`
