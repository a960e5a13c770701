/**
 * The epoch ends where a storage is found restored or replaced, and the runs that waited in it are marked. The probe is
 * what a node writes to see whether the storage takes writes: a row of about a page for each of a few slots.
 */
export const storageWatch = `
alter table storage_identity add column epoch bigint not null default 0;
alter table runs add column restored boolean not null default false;

create table write_probe (
  slot integer primary key,
  filler text not null
);
alter table write_probe alter column filler set storage plain;
`
