/**
 * Milliseconds since the epoch by the database's clock, as an SQL expression. Leases, windows, months and the times of
 * runs and entries use this clock, because all nodes share it and their own clocks differ. The expression gives the
 * current time and not the start of the transaction, which may have waited since.
 */
import { Context, Effect } from "effect"

/** Gives the text of the expression. A test that controls the time puts its own clock there. */
export class DatabaseNow extends Context.Reference<DatabaseNow>()("gateway/layers/database/DatabaseNow", {
  defaultValue: (): Effect.Effect<string> => Effect.succeed("(extract(epoch from clock_timestamp()) * 1000)::bigint")
}) {}

/** The text of the expression, for a statement that is built now. */
export const databaseNow: Effect.Effect<string> = Effect.flatten(DatabaseNow)
