/**
 * The catalog as a shop window: search while one types (with the script; without it by a button), by category and
 * provider, with price, success and what is needed to run each operation.
 */
import { Effect, Option, Schema } from "effect"
import { type CatalogRow, noFilter } from "../../../domain/CatalogView.js"
import { jobEndpointId } from "../../../domain/EndpointIds.js"
import { consoleCardsDefault, queryCharsMax } from "../../../domain/Limits.js"
import { fromUsd } from "../../../domain/Micros.js"
import { ValidationError } from "../../../domain/ApiErrors.js"
import { intParam } from "../../Query.js"
import { Catalog } from "../../../services/Catalog.js"
import { badge, count, duration, money } from "../Figures.js"
import { askForm, button, filledWith, selectField, textField } from "../Forms.js"
import { html, type Html, to } from "../Html.js"
import { screen, workspacePage } from "../Page.js"

/** A price of the catalog, which is in dollars. */
export const price = (usd: number, basis: string): Html =>
  basis === "free" || usd === 0
    ? html`free`
    : html`${money(Option.getOrElse(fromUsd(usd), () => 0))} <small>${basis === "per_result" ? "per result" : "per call"}</small>`

export const accessBadge = (access: CatalogRow["access"]): Html =>
  access === "runs_now"
    ? badge("runs now", "good")
    : access === "needs_your_account"
      ? badge("needs your key", "warn")
      : badge("coming soon", "off")

const card = (workspaceId: string, row: CatalogRow): Html => html`<li class="card">
  <h2><a href=${to([workspaceId, "catalog", row.endpointId])}>${row.name}</a></h2>
  <p class="hint">${row.provider}${row.job !== undefined && html` · <a href=${to([workspaceId, "catalog", jobEndpointId(row.job.id)])}>${row.job.title}</a>`}</p>
  <p>${row.summary}</p>
  <p class="foot">${accessBadge(row.access)} <span>${price(row.estimatedPrice, row.priceBasis)}</span>
  ${row.works.rate !== null && !row.works.thin && html`<small>${Math.round(row.works.rate * 100)} % of ${count(row.works.runs)} runs worked${row.works.p50Ms !== null && html`, ${duration(row.works.p50Ms)}`}</small>`}</p>
</li>`

const asks = ["q", "category", "provider"]
const readPlace = Schema.decodeUnknownOption(intParam(0, 1_000_000))

export const catalogPage = workspacePage({
  path: "catalog",
  navigation: { label: "Catalog", order: 15 },
  filters: true,
  show: ({ principal, query, queryProblems, workspaceId }) =>
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const [strange] = [...queryProblems].filter(([name]) => !asks.includes(name))
      if (strange !== undefined) return yield* ValidationError.of(...strange)
      const asked = (name: string) => {
        const text = query.get(name)?.trim() ?? ""
        return text === "" ? null : text
      }
      const [q, category, provider] = [asked("q"), asked("category"), asked("provider")]
      const problems = new Map([
        ...(q !== null && q.length > queryCharsMax
          ? [["q", `must have at most ${queryCharsMax} characters`] as const]
          : []),
        ...queryProblems
      ])
      const filter = { ...noFilter, category, provider, hidden: principal.operator }
      const place = readPlace(query.get("offset") ?? "0")
      if (Option.isNone(place)) return yield* ValidationError.of("offset", "must be a whole number")
      const facets = yield* Effect.map(
        catalog.list({ ...noFilter, limit: 1, after: null, facets: true }, principal),
        ({ facets: all }) => all
      )
      const found =
        problems.size > 0
          ? null
          : q === null
            ? yield* Effect.map(
                catalog.list(
                  { ...filter, limit: consoleCardsDefault, after: asked("after"), facets: false },
                  principal
                ),
                ({ endpoints, next, total }) => ({
                  endpoints,
                  total,
                  warnings: [],
                  more: next === null ? null : to([workspaceId, "catalog"], { category, provider, after: next })
                })
              )
            : yield* Effect.map(
                catalog.search(
                  { ...filter, q, limit: consoleCardsDefault, offset: place.value, prefer: "balanced" },
                  principal
                ),
                ({ endpoints, nextOffset, total, warnings = [] }) => ({
                  endpoints,
                  total,
                  warnings,
                  more:
                    nextOffset === null
                      ? null
                      : to([workspaceId, "catalog"], { q, category, provider, offset: String(nextOffset) })
                })
              )
      const form = { ...filledWith({ q, category, provider }), problems }
      const choices = (counts: ReadonlyArray<{ readonly value: string; readonly count: number }>) => [
        { value: "", label: "All" },
        ...counts.map(({ count: rows, value }) => ({ value, label: `${value} (${rows})` }))
      ]
      return screen({
        title: "Catalog",
        status: found === null ? 400 : 200,
        content: html`${askForm({
          action: to([workspaceId, "catalog"]),
          label: "Search the catalog",
          class: "filters",
          live: true,
          content: html`${textField({ form, name: "q", label: "Search", type: "search", charsMax: queryCharsMax, placeholder: "find an e-mail address" })}
            ${selectField({ form, name: "category", label: "Category", choices: choices(facets?.category ?? []) })}
            ${selectField({ form, name: "provider", label: "Provider", choices: choices(facets?.provider ?? []) })}
            <div class="field">${button("Search", { kind: "plain" })}</div>`
        })}
        <div data-results>${
          found === null
            ? html`<div class="empty"><p>Nothing is shown until the search can be read.</p></div>`
            : html`
          <p class="hint" role="status">${count(found.total)} ${found.total === 1 ? "operation" : "operations"}</p>
          ${found.warnings.map(({ message }) => html`<p class="notice warn">${message}</p>`)}
          ${
            found.endpoints.length === 0
              ? html`<div class="empty"><p>Nothing fits. Try other words, or <a href=${to([workspaceId, "catalog"])}>look at everything</a>.</p></div>`
              : html`<ul class="cards">${found.endpoints.map((row) => card(workspaceId, row))}</ul>`
          }
          ${found.more !== null && html`<nav class="pager" aria-label="Pages"><a href=${found.more} rel="next">More</a></nav>`}`
        }
        </div>`
      })
    })
})
