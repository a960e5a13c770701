/**
 * Which table the identity of the storage was written into: a dump that is loaded makes it anew, also in the database
 * that it was made of. Null where a version from before this wrote the identity.
 */
export const storageRelation = `
alter table storage_identity add column relation oid;
update storage_identity set relation = 'storage_identity'::regclass;
`
