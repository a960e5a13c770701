/** `/docs/reference`: the OpenAPI document in Swagger UI. It only shows: requests are not sent from it. */
import { html, Link } from "../console/Html.js"
import type { ReferenceFiles } from "./Files.js"
import type { PublicPage } from "./Page.js"

export const referencePage = ({ scripts, styles }: ReferenceFiles): PublicPage => ({
  title: "Reference",
  path: "/docs/reference",
  head: html`${styles.map(({ name }) => html`<link rel="stylesheet" href=${Link.page(["docs", "files", name])} />`)}
  ${scripts.map(({ name }) => html`<script src=${Link.page(["docs", "files", name])} defer></script>`)}`,
  content: html`<noscript
      ><p class="notice warn">
        This page needs a script of this gateway. Without it, <a href=${Link.page(["docs"])}>all routes in short</a> and
        the <a href=${Link.page(["openapi.json"])}>OpenAPI document</a> say the same.
      </p></noscript
    >
    <div id="reference">
      <a href=${Link.page(["openapi.json"])}>OpenAPI document</a>
    </div>`
})
