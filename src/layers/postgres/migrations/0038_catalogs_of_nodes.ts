/**
 * The revision of the catalog that each node serves, to see when nodes differ. A node of the version before does not
 * say it: null.
 */
export const catalogsOfNodes = `
alter table nodes add column catalog text;
`
