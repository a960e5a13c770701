/** Settings for the work of a node on runs: its slots, its leases and how long it waits. */
import { Context } from "effect"
import { queueMillisMax } from "../../../domain/limits/Runs.js"

export interface DispatcherOptions {
  /** What its leases are called; null makes a name. */
  readonly node: string | null
  /** Whether it takes runs out of the queue, and over from silent nodes. */
  readonly takesQueued: boolean
  /** Whether a run that it admits starts here where no client waits for it. */
  readonly startsUnwaited: boolean
  /** How many runs one node works on at once. */
  readonly slots: number
  /** How long a lease lasts without a renewal. After this time, other nodes take over the runs of a dead node. */
  readonly leaseMillis: number
  readonly heartbeatMillis: number
  /** How often the queue is read when no signal arrives. */
  readonly pollMillis: number
  /** How long a run may wait for a slot before it fails with `capacity_exhausted`. */
  readonly queueMillisMax: number
  /** How long active runs may take to end when the node stops. */
  readonly drainMillis: number
  readonly normalizedOn: boolean
}

export const dispatcherDefaults: DispatcherOptions = {
  node: null,
  takesQueued: true,
  startsUnwaited: true,
  slots: 256,
  leaseMillis: 6_000,
  heartbeatMillis: 2_000,
  pollMillis: 1_000,
  queueMillisMax,
  drainMillis: 10_000,
  normalizedOn: true
}

export class DispatcherSettings extends Context.Reference<DispatcherSettings>()("gateway/layers/DispatcherSettings", {
  defaultValue: (): DispatcherOptions => dispatcherDefaults
}) {}
