/**
 * The frame of every page of the console. The navigation is made of the pages that there are, so it never leads to one
 * that is not there; it shows what the visitor's role may open.
 */
import type { Assets } from "./Assets.js"
import { actForm } from "./Forms.js"
import { attributes, html, type Html, Link, nothing, to } from "./Html.js"
import type { Page, Screen } from "./Page.js"
import { shell } from "./Shell.js"
import type { Session } from "./Visitors.js"

type Entry = Pick<Page<unknown>, "method" | "navigation" | "path" | "sees">

interface FrameOf {
  readonly screen: Pick<Screen, "actions" | "content" | "title">
  readonly session: Session | null
  /** The workspace whose page it is. */
  readonly workspace: { readonly workspaceId: string; readonly name: string } | null
  /** The path of the page as it was declared. */
  readonly path: string
  readonly requestId: string
}

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
  const group = (label: Html | string | null, prefix: string, workspaceId: string) => {
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
      : group(operator ? html`<bdi>${workspace.name}</bdi>` : null, "/console/:workspaceId/", workspace.workspaceId)
  const gateway = operator ? group("Gateway", "/console/operator/", "") : nothing
  return own === nothing && gateway === nothing ? nothing : html`<nav aria-label="Console">${own}${gateway}</nav>`
}

export const frame = (pages: ReadonlyArray<Entry>, assets: Assets, options: FrameOf): Html => {
  const { requestId, screen, session, workspace } = options
  const canSignOut = pages.some(({ method, path }) => method === "POST" && path === "/console/sign-out")
  return shell({
    title: html`${screen.title}${workspace !== null && ` · ${workspace.name}`}`,
    head: html`<script src=${assets.script.link} defer></script>`,
    assets,
    home: to([]),
    bar: html`${workspace !== null && html`<span class="workspace"><span class="unseen">Workspace </span><bdi>${workspace.name}</bdi></span>`}
    ${
      session !== null &&
      html`<a class="who" href=${to(["session"])}><bdi>${session.name}</bdi>${session.name !== session.role && html` <small>${session.role}</small>`}</a
        >${canSignOut && actForm({ action: to(["sign-out"]), label: "Sign out" })}`
    }`,
    navigation: navigationOf(pages, options),
    main: html`<div class="title">
        <h1>${screen.title}</h1>
        ${screen.actions !== null && html`<div class="actions">${screen.actions}</div>`}
      </div>
      ${screen.content}`,
    footer: html`Request <code>${requestId}</code>. All times are UTC. <a href=${Link.page(["docs"])}>Documentation</a>`
  })
}
