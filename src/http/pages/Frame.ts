/** The frame of the pages that need no session: the console's look, with a navigation through the documentation. */
import { productName, productVersion } from "../../domain/Product.js"
import type { Assets } from "../console/Assets.js"
import { attributes, html, type Html, Link, nothing } from "../console/Html.js"
import { shell } from "../console/Shell.js"
import { guideGroups } from "./Guides.js"
import type { PublicPage } from "./Page.js"

interface Entry {
  readonly label: string
  readonly segments: ReadonlyArray<string>
}

const documentation: ReadonlyArray<Entry> = [
  { label: "Overview", segments: ["docs"] },
  { label: "Reference", segments: ["docs", "reference"] }
]
const forPrograms: ReadonlyArray<Entry> = [
  { label: "OpenAPI document", segments: ["openapi.json"] },
  { label: "llms.txt", segments: ["llms.txt"] }
]

const navigation = (path: string): Html => {
  const group = (label: string, entries: ReadonlyArray<Entry>) =>
    html`<h2>${label}</h2>
      <ul>
        ${entries.map(
          ({ label, segments }) =>
            html`<li>
              <a
                href=${Link.page(segments)}
                ${attributes({ "aria-current": `/${segments.join("/")}` === path ? "page" : null })}
                >${label}</a
              >
            </li>`
        )}
      </ul>`
  return html`<nav aria-label="Documentation">
    ${group("Documentation", documentation)}
    ${guideGroups.map(({ guides, label }) =>
      group(
        label,
        guides.map(({ name, title }) => ({ label: title, segments: ["docs", name] }))
      )
    )}
    ${group("For programs", forPrograms)}
  </nav>`
}

export const publicFrame = (assets: Assets, { content, head, path, title }: PublicPage): Html =>
  shell({
    title,
    head: head ?? nothing,
    assets,
    home: Link.page([""]),
    bar: html`<nav class="ways" aria-label="Gateway">
      <a href=${Link.page(["docs"])}>Docs</a> <a href=${Link.page(["console"])}>Console</a>
    </nav>`,
    navigation: path === "/" ? nothing : navigation(path),
    main: html`<div class="title"><h1>${title}</h1></div>
      ${content}`,
    footer: html`${productName} ${productVersion}`
  })
