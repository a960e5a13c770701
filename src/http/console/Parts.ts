/** Parts that pages are made of: sections, facts, tiles, notices, empty states. */
import { writeJson } from "../../domain/LosslessJson.js"
import type { Json } from "../../domain/Json.js"
import { consoleTextCharsMax } from "../../domain/limits/Lists.js"
import { type Content, html, type Html, type Link, nothing } from "./Html.js"

export const section = (title: Content, content: Content): Html => html`<section><h2>${title}</h2>${content}</section>`

/** Names with their values. A value of null is left out. */
export const facts = (all: ReadonlyArray<readonly [label: string, value: Content]>): Html =>
  html`<dl class="facts">${all.map(([label, value]) => value !== null && html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`

export interface Tile {
  readonly label: Content
  readonly value: Content
  readonly note?: Content
  /** To what the value is made of. */
  readonly link?: Link
}
/** The few numbers that a person looks for first. */
export const tiles = (all: ReadonlyArray<Tile>): Html =>
  html`<dl class="tiles">${all.map(
    ({ label, link, note, value }) =>
      html`<div class="tile"><dt>${label}</dt><dd>${link === undefined ? value : html`<a href=${link}>${value}</a>`}${note !== undefined && html`<p class="hint">${note}</p>`}</dd></div>`
  )}</dl>`

/** What has just been done, or what a person should know before they go on. */
export const notice = (content: Content, tone: "good" | "wait" | "warn" = "good"): Html =>
  html`<div class=${tone === "good" ? "notice" : `notice ${tone}`} role="status">${content}</div>`

/** The notice of this name; nothing where the page has none such. */
export const noticeOf = (name: string | null, notices: { readonly [name: string]: string }): Html => {
  const named = Object.entries(notices).find(([known]) => known === name)
  return named === undefined ? nothing : notice(named[1])
}

const cut = (text: string, length: number, whole: Content): Html =>
  html`<pre tabindex="0">${text}</pre>
    ${
      length > consoleTextCharsMax &&
      html`<p class="hint">The first ${consoleTextCharsMax} of ${length} characters. ${whole}</p>`
    }`

/** A long text, cut where it would make the page heavy. */
export const longText = (text: string, whole: Content = null): Html =>
  cut(text.slice(0, consoleTextCharsMax), text.length, whole)

/** The same of JSON, with every digit as it is stored. */
export const longJson = (value: Json, whole: Content = null): Html => {
  const text = writeJson(value)
  return cut(indented(text.slice(0, consoleTextCharsMax)), text.length, whole)
}

/** JSON as a person reads and edits it, with every digit as it is stored. */
export const jsonText = (value: Json): string => indented(writeJson(value))

/** What is deeper stands no further to the right: of a few values in hundreds of lists a page would be all blanks. */
const indentedLevels = 16

/** The text of a JSON document, or its beginning, with members under each other. Values stay as they are written. */
const indented = (text: string): string => {
  let depth = 0
  let out = ""
  const line = () => `\n${"  ".repeat(Math.min(depth, indentedLevels))}`
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (char === '"') {
      const from = i
      for (i++; i < text.length && text.charAt(i) !== '"'; i++) if (text.charAt(i) === "\\") i++
      out += text.slice(from, i + 1)
    } else if (char === "{" || char === "[") {
      const closes = text.charAt(i + 1) === (char === "{" ? "}" : "]")
      if (closes) {
        out += text.slice(i, i + 2)
        i++
      } else {
        depth++
        out += char + line()
      }
    } else if (char === "}" || char === "]") {
      depth--
      out += line() + char
    } else if (char === ",") out += char + line()
    else if (char === ":") out += ": "
    else out += char
  }
  return out
}
