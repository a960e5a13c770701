/**
 * The ids of the sealing keys that each node has, so that nothing is sealed anew under a key that a node lacks. A node
 * of the version before does not say them: null.
 */
export const keysOfNodes = `
alter table nodes add column sealing_keys text[];
`
