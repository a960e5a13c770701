/**
 * A comparison of types, which `tsc` makes: what the services that handlers call can fail with, together with what is
 * refused before a handler is reached, is exactly the list of HTTP errors. A class that nothing raises, and a failure
 * that the envelope does not know, do not compile.
 */
import { assert, it } from "@effect/vitest"
import type { Context, Effect, Layer } from "effect"
import type { DeviceRefused } from "../../src/domain/DeviceGrant.js"
import type { StorageError } from "../../src/domain/StorageErrors.js"
import type { missedRoute, unexpected } from "../../src/http/Boundary.js"
import type { lacksScope } from "../../src/http/Auth.js"
import type { jsonBody } from "../../src/http/Body.js"
import type { HttpError } from "../../src/http/Envelope.js"
import type { spend, spendPublic } from "../../src/http/RequestRate.js"
import type { unreadable } from "../../src/http/serving/Refusing.js"
import type { mediaResponse } from "../../src/http/runs/MediaResponse.js"
import type { AccountHandlers } from "../../src/http/account/Handlers.js"
import type { AuditHandlers } from "../../src/http/audit/Handlers.js"
import type { TokensHandlers } from "../../src/http/tokens/Handlers.js"
import type { CatalogHandlers, PublicCatalogHandlers } from "../../src/http/catalog/Handlers.js"
import type { AuthorizationOver } from "../../src/services/ConnectionAuthorizations.js"
import type { ConnectionsHandlers } from "../../src/http/connections/Handlers.js"
import type { LoginsHandlers } from "../../src/http/logins/Handlers.js"
import type { OAuthHandlers } from "../../src/http/logins/OAuthHandlers.js"
import type { AutomaticTopUpsHandlers } from "../../src/http/payments/AutomaticHandlers.js"
import type { PaymentsHandlers } from "../../src/http/payments/Handlers.js"
import type { badRunsCursor } from "../../src/http/runs/Answers.js"
import type { RunsHandlers } from "../../src/http/runs/Handlers.js"
import type { SystemHandlers } from "../../src/http/system/Handlers.js"
import type { Connections } from "../../src/services/Connections.js"
import type { LoginApprovals } from "../../src/services/LoginApprovals.js"

type FailureOf<Value> = Value extends (...args: never) => infer Answer
  ? FailureOf<Answer>
  : Value extends Effect.Effect<infer _A, infer E, infer _R>
    ? E
    : never
/** Of each method and value of a service; one that fails as its argument does has no failure of its own. */
type FailuresOf<Service> = Service extends object
  ? {
      readonly [Name in keyof Service]-?: unknown extends FailureOf<Service[Name]> ? never : FailureOf<Service[Name]>
    }[keyof Service]
  : never
type ServicesOf<Handlers> = Handlers extends Layer.Layer<infer _A, infer _E, infer Tag> ? Tag : never
type ServiceOf<Tag> = Tag extends Context.TagClassShape<infer _Id, infer Service> ? Service : never

type ByServices = FailuresOf<
  ServiceOf<
    ServicesOf<
      | typeof AccountHandlers
      | typeof AuditHandlers
      | typeof TokensHandlers
      | typeof CatalogHandlers
      | typeof ConnectionsHandlers
      | typeof LoginsHandlers
      | typeof OAuthHandlers
      | typeof AutomaticTopUpsHandlers
      | typeof PaymentsHandlers
      | typeof PublicCatalogHandlers
      | typeof RunsHandlers
      | typeof SystemHandlers
    >
  >
>
type BeforeHandlers =
  | FailureOf<ReturnType<typeof jsonBody>>
  | FailureOf<typeof lacksScope>
  | FailureOf<typeof spend>
  | FailureOf<typeof spendPublic>
  | ReturnType<typeof missedRoute>
  | ReturnType<typeof unreadable>["error"]
  | ReturnType<typeof badRunsCursor>
  | Effect.Effect.Success<ReturnType<typeof unexpected>>
type OfFiles = FailureOf<typeof mediaResponse>
type Raised = ByServices | BeforeHandlers | OfFiles

/** `use` opens a connection for the call of a provider and fails as runs do; no handler calls it. */
type OfRunsOnly = Exclude<FailureOf<Connections["Type"]["use"]>, StorageError>
/** OAuth names its own errors (`logins/OAuthHandlers`). */
type OfOAuthOnly = Extract<FailureOf<LoginApprovals["Type"]["redeem"]>, DeviceRefused>
/** The pages that connect an account say it in words of their own (`console/Connect`). */
type OfPagesOnly = AuthorizationOver
/** True when neither union has a tag that the other lacks; else the tags that one of them lacks. */
type SameTags<A extends { readonly _tag: string }, B extends { readonly _tag: string }> = [
  Exclude<A["_tag"], B["_tag"]> | Exclude<B["_tag"], A["_tag"]>
] extends [never]
  ? true
  : Exclude<A["_tag"], B["_tag"]> | Exclude<B["_tag"], A["_tag"]>

it("the errors that services and doors raise are exactly those that the envelope knows", () => {
  const same: SameTags<Exclude<Raised, OfRunsOnly | OfOAuthOnly | OfPagesOnly>, HttpError> = true
  assert.isTrue(same)
})
