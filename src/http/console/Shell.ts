/**
 * What every page for people has around its content, in the console and in the documentation: head, skip link, bar,
 * navigation, footer.
 */
import { productName } from "../../domain/Product.js"
import type { Assets } from "./Assets.js"
import { type Content, html, type Html, type Link, nothing } from "./Html.js"

interface ShellOf {
  /** Of the window, before the name of this software. */
  readonly title: Content
  /** Scripts, and styles beside the one of all pages. */
  readonly head: Content
  readonly assets: Pick<Assets, "icon" | "style">
  /** Where the mark in the bar leads. */
  readonly home: Link
  /** Beside the mark. */
  readonly bar: Content
  /** `nothing` makes the page narrow. */
  readonly navigation: Html
  readonly main: Html
  readonly footer: Content
}

const mark = html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
  <rect x="1" y="1" width="22" height="22" rx="6" />
  <path d="M6 12h5m0 0 5-5m-5 5 5 5" />
  <circle cx="17.5" cy="6.5" r="1.5" />
  <circle cx="17.5" cy="17.5" r="1.5" />
</svg>`

export const shell = ({ assets, bar, footer, head, home, main, navigation, title }: ShellOf): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${productName}</title>
        <link rel="icon" type="image/svg+xml" href=${assets.icon.link} />
        <link rel="stylesheet" href=${assets.style.link} />
        ${head}
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="bar"><a class="brand" href=${home}>${mark}<span>${productName}</span></a>${bar}</header>
        <div class=${navigation === nothing ? "page narrow" : "page"}>
          ${navigation}
          <main id="content" tabindex="-1">${main}</main>
        </div>
        <footer>${footer}</footer>
      </body>
    </html> `
