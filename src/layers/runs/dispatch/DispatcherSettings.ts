/** How a node works on runs: its slots, leases and patience. */
import { Context } from "effect"

export interface DispatcherOptions {
  /** Runs that one node works on at once. */
  readonly slots: number
  /** How long a lease lasts without a heartbeat: a dead node's runs are taken over after this. */
  readonly leaseMillis: number
  readonly heartbeatMillis: number
  /** How often the queue is looked at when no signal came. */
  readonly pollMillis: number
  /** How long a run may wait for a slot before it fails with `capacity_exhausted`. */
  readonly queueMillisMax: number
  /** How long runs under way may take to end when the node stops. */
  readonly drainMillis: number
  readonly normalizedOn: boolean
}

export const dispatcherDefaults: DispatcherOptions = {
  slots: 256,
  leaseMillis: 6_000,
  heartbeatMillis: 2_000,
  pollMillis: 1_000,
  queueMillisMax: 300_000,
  drainMillis: 10_000,
  normalizedOn: true
}

export class DispatcherSettings extends Context.Reference<DispatcherSettings>()("gateway/layers/DispatcherSettings", {
  defaultValue: (): DispatcherOptions => dispatcherDefaults
}) {}
