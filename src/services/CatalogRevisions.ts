/**
 * What operators published beside the built-in catalog, for all nodes. Publishing checks the whole, keeps it and tells every node,
 * which then swaps to it; a bad one is refused with all its errors and nothing changes.
 */
import { Context, type Effect, type Stream } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"
import type { CatalogContent, CatalogRefused } from "./CatalogPublisher.js"

export interface PublishedRevision {
  /** Counts up; 0 where nothing was published. */
  readonly sequence: number
  readonly content: CatalogContent
}

export class CatalogRevisions extends Context.Tag("gateway/services/CatalogRevisions")<CatalogRevisions, {
  /**
   * `add` keeps what was published before and replaces endpoints and jobs of the same ids; `replace` keeps nothing of it.
   * `builtIn` is what the published catalog is served with: its jobs may be named, and its endpoints are overridden by id.
   */
  readonly publish: (
    content: CatalogContent, options: { readonly mode: "add" | "replace"; readonly builtIn: CatalogContent }
  ) => Effect.Effect<{ readonly sequence: number; readonly endpoints: number }, CatalogRefused | StorageError>
  readonly latest: Effect.Effect<PublishedRevision, StorageError>
  /** The newest sequence, cheap to ask for. */
  readonly sequence: Effect.Effect<number, StorageError>
  /** Something for every time that a new revision may be there; never ends. */
  readonly changes: Stream.Stream<void>
}>() {}
