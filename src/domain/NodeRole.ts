/**
 * What a node of several does. A run starts on the node that admits it where that node has a free slot, and otherwise
 * waits in the queue for any node that takes queued runs.
 */
import { Schema } from "effect"

/**
 * `all`: everything. `api`: answers requests, and works on the runs whose clients wait for them. `worker`: works on
 * queued runs and does what is due now and again; it answers probes only.
 */
export const NodeRole = Schema.Literal("all", "api", "worker")
export type NodeRole = typeof NodeRole.Type
export const nodeRoles = NodeRole.literals

/** Whether it takes runs out of the queue, and over from silent nodes. */
export const takesQueuedRuns = (role: NodeRole): boolean => role !== "api"
/** Whether a run that it admits starts on it where no client waits for the run. */
export const startsUnwaitedRuns = (role: NodeRole): boolean => role !== "api"
/** Whether it does what is due now and again for all nodes: reports, automatic top-ups, checks of the ledger. */
export const keepsHouse = (role: NodeRole): boolean => role !== "api"
/** Whether it answers anything but `/livez`, `/readyz` and `/metrics`. */
export const answersRequests = (role: NodeRole): boolean => role !== "worker"
