/** Bounds and defaults: tokens, logins, connections, members and sessions. */

/** The longest name of a workspace, and the longest label of a token or connection. */
export const labelCharsMax = 100
/**
 * Connections that a workspace may have. Whoever comes back from providers with some that were begun before it was full
 * may exceed it by those.
 */
export const connectionsMax = 10_000
/** The longest key at a provider. */
export const secretCharsMax = 8_192
/** The longest text in which a person types such values (`shop=acme region=eu`). */
export const variablesTextCharsMax = 2_000
/** The longest value that a connection gives for a variable of its provider's address. */
export const variableCharsMax = 200
/** How long a person may take to connect an account at a provider, from the link to the way back. */
export const authorizationMillis = 900_000
/** How long one request to a provider's token address may take, and how large its answer may be. */
export const oauthMillis = 20_000
export const oauthAnswerBytesMax = 65_536
/** An access token is renewed this long before it ends, at half of its life at the latest. */
export const renewalEarlyMillis = 60_000
/**
 * How long one node alone may renew the tokens of a connection. It is longer than a request to a token address can
 * take, so that another node takes over only from one that died or stands still.
 */
export const renewalLeaseMillis = 45_000
/**
 * How long a login may be approved. A person needs time to find the browser, and nobody should be able to use the link
 * later.
 */
export const loginMillis = 600_000
/** How often a client should ask whether its login was approved. */
export const loginPollSeconds = 3
/**
 * How often a device should ask for its token, and how much longer it has to wait from each `slow_down` on (RFC 8628,
 * section 3.5).
 */
export const devicePollSeconds = 5
/** How much too early a device may ask, because a request does not always take equally long. */
export const devicePollEarlyMillis = 1_000
/** How long a device may ask for its token again after it was handed out, because the answer may have been lost. */
export const deviceTokenAgainMillis = 60_000
/** The largest form that an OAuth client may send. */
export const oauthFormBytesMax = 16_384
/**
 * How long a line of tokens may be in which each let in or made the next. Every run of the last one locks and counts
 * all tokens of the line.
 */
export const tokenLineMax = 8
/** How long the old secret of a rotated token may go on working (extensions, section 2). */
export const rotationOverlapSecondsMax = 604_800

// Members and sign-in.

/** People that a workspace may have, and operators that the gateway may have. */
export const membersMax = 1_000
/** The longest e-mail address of a member (RFC 5321, section 4.5.3.1). */
export const emailCharsMax = 254
/** How long a one-time sign-in link works. */
export const signInLinkMillis = 900_000
/** How long a session lives without a request, and how long at most, whatever is done with it. */
export const sessionIdleMillis = 12 * 3_600_000
export const sessionMillis = 7 * 24 * 3_600_000
/** How long a person may take at the OpenID provider, and how long a request to it may. */
export const openIdMillis = 900_000
export const openIdTimeoutSeconds = 10
/** Workspaces among which an operator chooses in a list; with more they type the id. */
export const approvalWorkspacesMax = 200
/** The longest address to which a sign-in leads back. */
export const returnCharsMax = 1_000
/** The time of a session's last request is written at most this often. */
export const sessionWriteMillis = 60_000
