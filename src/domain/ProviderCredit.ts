/**
 * With which status a provider says that the account it was called for has no credit left. The run's failure, the
 * circuit and the catalog watch all ask here. The contract has no code for it: without a rule of the manifest it is
 * `provider_http_error`, as every 4xx without a code of its own.
 */
export const saysNoCredit = (status: number | undefined): boolean => status === 402
