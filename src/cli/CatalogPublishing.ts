/**
 * `catalog publish`, `published` and `withdraw`, and the publishing of imports: what operators put in force beside the
 * built-in catalog, on every node and without a restart. Checked as a whole first; a bad one changes nothing and is
 * answered with what is wrong. A folder must pass `catalog lint` before it is published; an import has no samples.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Data, Effect } from "effect"
import { resolve } from "node:path"
import { counted } from "../domain/Counted.js"
import { commandLine } from "../domain/AuditEntry.js"
import { idsInLine, mergeCatalogs, overriddenBy, overriddenWords, without } from "../layers/catalog/Merging.js"
import { priceChanges, priceChangeWords } from "../layers/catalog/PriceChanges.js"
import { refusedAddressWords } from "../layers/catalog/RefusedAddresses.js"
import { readConfig } from "../layers/node/Config.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { CatalogContent, CatalogRefused } from "../services/CatalogPublisher.js"
import { CatalogRevisions, type PublishMode, type Reached } from "../services/CatalogRevisions.js"
import { announced, carriedOut, dryRun } from "./Announced.js"
import { type Answer, answer } from "./Answer.js"
import { idsOf, namesIn, sizeText } from "./CatalogNames.js"
import * as Inputs from "./Inputs.js"
import { Screen } from "./Screen.js"
import { shippedCatalog } from "./KnownProviders.js"

const problemsShown = 50

export const modes = ["add", "replace"] as const

/** Whether an import is published, and how. */
export const publishing = Options.choice("publish", modes).pipe(
  Options.withDescription(
    "Put it in force on every node: beside what was published before (add), or instead of it (replace)"
  ),
  Options.optional
)

const refused = ({ problems }: Pick<CatalogRefused, "problems">): Answer => ({
  ok: false,
  json: { published: false, problems: problems.map((problem) => ({ ...problem })) },
  text: [
    ...problems
      .slice(0, problemsShown)
      .map(({ message, path, subject }) => `${subject}${path === "" ? "" : ` at ${path}`}: ${message}`),
    `${counted(problems.length, "problem")}; nothing was published, and what was in force still is`
  ].join("\n")
})

/** The reader of manifests, loaded when it is asked for. */
const reader = Effect.map(
  Effect.promise(() => import("../layers/catalog/CatalogFiles.js")),
  ({ readCatalog }) => readCatalog
)

/** What is in force without a publication: the built-in catalog, and over it the folders of `GATEWAY_CATALOG`. */
export const underneath = Effect.gen(function* () {
  const own = yield* shippedCatalog
  const { catalogFolders } = yield* readConfig
  return mergeCatalogs(own, yield* (yield* reader)(catalogFolders, { otherJobs: own.jobs }))
})

const withdrawn = (content: CatalogContent): ReadonlyArray<string> =>
  content.endpoints.length + content.jobs.length === 0
    ? []
    : [`Withdraws ${sizeText(content)} from every node:`, ...namesIn(content)]

/** What a publication comes on top of. `below` is the catalog without publications. */
const standing = (mode: PublishMode, below: CatalogContent) =>
  mode === "replace"
    ? Effect.succeed(below)
    : Effect.map(
        Effect.flatMap(CatalogRevisions, ({ latest }) => latest),
        ({ content }) => mergeCatalogs(below, content)
      )

