/**
 * The pools of connections, and the clients in them. Where an address names several servers, a new connection is asked
 * whether it can write, and the next server is tried when it cannot. Connections to a server that another one has
 * replaced are closed when they are lent. Behind a pooler that lends its connections by the transaction (PgBouncer),
 * nothing is set for a session here: the pooler sets it (`docs/scaling.md`), and `assertPooler` looks whether it did.
 */
import { Data, Effect, Redacted, type Scope } from "effect"
import Pg from "pg"
import { types } from "./ColumnTypes.js"
import { pipelined, withDescriptions, withoutNames } from "./DriverInternals.js"
import { whyOf } from "./Failure.js"
import { type Server, type Servers, serversTold } from "./Servers.js"
import { driverAddress } from "./Tls.js"

const addressOf = ({ url }: Server): string => driverAddress(Redacted.value(url))

/** How long one of several servers may take until a connection to it is made. */
const serverWithinMillis = 1_000

class TakesNoWrites extends Data.TaggedError("TakesNoWrites")<{}> {
  override get message() {
    return "it is a standby and takes no writes"
  }
}

/** No server of the address takes writes; says what became of each. */
class NoServer extends Data.TaggedError("NoServer")<{ readonly message: string }> {}

type Connected = (error: Error | undefined, client: Pg.PoolClient | undefined, release: (end?: boolean) => void) => void

/** Also true of a server that is told to be read-only. Libpq asks the same for `target_session_attrs`. */
const readsOnlyOf = (client: Pg.Client): Promise<boolean> =>
  client
    .query<{ transaction_read_only: string }>("show transaction_read_only")
    .then(({ rows }) => rows[0]?.transaction_read_only !== "off")

/** A connection to the server whose turn it is. It counts as made when the server says that it takes writes. */
class ServerClient extends Pg.Client {
  constructor(
    private readonly servers: Servers,
    config: Pg.ClientConfig,
    readonly server: Server = servers.next()
  ) {
    super({
      ...config,
      connectionString: addressOf(server),
      connectionTimeoutMillis: Math.min(serverWithinMillis, config.connectionTimeoutMillis ?? serverWithinMillis)
    })
  }

  override connect(): Promise<Pg.Client>
  override connect(callback: ((error: Error) => void) | ((error: null, client: Pg.Client) => void)): void
  override connect(
    callback?: ((error: Error) => void) | ((error: null, client: Pg.Client) => void)
  ): Promise<Pg.Client> | void {
    const made = super
      .connect()
      .then(() => readsOnlyOf(this))
      .then((standby) => (standby ? Promise.reject(new TakesNoWrites()) : undefined))
      .then(
        () => {
          this.servers.worked(this.server)
          return this
        },
        (cause: unknown) => {
          this.servers.failed(this.server, whyOf(cause))
          this.end().catch(() => undefined)
          return Promise.reject(cause)
        }
      )
    if (callback === undefined) return made
    // In another turn: what the callback throws must not become a rejection of this promise.
    const tell = (cause?: unknown) => process.nextTick(() => Reflect.apply(callback, undefined, [cause]))
    made.then(() => tell(), tell)
  }
}

/** What one server says now: that it takes writes, that it is a standby, or why it is not reached. */
export interface ServerLook {
  readonly name: string
  readonly is: "primary" | "standby" | "away"
  readonly why: string | null
}

/** Asks each server by itself, over a connection that is closed after it. */
export const lookAt = (servers: Servers): Effect.Effect<ReadonlyArray<ServerLook>> =>
  Effect.forEach(
    servers.all,
    (server) =>
      Effect.promise((): Promise<ServerLook> => {
        const client = new Pg.Client({
          connectionString: addressOf(server),
          application_name: "provider-gateway (look)",
          connectionTimeoutMillis: serverWithinMillis,
          query_timeout: serverWithinMillis
        })
        client.on("error", () => undefined)
        return client
          .connect()
          .then(() => readsOnlyOf(client))
          .then(
            (standby): ServerLook => ({ name: server.name, is: standby ? "standby" : "primary", why: null }),
            (cause: unknown): ServerLook => ({ name: server.name, is: "away", why: whyOf(cause) })
          )
          .finally(() => client.end().catch(() => undefined))
      }),
    { concurrency: "unbounded" }
  )

/** A single connection to the server that takes the writes. */
export const clientOf = (servers: Servers, config: Pg.ClientConfig): Pg.Client =>
  servers.chosen
    ? new ServerClient(servers, config)
    : new Pg.Client({ ...config, connectionString: addressOf(servers.next()) })

/** Whether a connection goes to a server that another one has replaced. */
export const isLeft = (servers: Servers, client: unknown): boolean =>
  client instanceof ServerClient && servers.isLeft(client.server)

/** Tries the servers in turn until one lends a connection. */
class ServersPool extends Pg.Pool {
  constructor(
    private readonly servers: Servers,
    config: Pg.PoolConfig
  ) {
    super({
      ...config,
      Client: class extends ServerClient {
        constructor(given: Pg.ClientConfig = {}) {
          super(servers, given)
        }
      }
    })
  }

  override connect(): Promise<Pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<Pg.PoolClient> | void {
    if (callback !== undefined) return this.lend(callback, 1)
    return new Promise((resolve, reject) =>
      this.lend((error, client) => (client === undefined ? reject(error) : resolve(client)), 1)
    )
  }

