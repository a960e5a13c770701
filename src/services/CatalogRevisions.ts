/**
 * What operators published beside the built-in catalog, for all nodes. Publishing checks the whole, keeps it and tells
 * every node, which then swaps to it; a bad one is refused with all its errors and nothing changes.
 */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { CatalogContent, CatalogRefused } from "./CatalogPublisher.js"

export interface PublishedRevision {
  /** Counts up; 0 where nothing was published. */
  readonly sequence: number
  readonly content: CatalogContent
}

/** What a node says when it has tried to take a revision over. */
export interface TakenOver {
  readonly sequence: number
  /** False: it cannot be read or is refused, and the node's log says why. */
  readonly inForce: boolean
}

/** How far the nodes that are running now have come with a revision. */
export interface Reached {
  /** 0 where no gateway runs on this database. */
  readonly nodes: number
  readonly inForce: number
  readonly refused: number
}

export type PublishMode = "add" | "replace" | "without"

export class CatalogRevisions extends Context.Tag("gateway/services/CatalogRevisions")<
  CatalogRevisions,
  {
    /**
     * `add` keeps what was published before and replaces endpoints and jobs of the same ids; `replace` keeps nothing of
     * it; `without` takes the content out of it, and keeps the rest. `builtIn` is what the published catalog is served
     * with: its jobs may be named, and its endpoints are overridden by id.
     */
    readonly publish: (
      content: CatalogContent,
      options: { readonly mode: PublishMode; readonly builtIn: CatalogContent },
      by: Actor
    ) => Effect.Effect<{ readonly sequence: number; readonly endpoints: number }, CatalogRefused | StorageError>
    readonly latest: Effect.Effect<PublishedRevision, StorageError>
    /** The newest sequence, cheap to ask for. */
    readonly sequence: Effect.Effect<number, StorageError>
    /**
     * Something for every time that a new revision may be there; never ends. A node that runs this stream counts as
     * running.
     */
    readonly changes: Stream.Stream<void>
    /** A node tells this to those that wait. */
    readonly tell: (taken: TakenOver) => Effect.Effect<void, StorageError>
    /**
     * Listens from now on, so call it before publishing. The returned function waits until every running node has taken
     * over this revision or a later one, or has refused it, or the time limit has passed. It answers how far the nodes
     * have come.
     */
    readonly watch: Effect.Effect<
      (sequence: number, limitMillis: number) => Effect.Effect<Reached, StorageError>,
      StorageError,
      Scope.Scope
    >
  }
>() {}
