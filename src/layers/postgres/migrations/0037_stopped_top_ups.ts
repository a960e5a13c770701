/**
 * The automatic top-up under way that is never charged again, because its rule was taken away or disabled meanwhile. It
 * is an id and no mark: a node of the version before leaves the column as it is when it starts the next top-up.
 */
export const stoppedTopUps = `
alter table automatic_top_ups add column stopped_top_up_id text;
`