  private lend(callback: Connected, turn: number): void {
    const before = this.servers.next()
    super.connect((error, client, release) => {
      if (client === undefined) {
        // A pool without a free connection says so, and it is no server's fault.
        const turned = this.servers.next() !== before
        if (turned && turn < this.servers.all.length) return this.lend(callback, turn + 1)
        return callback(
          turned ? new NoServer({ message: `no server takes writes (${serversTold(this.servers)})` }) : error,
          client,
          release
        )
      }
      if (!isLeft(this.servers, client)) return callback(error, client, release)
      release(true)
      return this.lend(callback, turn)
    })
  }
}

/** The system's own is two hours: for so long a survey, which has no limit, would wait for a machine that is gone. */
const keepAliveInitialDelayMillis = 30_000

const poolOf = (servers: Servers, options: Pg.PoolConfig): Effect.Effect<Pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const config = { types, keepAlive: true, keepAliveInitialDelayMillis, ...options }
      const pool = servers.chosen
        ? new ServersPool(servers, config)
        : new Pg.Pool({ connectionString: addressOf(servers.next()), ...config })
      // An idle connection died, and the pool has removed it. Without this listener, its error would end the process.
      pool.on("error", () => undefined)
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("5 seconds"))
  )

export interface PoolLimits {
  readonly max: number
  readonly acquireTimeoutMillis: number
  readonly statementTimeoutMillis: number
}

/** How the connections of a session are set up. */
export interface PoolerOptions {
  /** Whether the pooler keeps the named statements of its clients (PgBouncer 1.21, `max_prepared_statements`). */
  readonly prepared: boolean
}

/**
 * Every statement here finds its rows by an index. By default, the planner scans a whole table while it believes that
 * the table is small, and keeps that plan while the table grows. Until the first ANALYZE of a new database, a run then
 * cost 10 ms of Postgres instead of 1. After a VACUUM without ANALYZE, it would read all matches of a list as a bitmap
 * and sort them, instead of the newest few in the order of the index. A statement that reads whole tables on purpose is
 * a `survey`.
 */
const byIndex = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "jit"]
const allTo = (value: "on" | "off"): string => byIndex.map((name) => `set ${name} = ${value}`).join("; ")
/**
 * What each connection for the work is told first. A plan by index is the same for all values, so each connection makes
 * it once for each statement. By default, Postgres plans anew for each list of values that it takes for a short one,
 * which took as long as the locks and reads that it planned. So a value that chooses an index, such as a status, stands
 * in the text of its statement.
 */
export const plannedByIndexOnce = `${allTo("off")}; set plan_cache_mode = force_generic_plan`

/** A transaction whose client is silent ends later than a statement that is too slow. */
const idleMillis = (limits: PoolLimits): number => limits.statementTimeoutMillis + 5_000

const shared = (limits: PoolLimits): Pg.PoolConfig => ({
  application_name: "provider-gateway",
  // Statements of one transaction that do not wait for each other share a round trip.
  ...pipelined,
  max: limits.max,
  idleTimeoutMillis: 30_000,
  connectionTimeoutMillis: limits.acquireTimeoutMillis,
  // Postgres cancels a slow statement first. This later limit is for a network that loses the answer.
  query_timeout: limits.statementTimeoutMillis + 2_000
})

/** The first statement on every connection. If it fails, the connection is lost, and the next one reports that. */
const atFirst = (pool: Pg.Pool, statement: string): void =>
  void pool.on("connect", (client) => void client.query(statement).catch(() => undefined))

export const workPool = (servers: Servers, limits: PoolLimits): Effect.Effect<Pg.Pool, never, Scope.Scope> =>
  poolOf(servers, {
    ...shared(limits),
    statement_timeout: limits.statementTimeoutMillis,
    idle_in_transaction_session_timeout: idleMillis(limits)
  }).pipe(Effect.tap((pool) => Effect.sync(() => atFirst(pool, plannedByIndexOnce))))

/** The same behind a pooler: what a session sets would stay with a connection that the next client gets. */
export const pooledPool = (
  servers: Servers,
  limits: PoolLimits,
  { prepared }: PoolerOptions
): Effect.Effect<Pg.Pool, never, Scope.Scope> =>
  poolOf(servers, shared(limits)).pipe(
    Effect.tap((pool) => Effect.sync(() => pool.on("connect", prepared ? withDescriptions : withoutNames)))
  )

/** Long enough for one migration after the other to take the same connection. */
const surveyIdleMillis = 1_000

/** Connections without time limits, which are closed soon after they were used. */
export const surveyPool = (servers: Servers, limits: PoolLimits): Effect.Effect<Pg.Pool, never, Scope.Scope> =>
  poolOf(servers, {
    application_name: "provider-gateway (survey)",
    // Its settings leave before the statement, and are not waited for.
    ...pipelined,
    max: 2,
    idleTimeoutMillis: surveyIdleMillis,
    connectionTimeoutMillis: limits.acquireTimeoutMillis
    // A role may have the limits that a pooler needs; they are not meant for these statements.
  }).pipe(Effect.tap((pool) => Effect.sync(() => atFirst(pool, `${allTo("on")}; set statement_timeout = 0`))))

/** What every connection of a pooler must have set, as its `connect_query` or for the role. */
export const pooledSettings = (limits: PoolLimits): string =>
  [
    allTo("off"),
    `set statement_timeout = ${limits.statementTimeoutMillis}`,
    `set idle_in_transaction_session_timeout = ${idleMillis(limits)}`
  ].join("; ")

/** Answers a row for each setting of `pooledSettings` that a connection of the pooler lacks. */
export const lackingSettings = `select name from pg_settings
  where (name in (${byIndex.map((name) => `'${name}'`).join(", ")}) and setting <> 'off')
     or (name in ('statement_timeout', 'idle_in_transaction_session_timeout') and setting = '0') order by name`
