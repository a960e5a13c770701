/**
 * The newest migration that a program must know to work on this database. Migrations only add, so a program that does
 * not know the newest of them works on. A migration that takes something away raises this to the one with whose release
 * programs stopped to use it.
 */
export const schemaNeeds = `
create table schema_needs (
  only_row boolean primary key default true check (only_row),
  needed text not null
);
insert into schema_needs (needed) values ('0029_schema_needs');
`
