/**
 * Where a token comes from: the token that let it in, the one that let that one in, and so on to the first. Never
 * changed once written. Tokens that logins brought before have none, because nobody wrote down who approved them.
 */
export const tokenLines = `
alter table tokens add column ancestors text[] not null default '{}';
`
