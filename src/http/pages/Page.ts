/** What a page without a session says, before the frame is put around it. */
import type { Content, Html } from "../console/Html.js"

export interface PublicPage {
  readonly title: string
  readonly path: string
  readonly content: Html
  /** Scripts and styles of this page alone. */
  readonly head?: Content
}
