/** What this gateway says of itself at `/`: as a page to people, as JSON to programs. */
import { productName, productVersion } from "../../domain/Product.js"
import { html, Link } from "../console/Html.js"
import type { PublicPage } from "./Page.js"

export const description =
  "One token and one prepaid balance to find, run and pay for operations of many API providers."

/** The addresses are whole, so that a client can follow them as they are. */
export const aboutJson = (publicUrl: string): string =>
  JSON.stringify({
    name: productName,
    version: productVersion,
    description,
    links: {
      docs: `${publicUrl}/docs`,
      reference: `${publicUrl}/docs/reference`,
      openapi: `${publicUrl}/openapi.json`,
      llms: `${publicUrl}/llms.txt`,
      console: `${publicUrl}/console`,
      publicCatalog: `${publicUrl}/v1/public-catalog`,
      health: `${publicUrl}/readyz`
    }
  })

const ways = [
  { label: "Documentation", to: ["docs"], says: "Guides, all routes, and what to do about each error." },
  { label: "Reference", to: ["docs", "reference"], says: "Every route with its fields, examples and answers." },
  { label: "Console", to: ["console"], says: "Runs, money, tokens and people of your workspace, in the browser." },
  { label: "Public catalog", to: ["v1", "public-catalog"], says: "What can be run, as JSON. It needs no token." },
  { label: "OpenAPI document", to: ["openapi.json"], says: "The whole interface for programs." },
  { label: "llms.txt", to: ["llms.txt"], says: "The gateway in one text, for language models." },
  { label: "Health", to: ["readyz"], says: "Whether this node takes requests." }
]

export const homePage: PublicPage = {
  title: productName,
  path: "/",
  content: html`<section class="prose">
      <p>
        This is a gateway to operations of many API providers: find an e-mail address, enrich a company, geocode an
        address and more. A client uses one token and one prepaid balance for all of them. Each run first holds its
        highest price, then pays what the provider really cost, and every movement of money stands on a ledger.
      </p>
    </section>
    <ul class="cards">
      ${ways.map(
        ({ label, says, to }) =>
          html`<li class="card">
            <h2><a href=${Link.page(to)}>${label}</a></h2>
            <p>${says}</p>
          </li>`
      )}
    </ul>`
}
