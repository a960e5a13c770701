/** Bounds and defaults: what a workspace may do at once, and how it pays. */

/** Runs of a workspace that may be in flight at once (contract: "Limits"). `GATEWAY_INFLIGHT_LIMIT` sets another. */
export const inflightLimitDefault = 8
/** Requests that a workspace may send at once, and a second after that (contract: "Limits"). */
export const rateBurstDefault = 60
export const ratePerSecondDefault = 10
/** Requests without a token that one address may send at once, and a second after that. */
export const publicRateBurst = 60
export const publicRatePerSecond = 10
/** The same for all addresses together, on one node. */
export const publicTotalRateBurst = 1_000
export const publicTotalRatePerSecond = 200
/** The smallest top-up and the one that is suggested (completions, section 4), and the largest. */
export const topUpMinimumUsdDefault = 5
export const topUpSuggestedUsdDefault = 20
export const topUpMaximumUsdDefault = 10_000
/** How long a payment processor may take to answer a request. */
export const processorMillisMax = 10_000
/** How old the signature of a payment processor's event may be, and how large the event. */
export const webhookToleranceSeconds = 300
export const webhookBytesMax = 262_144
/** How often each node looks whether an automatic top-up is due. */
export const automaticTopUpSeconds = 5
/** How long a charge of a card may be asked for again with its idempotency key. Stripe keeps keys for 24 hours. */
export const chargeHours = 23
/** How long a checkout can be paid. Stripe allows at most 24 hours from when it makes the checkout. */
export const checkoutHours = 23
/** The largest amount of dollars that a field of a body may name. */
export const fieldUsdMax = 1_000_000
/** Open holds that the balance shows: the newest (completions, section 4). */
export const holdsShownMax = 50
/** What an operator may set a workspace's limits of runs to. */
export const workspaceCountMax = 999_999_999
/** Rules that the policy of one workspace may have. Every request of the workspace reads them. */
export const policyRulesMax = 100
/** The longest reason that an operator gives for a credit or for settling a run. */
export const reasonCharsMax = 500
