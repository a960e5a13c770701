/**
 * HTML as values that cannot be wrong about escaping. `html` is the only way to make one: every value in its gaps is
 * escaped, unless it is `Html` itself. A gap after `name=` becomes a quoted attribute. An address is a `Link`, which
 * `to` makes for the console and `elsewhere` for other sites; a plain text is never taken as an address.
 * What only the request knows (the path prefix of the public URL, the CSRF token of the session) is filled in by
 * `render`.
 */
import type { OwnPath } from "./Return.js"

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")

/** An address. Those of this gateway begin with a slash and get the prefix of the public URL when they are rendered. */
export class Link {
  private constructor(
    readonly local: boolean,
    readonly address: string
  ) {}

  /** Each `{}`-free segment is encoded, so an id from a client stays one segment. */
  static to(segments: ReadonlyArray<string>, query: { readonly [name: string]: string | null }): Link {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== null && value !== "") search.append(name, value)
    const path = `/${segments.map(encodeURIComponent).join("/")}`
    return new Link(true, search.size === 0 ? path : `${path}?${search.toString()}`)
  }

  /** A page of this gateway outside of the console, or a place on it. */
  static page(segments: ReadonlyArray<string>, place: string | null = null): Link {
    const page = Link.to(segments, {})
    return place === null
      ? page
      : new Link(true, `${page.address}#${place.split("/").map(encodeURIComponent).join("/")}`)
  }

  /** A page of this gateway whose address came from outside. */
  static back(path: OwnPath): Link {
    return new Link(true, path)
  }

  /** A page of another site. Anything but http and https leads nowhere. */
  static elsewhere(url: string): Link {
    return new Link(false, /^https?:\/\//i.test(url) ? url : "#")
  }

  /** A place on the same page. */
  static here(id: string): Link {
    return new Link(false, `#${encodeURIComponent(id)}`)
  }

  /** Without the prefix and the query. */
  get path(): string {
    return this.address.replace(/[?#].*$/, "")
  }

  /** The same page, with one parameter more. */
  with(name: string, value: string): Link {
    const more = new URLSearchParams({ [name]: value }).toString()
    return new Link(this.local, `${this.address}${this.address.includes("?") ? "&" : "?"}${more}`)
  }

  /** As it stands in `href` or in `Location`. */
  text(prefix: string): string {
    return this.local ? prefix + this.address : this.address
  }
}

/** The console's own page under these segments; empty values of the query are left out. */
export const to = (segments: ReadonlyArray<string>, query: { readonly [name: string]: string | null } = {}): Link =>
  Link.to(["console", ...segments], query)

/** What a part of a page may be made of. Nothing is shown for `null`, `undefined` and `false`. */
export type Content = Html | Link | string | number | null | undefined | false | ReadonlyArray<Content>

/** What only the request knows. */
interface Rendering {
  /** The path of the public URL, without a slash at its end; empty for most gateways. */
  readonly prefix: string
  /** The token that a form must bring back; null without a session. */
  readonly csrf: string | null
}

/** A template inside of another one is one piece of it, so that a page copies nothing, however large it is. */
type Piece = string | Link | Html | typeof csrfToken

const csrfToken = Symbol("csrf")

export class Html {
  private constructor(private readonly pieces: ReadonlyArray<Piece>) {}

  /** Use the `html` tag instead. Public only because a static method has to be. */
  static template(strings: ReadonlyArray<string>, values: ReadonlyArray<Content>): Html {
    const pieces: Array<Piece> = []
    for (const [index, text] of strings.entries()) {
      pieces.push(text)
      if (index >= values.length) continue
      const [, attribute, quote] = attributeName.exec(text) ?? []
      if (attribute === undefined) Html.add(pieces, values[index])
      else {
        if (quote === "") pieces.push('"')
        Html.add(pieces, addressed(attribute, values[index]))
        if (quote === "") pieces.push('"')
      }
    }
    return new Html(pieces)
  }

  private static add(pieces: Array<Piece>, value: Content): void {
    if (value === null || value === undefined || value === false) return
    if (value instanceof Html || value instanceof Link) pieces.push(value)
    else if (typeof value === "string") pieces.push(escapeHtml(value))
    else if (typeof value === "number") pieces.push(String(value))
    else for (const each of value) Html.add(pieces, each)
  }

  /** The place where the session's CSRF token is filled in. */
  static readonly csrf = new Html([csrfToken])

  render({ csrf, prefix }: Rendering): string {
    let text = ""
    const open = [this.pieces.values()]
    for (let innermost = open.at(-1); innermost !== undefined; innermost = open.at(-1)) {
      const { done, value: piece } = innermost.next()
      if (done === true) open.pop()
      else if (piece instanceof Html) open.push(piece.pieces.values())
      else if (typeof piece === "string") text += piece
      else text += escapeHtml(piece === csrfToken ? (csrf ?? "") : piece.text(prefix))
    }
    return text
  }
}

/** The text before a gap ends with the name of an attribute and its equals sign, with or without a quote. */
const attributeName = /\s([a-zA-Z-]+)=("?)$/
const addresses: ReadonlySet<string> = new Set(["href", "src", "action", "formaction"])
/** A text is no address: it could be a script. */
const addressed = (attribute: string, value: Content): Content =>
  addresses.has(attribute.toLowerCase()) && !(value instanceof Link) ? "#" : value

export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Content>): Html =>
  Html.template(strings, values)

export const nothing: Html = html``

/** Whether there is anything to show. */
export const isShown = (content: Content): boolean =>
  content !== null && content !== undefined && content !== false && content !== "" && content !== nothing

const attributeText = /^[a-z][a-z0-9-]*$/

/**
 * Attributes for the inside of a tag: `true` is the bare name, `null` and `false` leave it out. Names are ours and
 * never come from outside; another name is left out.
 */
export const attributes = (all: {
  readonly [name: string]: string | number | boolean | null | undefined | Link
}): Html =>
  html`${Object.entries(all).map(([name, value]) => {
    if (value === null || value === undefined || value === false || !attributeText.test(name)) return nothing
    const bare = Html.template([` ${name}`], [])
    if (value === true) return bare
    return html`${bare}="${addressed(name, value)}"`
  })}`
