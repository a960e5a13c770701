/**
 * Connections that the pool lends, and the connection on which a transaction runs. A transaction needs few round trips:
 * BEGIN is sent with the first statement that only reads or locks, and statements whose answers nobody needs (`send`)
 * are sent with the COMMIT. Postgres runs them in order. Once one has failed, it refuses the rest and answers COMMIT
 * with a rollback, so the end of the transaction reports the failure of any of them.
 */
import type * as SqlConnection from "@effect/sql/SqlConnection"
import * as SqlError from "@effect/sql/SqlError"
import { Effect, Stream } from "effect"
import type Pg from "pg"
import { ask, takeRows } from "./DriverInternals.js"
import { acquireFailed } from "./Failure.js"

const ignored = () => undefined

/**
 * Lends a connection of the pool, or says why there is none. `release(true)` closes the connection instead of giving it
 * back.
 */
export const lend = (
  pool: Pg.Pool,
  use: (client: Pg.PoolClient, release: (end?: boolean) => void) => void,
  refuse: (error: SqlError.SqlError) => void
): void =>
  pool.connect((refused, client, release) => {
    if (client === undefined) return refuse(new SqlError.SqlError({ cause: refused, message: acquireFailed }))
    // A connection that dies reports this to its statements, and once more as an event. Without a listener, that event
    // ends the process.
    client.on("error", ignored)
    use(client, (end) => {
      client.off("error", ignored)
      release(end)
    })
  })

const errorOf = (cause: unknown) => new SqlError.SqlError({ cause, message: "Failed to execute statement" })

export const failed = (cause: unknown) => Effect.fail(errorOf(cause))

type Params = ReadonlyArray<unknown>
type Executed = ReturnType<SqlConnection.Connection["execute"]>

/**
 * Whether a statement only reads or locks. Such a statement may be sent together with BEGIN: if Postgres refuses the
 * BEGIN, it runs outside of a transaction and leaves nothing behind. Every other statement waits until BEGIN is
 * answered, because without a transaction it would be committed alone.
 */
export const onlyReads = (text: string): boolean => /^\s*select\s/i.test(text)

/** How far the BEGIN has come. A BEGIN that was refused counts as answered: it has ended the connection. */
type Begun = "no" | "sent" | "answered"

/** The connection of one transaction. It reads the rows of an answer as a whole and offers no streams. */
export class Reserved implements SqlConnection.Connection {
  private begun: Begun = "no"
  /**
   * The first failure of BEGIN or of a statement that was sent without waiting. The next statement, or the COMMIT,
   * reports it: the errors that follow it only say that the transaction is aborted.
   */
  private untold: SqlError.SqlError | undefined
  private readonly opened: Array<() => void> = []
  private committing = false

  constructor(
    private readonly client: Pg.Client,
    readonly release: () => void
  ) {}

  readonly execute: SqlConnection.Connection["execute"] = (text, params, transformRows): Executed =>
    this.after(onlyReads(text), () =>
      this.ask<ReadonlyArray<unknown>>((answer) =>
        ask(this.client, text, params, (cause, result) =>
          answer(cause, () => (transformRows === undefined ? takeRows(result) : transformRows(takeRows(result))))
        )
      )
    )

  readonly executeUnprepared = this.execute

  readonly executeRaw: SqlConnection.Connection["executeRaw"] = (text, params) =>
    this.after(onlyReads(text), () =>
      this.ask<Pg.QueryResult>((answer) =>
        ask(this.client, text, params, (cause, result) => answer(cause, () => result))
      )
    )

  readonly executeValues: SqlConnection.Connection["executeValues"] = (text, params) =>
    this.after(onlyReads(text), () => {
      const query: Pg.QueryArrayConfig = { text, values: [...params], rowMode: "array" }
      return this.ask<ReadonlyArray<Params>>((answer) =>
        this.client.query(query, (cause, result) => answer(cause, () => takeRows(result)))
      )
    })

  readonly executeStream: SqlConnection.Connection["executeStream"] = () =>
    Stream.dieMessage("this connection reads rows as a whole")

  /** Sends without waiting for the answer. A failure is reported by the next statement, or by the COMMIT. */
  readonly send = (text: string, params: Params): Effect.Effect<void, SqlError.SqlError> =>
    this.after(false, () =>
      Effect.sync(() =>
        ask(this.client, text, params, (cause) => {
          if (cause instanceof Error) this.untold ??= errorOf(cause)
        })
      )
    )

  /** Fails with the error of the statements that were sent, or with the error of the COMMIT itself. */
  readonly commit: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() => {
    if (this.begun === "no") return Effect.void
    // If a statement could not even be sent, Postgres knows of no failure and would commit the others.
    if (this.untold !== undefined) return Effect.zipRight(Effect.exit(this.rollback), Effect.fail(this.untold))
    this.committing = true
    return this.ask<void>((answer) => ask(this.client, "COMMIT", [], (cause) => answer(cause, ignored)))
  })

  /**
   * Whether a COMMIT was sent. If the connection is lost after that, it is not known whether the transaction was
   * committed.
   */
  get commitSent(): boolean {
    return this.committing
  }

  readonly rollback: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() =>
    this.begun === "no"
      ? Effect.void
      : this.ask<void>((answer) => ask(this.client, "ROLLBACK", [], (cause) => answer(cause, ignored)))
  )

  private ask<A>(
    run: (answer: (cause: Error | null | undefined, result: () => A) => void) => void
  ): Effect.Effect<A, SqlError.SqlError> {
    return Effect.async((resume) =>
      run((cause, result) =>
        resume(cause instanceof Error ? Effect.fail(this.untold ?? errorOf(cause)) : Effect.succeed(result()))
      )
    )
  }

  private begin(): void {
    this.begun = "sent"
    ask(this.client, "BEGIN", [], (cause) => {
      this.begun = "answered"
      if (cause instanceof Error) this.untold ??= new SqlError.SqlError({ cause, message: acquireFailed })
      for (const tell of this.opened.splice(0)) tell()
    })
  }

  /** Continues once the transaction has begun, or at once with a statement that does not need to wait for that. */
  private after<A>(
    atOnce: boolean,
    statement: () => Effect.Effect<A, SqlError.SqlError>
  ): Effect.Effect<A, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.begun === "no") this.begin()
      const next = (): Effect.Effect<A, SqlError.SqlError> =>
        this.untold === undefined ? statement() : Effect.fail(this.untold)
      if (atOnce || this.begun === "answered") return next()
      return Effect.async((resume) => {
        this.opened.push(() => resume(Effect.suspend(next)))
      })
    })
  }
}

export const reserve = (pool: Pg.Pool): Effect.Effect<Reserved, SqlError.SqlError> =>
  Effect.async((resume) =>
    lend(
      pool,
      (client, release) => resume(Effect.succeed(new Reserved(client, release))),
      (error) => resume(Effect.fail(error))
    )
  )
