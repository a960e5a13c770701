/**
 * What a node of several does. A run starts on the node that admits it where that node has a free slot, and otherwise
 * waits in the queue for any node that takes queued runs.
 */
import { Schema } from "effect"
import { counted } from "./Counted.js"
import { nodeSilentMillis } from "./limits/Nodes.js"

/**
 * `all`: everything. `api`: answers requests, and works on the runs whose clients wait for them. `worker`: works on
 * queued runs and does what is due now and again; it answers probes only.
 */
export const NodeRole = Schema.Literal("all", "api", "worker")
export type NodeRole = typeof NodeRole.Type
export const nodeRoles = NodeRole.literals

/** Whether it takes runs out of the queue, and over from silent nodes. A role of a later version may do so, too. */
export const takesQueuedRuns = (role: string): boolean => role !== "api"
/** Whether a run that it admits starts on it where no client waits for the run. */
export const startsUnwaitedRuns = (role: NodeRole): boolean => role !== "api"
/** Whether it does what is due now and again for all nodes: reports, automatic top-ups, checks of the ledger. */
export const doesHousekeeping = (role: NodeRole): boolean => role !== "api"
/** Whether it answers anything but `/livez`, `/readyz` and `/metrics`. */
export const answersRequests = (role: NodeRole): boolean => role !== "worker"

export const nobodyWorks =
  "No node with the role all or worker runs: runs without a waiting client stay in the queue, and nothing that is due now and again is done"
export const somebodyWorks =
  "A node with the role all or worker runs again: it works on the runs in the queue, and does what is due"
export const startAWorker = "Start a node with GATEWAY_ROLE worker or all"

interface Listed {
  readonly role: string
  /** Since it said last that it runs. */
  readonly silentMillis: number
}
export const isRunning = ({ silentMillis }: Pick<Listed, "silentMillis">): boolean => silentMillis <= nodeSilentMillis

/** Whether nodes run, and none of them takes queued runs. */
export const lacksWorkers = (listed: ReadonlyArray<Listed>): boolean => {
  const running = listed.filter(isRunning)
  return running.length > 0 && !running.some(({ role }) => takesQueuedRuns(role))
}

/** `2 nodes run: 1 all, 1 worker; 1 is silent`. */
export const nodesInWords = (listed: ReadonlyArray<Listed>): string => {
  const running = listed.filter(isRunning)
  const byRole = new Map<string, number>()
  for (const { role } of running) byRole.set(role, (byRole.get(role) ?? 0) + 1)
  const roles = Array.from(byRole, ([role, nodes]) => `${nodes} ${role}`).join(", ")
  const silent = listed.length - running.length
  return `${running.length === 0 ? "no node runs" : `${counted(running.length, "node")} ${running.length === 1 ? "runs" : "run"}: ${roles}`}${
    silent === 0 ? "" : `; ${silent} ${silent === 1 ? "is" : "are"} silent`
  }`
}
