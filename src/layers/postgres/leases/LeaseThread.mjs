// @ts-check
/**
 * The thread that renews a node's leases over a connection of its own, while the main thread may be busy or blocked. It
 * reads them from memory that the main thread writes (LeaseTable.ts). It tells the main thread which are lost, of which
 * runs a cancel was asked, and when renewing fails and works again. It renews nothing once the main thread's pulse has
 * been still for `silenceMillis`: a thread that is stuck for ever works on nothing. It ends with the process.
 * JavaScript, because the runtime starts it from its file, in dist and in tests alike.
 *
 * @typedef {object} Given
 * @property {ReadonlyArray<string>} urls of the servers of the database, of which one takes writes
 * @property {ReadonlyArray<import("./LeaseTable.js").LeaseTableMemory>} tables
 * @property {number} slotBytes
 * @property {string} renewal the statement of RenewalStatement.ts
 * @property {number} leaseMillis
 * @property {number} heartbeatMillis
 * @property {number} silenceMillis
 * @typedef {{ readonly workspaceId: string, readonly runId: string, readonly token: string }} HeldLease
 */
import { setTimeout as sleep } from "node:timers/promises"
import { parentPort, workerData } from "node:worker_threads"
import Pg from "pg"

/** @type {Given} */
const given = workerData
const { heartbeatMillis, leaseMillis, renewal, silenceMillis, slotBytes } = given
/** After a failure: often enough for several tries before a lease ends. */
const retryMillis = Math.min(500, heartbeatMillis)

/** @param {import("./LeaseTable.js").LeaseTableMemory} memory */
const readerOf = (memory) => {
  const words = new Int32Array(memory.words)
  const bytes = Buffer.from(memory.bytes)
  /** @returns {ReadonlyArray<HeldLease>} */
  const read = () => {
    const found = []
    for (let slot = 0; slot < words.length - 1; slot++) {
      const before = Atomics.load(words, 1 + slot)
      if (before === 0) continue
      const start = slot * slotBytes
      const text = bytes.toString("latin1", start + 1, start + 1 + (bytes[start] ?? 0))
      const [workspaceId, runId, token] = text.split(" ")
      // Written anew meanwhile: it is young, and read the next time.
      if (
        Atomics.load(words, 1 + slot) !== before ||
        workspaceId === undefined ||
        runId === undefined ||
        token === undefined
      )
        continue
      found.push({ workspaceId, runId, token })
    }
    return found
  }
  return { read, pulse: () => Atomics.load(words, 0) }
}

const tables = given.tables.map(readerOf)
parentPort?.on("message", (memory) => void tables.push(readerOf(memory)))

let pulse = -1
let beatenAt = performance.now()
const mainIsSilent = () => {
  const now = tables[0]?.pulse() ?? 0
  if (now !== pulse) {
    pulse = now
    beatenAt = performance.now()
  }
  return performance.now() - beatenAt > silenceMillis
}

/** The number of the server in use. After a failure, such as a standby's that takes no writes, it is the next one. */
let server = 0
/** @type {Pg.Client | null} */
let client = null
const connected = async () => {
  if (client !== null) return client
  const made = new Pg.Client({
    connectionString: given.urls[server % given.urls.length],
    application_name: "provider-gateway (leases)",
    keepAlive: true,
    connectionTimeoutMillis: heartbeatMillis,
    statement_timeout: heartbeatMillis,
    query_timeout: heartbeatMillis + retryMillis
  })
  made.on("error", () => {
    if (client === made) client = null
  })
  await made.connect()
  client = made
  return made
}

const renew = async () => {
  const leases = tables.flatMap(({ read }) => read())
  if (leases.length === 0 || mainIsSilent()) return
  const connection = await connected()
  const { rows } = await connection.query({
    name: "renew",
    text: renewal,
    values: [
      leases.map(({ workspaceId }) => workspaceId),
      leases.map(({ runId }) => runId),
      leases.map(({ token }) => token),
      leaseMillis
    ]
  })
  /** @type {Map<string, boolean>} */
  const held = new Map(rows.map(({ cancelRequested, runId }) => [runId, cancelRequested]))
  const news = leases.flatMap(({ runId, token }) => {
    const cancelled = held.get(runId)
    return cancelled === undefined
      ? [{ runId, token, what: "lost" }]
      : cancelled
        ? [{ runId, token, what: "cancelled" }]
        : []
  })
  if (news.length > 0) parentPort?.postMessage(news)
}

/** @param {string | null} trouble why renewing failed, or null: it works */
const tellTrouble = (trouble) => void parentPort?.postMessage({ trouble })

// Says that this thread works: the main thread may have started it because the one before ended.
tellTrouble(null)
let failing = false
for (;;) {
  const again = await renew().then(
    () => {
      if (failing) tellTrouble(null)
      failing = false
      return heartbeatMillis
    },
    (/** @type {unknown} */ cause) => {
      client?.end().catch(() => undefined)
      client = null
      server++
      failing = true
      tellTrouble(cause instanceof Error ? cause.message || cause.name : String(cause))
      return retryMillis
    }
  )
  await sleep(again)
}