/** What a publication does to what is in force. `below` is the catalog without publications. */
export const publicationText = (content: CatalogContent, mode: PublishMode, below: CatalogContent) =>
  Effect.map(
    Effect.all([Effect.flatMap(CatalogRevisions, ({ latest }) => latest), readConfig]),
    ([{ content: before }, { egressAllow }]): ReadonlyArray<string> => {
      const ids = new Set(content.endpoints.map(({ operation }) => operation.id))
      const replaced = before.endpoints.map(({ operation }) => operation.id).filter((id) => ids.has(id))
      const served = mergeCatalogs(below, before)
      if (mode === "without")
        return [
          ...withdrawn(content),
          ...priceChangeWords(priceChanges(served.endpoints, mergeCatalogs(below, without(before, content)).endpoints))
        ]
      const serving = mergeCatalogs(mode === "add" ? served : below, content)
      return [
        ...(mode === "replace" ? withdrawn(before) : []),
        ...(content.endpoints.length + content.jobs.length === 0
          ? []
          : [`Publishes ${sizeText(content)} on every node`]),
        ...(mode === "add" && replaced.length > 0
          ? [
              `Replaces ${counted(replaced.length, "operation")} of the same id that ${replaced.length === 1 ? "was" : "were"} published before: ${idsInLine(replaced)}`
            ]
          : []),
        ...overriddenWords(overriddenBy(below, content)),
        ...priceChangeWords(priceChanges(served.endpoints, serving.endpoints)),
        ...refusedAddressWords(content, egressAllow)
      ]
    }
  )

/** A catalog of a hundred thousand operations takes a node about twenty seconds. */
const nodesWithinMillis = 120_000
/** Whoever waits longer than this is told what for. */
const quietMillis = 1_000

/** Waits for all nodes. A node that is frozen keeps its connections, and so counts as one that runs. */
const waitForNodes = (reachedBy: (limitMillis: number) => Effect.Effect<Reached, StorageError>) =>
  Effect.gen(function* () {
    const { note } = yield* Screen
    const soon = yield* reachedBy(quietMillis)
    const missing = soon.nodes - soon.inForce - soon.refused
    if (missing <= 0) return soon
    yield* note(
      `Published. Waiting up to two minutes for ${missing} of ${counted(soon.nodes, "node")} to put it in force, also for one that is frozen`
    )
    return yield* reachedBy(nodesWithinMillis - quietMillis)
  })

/** Whether all nodes have it, in words. */
const reachedWords = ({ inForce, nodes, refused }: Reached): string => {
  if (nodes === 0) return "no gateway runs on this database now; the next one that starts serves it"
  if (inForce >= nodes) return nodes === 1 ? "in force on the one node that runs" : `in force on all ${nodes} nodes`
  return refused > 0
    ? `refused by ${refused} of ${counted(nodes, "node")}, whose log says why; in force on ${inForce}`
    : `in force on ${inForce} of ${counted(nodes, "node")} after two minutes; the log of the others says more`
}

/**
 * Publishes and answers with `report`, or with the reason why it did not. Ends when every node of this database has the
 * publication in force, so that a client that asks any node after that is served from it.
 */
export const publishAs = (content: CatalogContent, mode: PublishMode, report: Answer, below: CatalogContent) =>
  Effect.scoped(
    Effect.gen(function* () {
      const revisions = yield* CatalogRevisions
      const reachedBy = yield* revisions.watch
      const { endpoints, sequence } = yield* revisions.publish(content, { mode, builtIn: below }, commandLine)
      const reached = yield* waitForNodes((limitMillis) => reachedBy(sequence, limitMillis))
      const done: Answer = {
        ok: (report.ok ?? true) && reached.inForce >= reached.nodes,
        json: {
          ...report.json,
          published: true,
          sequence,
          publishedOperations: endpoints,
          nodes: reached.nodes,
          nodesInForce: reached.inForce
        },
        text: [
          ...(report.text === "" ? [] : [report.text]),
          `Publication ${sequence}: ${counted(endpoints, "operation")} over the built-in catalog; ${reachedWords(reached)}`
        ].join("\n")
      }
      return done
    })
  ).pipe(Effect.catchTag("CatalogRefused", (problem) => Effect.succeed(refused(problem))))

const nothingElse: Answer = { json: {}, text: "" }

const replace = Options.boolean("replace").pipe(Options.withDescription("Withdraw what was published before"))

