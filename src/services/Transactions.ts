/**
 * One unit of work on the storage: everything done inside `transact` is committed together or not at all. Services that
 * say "joins the surrounding transaction" do so; called outside of one, each call is its own. A typed failure of the
 * effect rolls back. Never fork inside: a forked fiber would write on a connection that is no longer its own.
 */
import { Context, type Effect } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"

export class Transactions extends Context.Tag("gateway/services/Transactions")<
  Transactions,
  {
    readonly transact: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageError>
  }
>() {}
