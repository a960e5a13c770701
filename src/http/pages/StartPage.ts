/**
 * `/docs`: where to read what, every route in a line, and a place for every error code. Errors in the form of RFC 9457
 * name these places as their `type` (`http/ErrorAnswers.ts`). It needs no script.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Option } from "effect"
import { runFailures } from "../../domain/RunFailures.js"
import { Access, type Required } from "../Access.js"
import { attributes, html, type Html, Link } from "../console/Html.js"
import { wireErrors } from "../Envelope.js"
import { guideGroups } from "./Guides.js"
import type { PublicPage } from "./Page.js"

interface Operation {
  readonly group: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly access: Required | null
  /** Its place on the reference page. */
  readonly place: string
}

const operationsOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): ReadonlyArray<Operation> => {
  const operations: Array<Operation> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      if (Context.get(mergedAnnotations, OpenApi.Exclude)) return
      const name = group.topLevel ? endpoint.name : `${group.identifier}.${endpoint.name}`
      operations.push({
        group: Option.getOrElse(Context.getOption(group.annotations, OpenApi.Description), () => group.identifier),
        method: endpoint.method,
        path: endpoint.path.replace(/:(\w+)/g, "{$1}"),
        summary: Option.getOrElse(Context.getOption(mergedAnnotations, OpenApi.Summary), () => ""),
        access: Context.get(mergedAnnotations, Access),
        place: `/${group.identifier}/${name}`
      })
    }
  })
  return operations
}

const needs = (access: Required | null): Html => {
  switch (access) {
    case "public":
    case "probe":
      return html`no token`
    case "optional-token":
      return html`a token if you have one`
    case "any-token":
      return html`any token`
    case "signed":
      return html`a signature`
    default:
      return html`a token with <code>${access}</code>`
  }
}

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<{ id?: string; cells: ReadonlyArray<Html> }>): Html =>
  html`<div class="scroll">
    <table class="rows">
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ cells, id }) =>
            html`<tr ${attributes({ id })}>
              ${cells.map((cell, at) => html`<td data-label=${heads[at]}>${cell}</td>`)}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

const yesNo = (is: boolean): Html => (is ? html`yes` : html`no`)

const routes = (operations: ReadonlyArray<Operation>): Html => {
  const groups = [...new Set(operations.map(({ group }) => group))]
  return html`${groups.map(
    (name) =>
      html`<h3>${name}</h3>
        ${table(
          ["Route", "What it does", "Needs"],
          operations
            .filter(({ group }) => group === name)
            .map(({ access, method, path, place, summary }) => ({
              cells: [
                html`<a href=${Link.page(["docs", "reference"], place)}><code>${method} ${path}</code></a>`,
                html`${summary}`,
                needs(access)
              ]
            }))
        )}`
  )}`
}

export const startPage = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): PublicPage => ({
  title: "Documentation",
  path: "/docs",
  content: html`<div class="prose">
    <p>
      The <a href=${Link.page(["docs", "reference"])}>reference</a> has every route with its fields, examples and
      answers. Programs read the same in the <a href=${Link.page(["openapi.json"])}>OpenAPI document</a>, language
      models in <a href=${Link.page(["llms.txt"])}>llms.txt</a>.
    </p>
    ${guideGroups.map(
      ({ guides, label }) =>
        html`<h2>${label}</h2>
          <ul class="cards">
            ${guides.map(
              ({ name, says, title }) =>
                html`<li class="card">
                  <h3><a href=${Link.page(["docs", name])}>${title}</a></h3>
                  <p>${says}</p>
                </li>`
            )}
          </ul>`
    )}
    <h2 id="routes">Routes</h2>
    ${routes(operationsOf(api))}
    <h2 id="errors">Errors of requests</h2>
    <p>A refused request ran nothing, held nothing and charged nothing. Decide by the code, never by the message.</p>
    ${table(
      ["Code", "Status", "Meaning", "Retry helps", "What to do"],
      [...wireErrors.values()].map(({ code, retryable, retryHint, status, title }) => ({
        id: code,
        cells: [html`<code>${code}</code>`, html`${status}`, html`${title}`, yesNo(retryable), html`${retryHint}`]
      }))
    )}
    <h2 id="run-errors">Errors of runs</h2>
    <p>
      In the <code>error</code> of a run that failed. Such a run is charged nothing, or what the provider is known to
      have cost.
    </p>
    ${table(
      ["Code", "Meaning", "Whose", "Retry helps", "What to do"],
      runFailures.map(({ code, facts }) => ({
        id: `run-${code}`,
        cells: [
          html`<code>${code}</code>`,
          html`${facts.summary}`,
          html`${facts.whoseError}`,
          yesNo(facts.retryable),
          html`${facts.retryHint}`
        ]
      }))
    )}
  </div>`
})
