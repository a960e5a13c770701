/** How many nodes went silent while they worked on a run. */
export const workersLost = `
alter table runs add column workers_lost integer not null default 0;
`
