/**
 * What the HTTP server is told at start-up: where to listen, how it is reached, and how long to drain. Values come from
 * `layers/node/Config.ts`.
 */
import { Context } from "effect"
import type { ReaderLimits } from "./SlowReaders.js"

export interface HttpSettingsShape {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** How long requests in flight may go on once the server stops. */
  readonly drainMillis: number
  /** How long `/readyz` says no before the server stops listening, so that a load balancer looks away first. */
  readonly readinessPauseMillis: number
  /** Shown by `GET /v1/session-context`, such as `development` or `production`. */
  readonly deploymentMode: string
  /** How people and clients reach this server, without a slash at the end; links in answers begin with it. */
  readonly publicUrl: string
  /**
   * What the OpenAPI document names as its server: `publicUrl` where the operator has set it, else `/`, the address
   * that the document was asked from.
   */
  readonly serverUrl: string
  /** Whether a proxy of ours stands in front: then the client's address is what it put last into `X-Forwarded-For`. */
  readonly trustProxy: boolean
  /** The agents that `/metrics` counts by name; others are counted together. */
  readonly serviceAgents: ReadonlyArray<string>
  /** Whether nothing but `/livez`, `/readyz` and `/metrics` is answered, as on a worker. */
  readonly probesOnly?: boolean
  /** Other bounds for slow readers than those of `limits/Requests.ts`, for tests. */
  readonly readers?: Partial<ReaderLimits>
}

export class HttpSettings extends Context.Tag("gateway/http/HttpSettings")<HttpSettings, HttpSettingsShape>() {}

/** The path of the public URL, without a slash at its end; empty for most gateways. */
export const prefixOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "")
