/**
 * Markdown of our own guides as HTML. What a guide says stays text: HTML in it is shown, not taken, and pictures are
 * left out, because the package has none. Headings get the ids that the forge gives them, so that links to a place work
 * in both.
 */
import { lexer, type MarkedToken, type Token, type Tokens } from "marked"
import { type Content, html, type Html, type Link, nothing } from "../console/Html.js"

/** Where a link of a guide leads on a page; null for a file that no page shows. */
export type LinkOf = (address: string) => Link | null

/** Without extensions, the library makes no tokens but its own. */
const isKnown = (_: Token): _ is MarkedToken => true

const textOf = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .filter(isKnown)
    .map((token) =>
      "tokens" in token && token.tokens !== undefined ? textOf(token.tokens) : "text" in token ? token.text : ""
    )
    .join("")

/** The id of a heading as GitHub makes it, without the number that it adds to the second of equal headings. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-")

/** A guide without its title, which the frame shows. */
export const markdown = (text: string, linkOf: LinkOf): Html => {
  const taken = new Map<string, number>()
  const idOf = (heading: string): string => {
    const slug = slugOf(heading)
    const before = taken.get(slug) ?? 0
    taken.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  }

  const all = (tokens: ReadonlyArray<Token> | undefined): ReadonlyArray<Content> =>
    (tokens ?? []).filter(isKnown).map(one)

  const heading = ({ depth, tokens }: Tokens.Heading): Html => {
    if (depth === 1) return nothing
    const id = idOf(textOf(tokens))
    if (depth === 2) return html`<h2 id=${id}>${all(tokens)}</h2>`
    return depth === 3 ? html`<h3 id=${id}>${all(tokens)}</h3>` : html`<h4 id=${id}>${all(tokens)}</h4>`
  }

  const table = ({ header, rows }: Tokens.Table): Html => {
    const heads = header.map(({ tokens }) => textOf(tokens))
    return html`<div class="scroll">
      <table class="rows">
        <thead>
          <tr>
            ${header.map(({ tokens }) => html`<th scope="col">${all(tokens)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map(({ tokens }, at) => html`<td data-label=${heads[at]}>${all(tokens)}</td>`)}
              </tr>`
          )}
        </tbody>
      </table>
    </div>`
  }

  const list = ({ items, ordered, start }: Tokens.List): Html => {
    const lines = items.map(({ tokens }) => html`<li>${all(tokens)}</li>`)
    return ordered
      ? html`<ol start="${start === "" ? 1 : start}">
          ${lines}
        </ol>`
      : html`<ul>
          ${lines}
        </ul>`
  }

  const link = ({ href, tokens }: Tokens.Link): Content => {
    const target = linkOf(href)
    return target === null ? all(tokens) : html`<a href=${target}>${all(tokens)}</a>`
  }

  const one = (token: MarkedToken): Content => {
    switch (token.type) {
      case "heading":
        return heading(token)
      case "paragraph":
        return token.tokens.every(({ type }) => type === "image") ? nothing : html`<p>${all(token.tokens)}</p>`
      case "code":
        return html`<pre><code>${token.text}</code></pre>`
      case "table":
        return table(token)
      case "list":
        return list(token)
      case "list_item":
        return all(token.tokens)
      case "blockquote":
        return html`<blockquote>${all(token.tokens)}</blockquote>`
      case "hr":
        return html`<hr />`
      case "text":
        return token.tokens === undefined ? token.text : all(token.tokens)
      case "escape":
      case "html":
        return token.text
      case "codespan":
        return html`<code>${token.text}</code>`
      case "strong":
        return html`<strong>${all(token.tokens)}</strong>`
      case "em":
        return html`<em>${all(token.tokens)}</em>`
      case "del":
        return html`<del>${all(token.tokens)}</del>`
      case "link":
        return link(token)
      case "br":
        return html`<br />`
      case "checkbox":
        return token.checked ? "[x] " : "[ ] "
      case "image":
      case "def":
      case "space":
        return nothing
    }
  }

  return html`${all(lexer(text))}`
}
