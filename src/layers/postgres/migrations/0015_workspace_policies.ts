/** Which operations the runs of a workspace may use; null where it has no policy and may use all. */
export const workspacePolicies = `
alter table workspaces add column policy jsonb;
`
