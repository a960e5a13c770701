/**
 * `provider-gateway/client`: a client of the gateway for Node from 20 on and for browsers, without dependencies.
 * docs/client.md shows what it is used for.
 */
export * from "./api/Schemas.js"
export type { Operations } from "./api/Operations.js"
export { type CallOptions, createClient, type GatewayClient } from "./Client.js"
export {
  Aborted,
  type FailedRun,
  type GatewayFailure,
  type GatewayRefusal,
  isGatewayFailure,
  type RefusalCode,
  Refused,
  RunFailed,
  type RunFailureCode,
  RunUncertain,
  UnexpectedAnswer,
  Unreachable
} from "./Failures.js"
export type { Pages } from "./Pages.js"
export type { CompletedRun, KeyedOptions, RunInput } from "./RunToEnd.js"
export type { ClientOptions, JsonCodec } from "./Settings.js"
export { type VerifiedWebhook, verifyWebhook, type WebhookHeaders, WebhookInvalid } from "./Webhooks.js"
