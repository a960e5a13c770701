/** What a connection or a platform key gives for the variables of its provider's address. Null gives nothing. */
export const variables = `
alter table connections add column variables jsonb check (jsonb_typeof(variables) = 'object');
alter table platform_keys add column variables jsonb check (jsonb_typeof(variables) = 'object');
`
