/**
 * `/docs/<guide>`: the Markdown files of `docs/` for those who use or run a gateway, as pages. What only its developers
 * need stays in the repository.
 */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { html, Link } from "../console/Html.js"
import { packagedFile } from "../../PackagedFiles.js"
import { markdown } from "./Markdown.js"
import type { PublicPage } from "./Page.js"

export interface Guide {
  /** Of its file and of its page. */
  readonly name: string
  readonly title: string
  readonly says: string
}

export const guideGroups: ReadonlyArray<{ readonly label: string; readonly guides: ReadonlyArray<Guide> }> = [
  {
    label: "Use it",
    guides: [
      { name: "client", title: "Client package", says: "Five tasks in Node or a browser, and what is sent again." },
      { name: "running", title: "Running", says: "Fallback, caps, cancelling, many runs, and how money works." },
      { name: "agents", title: "Agents", says: "Models use the gateway over the Model Context Protocol." },
      { name: "results", title: "Results", says: "How to read a result: its fields, texts and files." },
      { name: "errors", title: "Errors", says: "Refused requests and failed runs, and what to do." },
      { name: "api", title: "HTTP API", says: "Every route, with what it takes and answers." },
      { name: "search", title: "Search", says: "How the catalog is searched." },
      { name: "catalog", title: "Built-in catalog", says: "Every operation that comes with it, and what was read." },
      { name: "logins", title: "Scopes and logins", says: "What each scope allows, and how a client gets a token." },
      { name: "console", title: "Console", says: "The console page by page, and who may open what." },
      { name: "testing", title: "Testing", says: "A whole gateway inside of a test of your client." }
    ]
  },
  {
    label: "Run it",
    guides: [
      { name: "operating", title: "Operating", says: "Production, customers, uncertain runs, prices, upgrades." },
      { name: "configuration", title: "Configuration", says: "Every setting, and the values that it takes." },
      { name: "cli", title: "Command line", says: "Every command with its options." },
      { name: "backup", title: "Backup", says: "How to back up and restore, and what a restore means." },
      { name: "retention", title: "Retention", says: "How long runs are kept, and how they leave." },
      { name: "keys", title: "Keys", says: "Keys of providers, and the keys that seal them." },
      { name: "deploying", title: "Deploying", says: "An image, compose for one machine, Kustomize for a cluster." },
      {
        name: "scaling",
        title: "Scaling",
        says: "Several nodes, distribution, a standby of the database, and PgBouncer."
      },
      { name: "observability", title: "Watching it", says: "Traces, metrics, logs, a dashboard and alerts." },
      { name: "alerts", title: "Alerts", says: "What each alert means, and what to do." },
      { name: "payments", title: "Payments", says: "Top-ups by card through Stripe." },
      { name: "providers", title: "Providers", says: "How to add a provider: one YAML file." },
      { name: "manifest", title: "Manifest", says: "Every field of a manifest, with its default and its bounds." },
      { name: "imports", title: "Imports", says: "What imported operations send, measured on real documents." },
      { name: "security", title: "Security", says: "What is protected from whom, and what an operator must do." }
    ]
  }
]

export const guides: ReadonlyArray<Guide> = guideGroups.flatMap((group) => group.guides)

const guideFile = /^([a-z]+)\.md(?:#(.*))?$/

/** Other guides are pages here, too. A file of the repository that is none is not linked. */
const linkOf = (address: string): Link | null => {
  if (/^https?:/.test(address)) return Link.elsewhere(address)
  if (address.startsWith("#")) return Link.here(address.slice(1))
  const [, name, place = null] = guideFile.exec(address) ?? []
  return name !== undefined && guides.some((guide) => guide.name === name) ? Link.page(["docs", name], place) : null
}

/** Null when there is no such guide, or the package lacks its file. */
export const guidePage = (name: string): Effect.Effect<PublicPage | null> => {
  const guide = guides.find((each) => each.name === name)
  const file = guide === undefined ? null : packagedFile(`docs/${guide.name}.md`)
  return guide === undefined || file === null
    ? Effect.succeed(null)
    : Effect.map(
        Effect.promise(() => readFile(file, "utf8")),
        (text) => ({
          title: guide.title,
          path: `/docs/${guide.name}`,
          content: html`<article class="prose">${markdown(text, linkOf)}</article>`
        })
      )
}

/** For a person whose address names no guide. */
export const missingPage: PublicPage = {
  title: "Not found",
  path: "/docs/*",
  content: html`<div class="told" role="alert"><p>There is no page at this address.</p></div>
    <p><a href=${Link.page(["docs"])}>To the documentation</a></p>`
}
