/**
 * Every page and form of the console once, with who may open it. `Isolation.test.ts` asks each of them as everybody,
 * and fails when a page is declared that is not here.
 */
import type { Sees } from "../../src/http/console/Page.js"

export interface KnownPage {
  readonly sees: Sees
  /** What a form is sent with; it need not be taken, only looked at. */
  readonly fields?: { readonly [name: string]: string }
  /** The thing may be gone, or never was there: then 404 is an answer to those who may see it. */
  readonly mayBeGone?: boolean
  /** It ends the session that it is sent with. */
  readonly endsSession?: boolean
  /** Looked at by the browser test: it shows something without an id that has to be made first. */
  readonly look?: boolean
}

const page = (sees: Sees, look = true): KnownPage => ({ sees, look })
const formOf = (sees: Sees, fields: KnownPage["fields"] = {}): KnownPage => ({ sees, fields })

/** By method and declared path. */
export const knownPages: { readonly [route: string]: KnownPage } = {
  "GET /approve/:approvalId": { ...page("signed_in", false), mayBeGone: true },
  "POST /approve/:approvalId": { ...formOf("signed_in"), mayBeGone: true },
  "GET /console": page("signed_in", false),
  "GET /console/session": page("signed_in"),
  "GET /console/device": page("signed_in"),
  "GET /console/:workspaceId": page("member", false),
  "GET /console/operator": page("operator", false),
  "GET /console/sign-in": page("anyone"),
  "GET /console/sign-in/link/:link": page("anyone", false),
  "POST /console/sign-in/link/:link": formOf("anyone"),
  "GET /console/sign-in/openid": page("anyone", false),
  "GET /console/sign-in/callback": page("anyone", false),
  "GET /console/connect/callback": { ...page("anyone", false), mayBeGone: true },
  "GET /console/connect/:link": { ...page("anyone", false), mayBeGone: true },
  "POST /console/connect/:link": { ...formOf("anyone"), mayBeGone: true },
  "POST /console/sign-out": { ...formOf("signed_in"), endsSession: true },
  "POST /console/sign-out/everywhere": { ...formOf("signed_in"), endsSession: true },
  "GET /console/:workspaceId/overview": page("member"),
  "GET /console/:workspaceId/catalog": page("member"),
  "GET /console/:workspaceId/catalog/:endpointId": page("member"),
  "POST /console/:workspaceId/catalog/:endpointId/quote": formOf("member", { key: "k1" }),
  "POST /console/:workspaceId/catalog/:endpointId/run": formOf("member", { key: "k2" }),
  "GET /console/:workspaceId/runs": page("member"),
  "GET /console/:workspaceId/runs/:runId": page("member"),
  "POST /console/:workspaceId/runs/:runId/cancel": formOf("member"),
  "GET /console/:workspaceId/runs/:runId/media/:mediaId": { ...page("member", false), mayBeGone: true },
  "GET /console/:workspaceId/ledger": page("member"),
  "GET /console/:workspaceId/top-up": page("member"),
  "GET /console/:workspaceId/top-up/:topUpId": { ...page("member", false), mayBeGone: true },
  "POST /console/:workspaceId/top-up": formOf("owner", { key: "k3", amountUsd: "20" }),
  "POST /console/:workspaceId/top-up/automatic": formOf("owner", {
    belowUsd: "5",
    automaticAmountUsd: "20",
    monthlyMaximumUsd: "100"
  }),
  "POST /console/:workspaceId/top-up/automatic/remove": formOf("owner"),
  "GET /console/:workspaceId/tokens": page("owner"),
  "POST /console/:workspaceId/tokens": formOf("owner", {
    label: "another",
    scopes: "runs:read",
    monthlyLimitUsd: "",
    expiresAt: ""
  }),
  "GET /console/:workspaceId/tokens/:tokenId": page("owner"),
  "POST /console/:workspaceId/tokens/:tokenId": formOf("owner", { label: "same", monthlyLimitUsd: "", expiresAt: "" }),
  "POST /console/:workspaceId/tokens/:tokenId/rotate": formOf("owner", { overlapSeconds: "0" }),
  "POST /console/:workspaceId/tokens/:tokenId/revoke": formOf("owner"),
  "GET /console/:workspaceId/connections": page("owner"),
  "POST /console/:workspaceId/connections": formOf("owner", { providerId: "mock", label: "again", secret: "s" }),
  "POST /console/:workspaceId/connections/authorize": formOf("owner", { account: "mock", accountLabel: "mine" }),
  "POST /console/:workspaceId/connections/:connectionId/remove": { ...formOf("owner"), mayBeGone: true },
  "GET /console/:workspaceId/members": page("owner"),
  "POST /console/:workspaceId/members": formOf("owner", { name: "Another", role: "member", email: "" }),
  "POST /console/:workspaceId/members/:memberId/rename": { ...formOf("owner", { name: "x" }), mayBeGone: true },
  "POST /console/:workspaceId/members/:memberId/role": { ...formOf("owner", { role: "member" }), mayBeGone: true },
  "POST /console/:workspaceId/members/:memberId/sign-out": { ...formOf("owner"), mayBeGone: true },
  "POST /console/:workspaceId/members/:memberId/remove": { ...formOf("owner"), mayBeGone: true },
  "POST /console/:workspaceId/members/:memberId/link": { ...formOf("owner"), mayBeGone: true },
  "GET /console/:workspaceId/audit": page("owner"),
  "GET /console/operator/health": page("operator"),
  "GET /console/operator/runs": page("operator"),
  "GET /console/operator/desk": page("operator"),
  "GET /console/operator/desk/:runId": page("operator"),
  "POST /console/operator/desk/:runId/resolve": formOf("operator", {
    verdict: "released",
    chargeMicros: "",
    reason: "their log"
  }),
  "POST /console/operator/desk/:runId/proposals/:proposalId/confirm": { ...formOf("operator"), mayBeGone: true },
  "POST /console/operator/desk/:runId/proposals/:proposalId/reject": {
    ...formOf("operator", { reason: "no" }),
    mayBeGone: true
  },
  "GET /console/operator/providers": page("operator"),
  "POST /console/operator/providers/:providerId/state": formOf("operator", { state: "enabled" }),
  "GET /console/operator/workspaces": page("operator"),
  "GET /console/operator/workspaces/:workspace": page("operator"),
  "POST /console/operator/workspaces/:workspace/credit": formOf("operator", {
    amountUsd: "1",
    reason: "a gift",
    key: "k4"
  }),
  "POST /console/operator/workspaces/:workspace/search": formOf("operator", { learnsFromUse: "on" }),
  "POST /console/operator/workspaces/:workspace/limits": formOf("operator", {
    inflightLimit: "",
    runsPerMinute: "",
    runCapUsd: ""
  }),
  "POST /console/operator/workspaces/:workspace/policy": formOf("operator", { allow: "", deny: "" }),
  "GET /console/operator/operators": page("operator"),
  "POST /console/operator/operators": formOf("operator", { name: "Another operator", email: "" }),
  "POST /console/operator/operators/:memberId/link": { ...formOf("operator"), mayBeGone: true },
  "POST /console/operator/operators/:memberId/sign-out": { ...formOf("operator"), mayBeGone: true },
  "POST /console/operator/operators/:memberId/remove": { ...formOf("operator"), mayBeGone: true },
  "GET /console/operator/audit": page("operator")
}
