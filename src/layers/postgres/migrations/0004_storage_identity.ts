/** Which server and database the rows were last used in; a difference says that they were restored or moved. */
export const storageIdentity = `
create table storage_identity (
  only_row boolean primary key default true check (only_row),
  identity text not null
);
`
