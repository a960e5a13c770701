/**
 * Puts a whole catalog in force on this node: checked, indexed beside the one being served, then swapped in one step. A
 * bad one is refused with everything that is wrong with it, and the old one stays. Its contracts are kept first, so
 * that a run can always find the version it was promised.
 */
import { Context, Data, type Effect } from "effect"
import type { Endpoint, JobManifest } from "../domain/Manifest.js"
import type { StorageError } from "../domain/StorageErrors.js"

export interface CatalogContent {
  readonly jobs: ReadonlyArray<JobManifest>
  readonly endpoints: ReadonlyArray<Endpoint>
}

export interface ContentProblem {
  /** `endpoint <id>` or `job <id>`. */
  readonly subject: string
  /** Dotted, from the operation or job; empty for the whole. */
  readonly path: string
  readonly message: string
}

export class CatalogRefused extends Data.TaggedError("CatalogRefused")<{
  readonly problems: ReadonlyArray<ContentProblem>
}> {
  override get message() {
    return this.problems
      .map(({ message, path, subject }) => `${subject}${path === "" ? "" : ` at ${path}`}: ${message}`)
      .join("\n")
  }
}

export class CatalogPublisher extends Context.Tag("gateway/services/CatalogPublisher")<
  CatalogPublisher,
  {
    /** Answers the revision now served; publishing what is already served changes nothing. */
    readonly publish: (content: CatalogContent) => Effect.Effect<string, CatalogRefused | StorageError>
  }
>() {}
