/**
 * The frame of every page: head, skip link, bar, navigation, title, content. The navigation is made of the pages that
 * there are, so it never leads to one that is not there; it shows what the visitor's role may open.
 */
import { productName } from "../../domain/Product.js"
import type { Assets } from "./Assets.js"
import { actForm } from "./Forms.js"
import { attributes, html, type Html, nothing, to } from "./Html.js"
import type { Page, Screen } from "./Page.js"
import type { Session } from "./Visitors.js"

type Entry = Pick<Page<unknown>, "method" | "navigation" | "path" | "sees">

export interface FrameOf {
  readonly screen: Pick<Screen, "actions" | "content" | "title">
  readonly session: Session | null
  /** The workspace whose page it is. */
  readonly workspace: { readonly workspaceId: string; readonly name: string } | null
  /** The path of the page as it was declared. */
  readonly path: string
  readonly requestId: string
}

const mark = html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
  <rect x="1" y="1" width="22" height="22" rx="6" />
  <path d="M6 12h5m0 0 5-5m-5 5 5 5" />
  <circle cx="17.5" cy="6.5" r="1.5" />
  <circle cx="17.5" cy="17.5" r="1.5" />
</svg>`

const mayOpen = (session: Session | null, { sees }: Entry): boolean =>
  sees === "anyone" ||
  (session !== null &&
    (sees === "signed_in" || session.role === "operator" || sees === "member" || sees === session.role))

/** `/console/:workspaceId/runs` as the segments behind `/console`. */
const segmentsOf = (path: string, workspaceId: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(2)
    .map((segment) => (segment === ":workspaceId" ? workspaceId : segment))

/** A page belongs to the entry whose path it goes on from. */
const isCurrent = (entry: Entry, path: string): boolean => path === entry.path || path.startsWith(`${entry.path}/`)

const navigationOf = (pages: ReadonlyArray<Entry>, { path, session, workspace }: FrameOf): Html => {
  const group = (label: string | null, prefix: string, workspaceId: string) => {
    const entries = pages
      .filter((page) => page.navigation !== null && page.path.startsWith(prefix) && mayOpen(session, page))
      .sort((a, b) => (a.navigation?.order ?? 0) - (b.navigation?.order ?? 0))
    return entries.length === 0
      ? nothing
      : html`${label !== null && html`<h2>${label}</h2>`}
          <ul>
            ${entries.map(
              (entry) =>
                html`<li>
                  <a
                    href=${to(segmentsOf(entry.path, workspaceId))}
                    ${attributes({ "aria-current": isCurrent(entry, path) ? "page" : null })}
                    >${entry.navigation?.label}</a
                  >
                </li>`
            )}
          </ul>`
  }
  const operator = session?.role === "operator"
  const own =
    workspace === null
      ? nothing
      : group(operator ? workspace.name : null, "/console/:workspaceId/", workspace.workspaceId)
  const gateway = operator ? group("Gateway", "/console/operator/", "") : nothing
  return own === nothing && gateway === nothing ? nothing : html`<nav aria-label="Console">${own}${gateway}</nav>`
}

export const frame = (pages: ReadonlyArray<Entry>, assets: Assets, options: FrameOf): Html => {
  const { requestId, screen, session, workspace } = options
  const navigation = navigationOf(pages, options)
  const canSignOut = pages.some(({ method, path }) => method === "POST" && path === "/console/sign-out")
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${screen.title}${workspace !== null && ` · ${workspace.name}`} · ${productName}</title>
        <link rel="icon" type="image/svg+xml" href=${assets.icon.link} />
        <link rel="stylesheet" href=${assets.style.link} />
        <script src=${assets.script.link} defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="bar">
          <a class="brand" href=${to([])}>${mark}<span>${productName}</span></a>
          ${workspace !== null && html`<span class="workspace"><span class="unseen">Workspace </span><bdi>${workspace.name}</bdi></span>`}
          ${
            session !== null &&
            html`<a class="who" href=${to(["session"])}
                ><bdi>${session.name}</bdi> <small>${session.role}</small></a
              >${canSignOut && actForm({ action: to(["sign-out"]), label: "Sign out" })}`
          }
        </header>
        <div class=${navigation === nothing ? "page narrow" : "page"}>
          ${navigation}
          <main id="content" tabindex="-1">
            <div class="title">
              <h1>${screen.title}</h1>
              ${screen.actions !== null && html`<div class="actions">${screen.actions}</div>`}
            </div>
            ${screen.content}
          </main>
        </div>
        <footer>Request <code>${requestId}</code>. All times are UTC.</footer>
      </body>
    </html> `
}
