/** Units of work on Postgres: every service that joins a unit of work writes on the connection of that unit. */
import { Effect, Layer } from "effect"
import { Transactions } from "../../services/Transactions.js"
import { Database } from "./Database.js"

export const TransactionsPg: Layer.Layer<Transactions, never, Database> = Layer.effect(
  Transactions,
  Effect.map(Database, (database) => Transactions.of({ transact: database.transact }))
)