export const publish = Command.make(
  "publish",
  { folders: Inputs.folder.pipe(Args.atLeast(1)), replace, dryRun, json: Inputs.json },
  ({ dryRun, folders, json, replace }) =>
    answer(
      json,
      Effect.gen(function* () {
        const readCatalog = yield* reader
        const builtIn = yield* underneath
        const content = yield* readCatalog(
          folders.map((folder) => resolve(folder)),
          { otherJobs: builtIn.jobs, thorough: true, providersOnce: true }
        )
        const mode = replace ? "replace" : "add"
        const { foreignFields, lintCatalog } = yield* Effect.promise(() => import("../layers/catalog/CatalogLint.js"))
        const { inItsFile } = yield* Effect.promise(() => import("../layers/catalog/ManifestReading.js"))
        const { endpoints, jobs } = content
        const others = without(yield* standing(mode, builtIn), { endpoints, jobs: [] })
        const found = [
          ...(yield* lintCatalog({ endpoints, jobs: [...builtIn.jobs, ...jobs] })),
          // A job may come with other fields than those that operations outside of these folders fill in.
          ...foreignFields(others.endpoints, jobs)
        ]
        if (found.length > 0) {
          const problems = found.map((each) => inItsFile(content.sources, each))
          return refused({ problems: problems.map(({ file, ...rest }) => ({ subject: file, ...rest })) })
        }
        return yield* carriedOut(dryRun, {
          will: yield* publicationText(content, mode, builtIn),
          work: publishAs(content, mode, nothingElse, builtIn)
        })
      })
    )
).pipe(Command.withDescription("Put the manifests of folders in force on every node, beside what was published before"))

export const published = Command.make("published", { json: Inputs.json }, ({ json }) =>
  answer(
    json,
    Effect.map(
      Effect.flatMap(CatalogRevisions, ({ latest }) => latest),
      ({ content, sequence }) => ({
        json: { sequence, operations: content.endpoints.length, jobs: content.jobs.length, ...idsOf(content) },
        text:
          content.endpoints.length + content.jobs.length === 0
            ? "Nothing is published beside the built-in catalog"
            : [
                `Publication ${sequence}: ${counted(content.endpoints.length, "operation")}, ${counted(content.jobs.length, "job")}`,
                ...namesIn(content)
              ].join("\n")
      })
    )
  )
).pipe(Command.withDescription("What is published beside the built-in catalog"))

const nothing: CatalogContent = { jobs: [], endpoints: [] }

export class NotPublished extends Data.TaggedError("NotPublished")<{ readonly ids: ReadonlyArray<string> }> {
  override get message() {
    return `Nothing that is published has the id ${this.ids.join(", ")}; gateway catalog published shows what has one`
  }
}

/** What these ids of providers, operations and jobs name of what is published. */
const namedBy = (ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { content } = yield* (yield* CatalogRevisions).latest
    const named = new Set(ids)
    const unknown = new Set(ids)
    const isNamed = (...of: ReadonlyArray<string>): boolean => {
      for (const id of of) unknown.delete(id)
      return of.some((id) => named.has(id))
    }
    const found: CatalogContent = {
      endpoints: content.endpoints.filter(({ operation, provider }) => isNamed(operation.id, provider.id)),
      jobs: content.jobs.filter(({ id }) => isNamed(id))
    }
    return unknown.size > 0 ? yield* new NotPublished({ ids: Array.from(unknown) }) : found
  })

export const withdraw = Command.make(
  "withdraw",
  {
    ids: Inputs.text("ID").pipe(
      Args.withDescription(
        "Only this provider, operation or job, by its id as catalog published shows it; everything where none is named"
      ),
      Args.repeated
    ),
    dryRun,
    json: Inputs.json
  },
  ({ ids, ...asked }) =>
    announced(
      asked,
      Effect.gen(function* () {
        const below = yield* underneath
        const [content, mode] =
          ids.length === 0 ? ([nothing, "replace"] as const) : ([yield* namedBy(ids), "without"] as const)
        return {
          will: yield* publicationText(content, mode, below),
          work: publishAs(content, mode, nothingElse, below)
        }
      })
    )
).pipe(Command.withDescription("Take published operations and jobs back; runs under way keep their contracts"))
