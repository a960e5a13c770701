/**
 * Whether all nodes are told when a run ends. Telling them wakes each node and lets one commit of the whole database
 * through at a time, so it is done only where somebody waits on another node than the one that ends the run. Runs that
 * a node of the version before has admitted are told. When a client waits at such a node for a run of a newer one, that
 * node sees the end when it looks again, every five seconds.
 */
export const endsTold = `
alter table runs add column tell_end boolean not null default true;
`
