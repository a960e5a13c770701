/** Runs of a tool did its job too; which one that was stands in the contract that the run was made with. */
export const jobsOfToolRuns = `
update runs r set job = c.contract -> 'operation' ->> 'job'
from catalog_contracts c
where r.job is null and c.endpoint_id = r.endpoint_id and c.contract_version = r.contract_version and c.contract -> 'operation' ->> 'job' is not null;
`
