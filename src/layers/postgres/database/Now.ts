/**
 * Milliseconds since the epoch by the database's clock, as an expression of SQL. Leases, windows, months and the times
 * of runs and entries go by it, because all nodes share it and their own clocks differ. It reads the clock and not the
 * start of the transaction, which may wait.
 */
import { Context, Effect } from "effect"

/** The text of the expression; a test whose time is its own puts that there. */
export class DatabaseNow extends Context.Reference<DatabaseNow>()("gateway/layers/database/DatabaseNow", {
  defaultValue: (): Effect.Effect<string> => Effect.succeed("(extract(epoch from clock_timestamp()) * 1000)::bigint")
}) {}
