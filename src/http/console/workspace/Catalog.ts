/**
 * The catalog as a shop window: search while one types (with the script; without it by a button), by category and
 * provider, with price, success and what is needed to run each operation.
 */
import { Effect, Option, Schema } from "effect"
import { Access, type CatalogRow } from "../../../domain/CatalogRow.js"
import { type AppliedHint, noFilter } from "../../../domain/CatalogSearch.js"
import { jobEndpointId } from "../../../domain/EndpointIds.js"
import { consoleCardsDefault, queryCharsMax } from "../../../domain/limits/Lists.js"
import { fromUsd } from "../../../domain/Micros.js"
import { workedText } from "../../../domain/ProviderFigures.js"
import { ValidationError } from "../../../domain/ApiErrors.js"
import { intParam } from "../../Query.js"
import { Catalog } from "../../../services/Catalog.js"
import { pageGone } from "../ErrorScreens.js"
import { badge, counted, countText, duration, money } from "../Figures.js"
import { askForm, button, filledWith, selectField, textField } from "../Forms.js"
import { html, type Html, type Link, to } from "../Html.js"
import { screen, workspacePage } from "../Page.js"

/** A price of the catalog, which is in dollars. What runs on the customer's own account may cost something there. */
export const price = (usd: number, basis: string, credential: CatalogRow["credential"] = "none"): Html =>
  basis === "free" || usd === 0
    ? html`${credential === "own_key_required" ? "no charge here" : "free"}`
    : html`${money(Option.getOrElse(fromUsd(usd), () => 0))} <small>${basis === "per_result" ? "per result" : "per call"}</small>`

export const accessBadge = (access: CatalogRow["access"]): Html =>
  access === "runs_now"
    ? badge("runs now", "good")
    : access === "needs_your_account"
      ? badge("needs your key", "warn")
      : badge("coming soon", "off")

/** What is missing before an operation runs here; null when nothing is. */
const missing = (workspaceId: string, owner: boolean, { access, credential, provider }: CatalogRow): Html | null => {
  switch (access) {
    case "runs_now":
      return null
    case "needs_your_account":
      return owner
        ? html`<a href=${to([workspaceId, "connections"], { provider })}>Add your key at ${provider}</a> to run it.`
        : html`It runs with your own key at ${provider}. Ask an owner of the workspace to add it.`
    case "coming_soon":
      return credential === "none"
        ? html`It is switched off here, or the policy of this workspace does not allow it. Ask the operator.`
        : html`The gateway has no key for ${provider}, or the policy of this workspace does not allow it. Ask the operator.`
  }
}

type ShownRow = CatalogRow & { readonly effectful: boolean }

/** The rows with what they do: one that does something outside is marked before anybody opens it. */
const withEffects = (rows: ReadonlyArray<CatalogRow>) =>
  Effect.flatMap(Catalog, (catalog) =>
    Effect.forEach(rows, (row) =>
      Effect.map(catalog.endpoint(row.endpointId), (endpoint): ShownRow => ({
        ...row,
        effectful: endpoint?.operation.effect === "effectful"
      }))
    )
  )

const card = (workspaceId: string, owner: boolean, heading: "h2" | "h3", row: ShownRow): Html => {
  const lacks = missing(workspaceId, owner, row)
  const name = html`<a href=${to([workspaceId, "catalog", row.endpointId])}>${row.name}</a>`
  return html`<li class="card">
  ${heading === "h2" ? html`<h2>${name}</h2>` : html`<h3>${name}</h3>`}
  <p class="hint">${row.provider}${row.job !== undefined && html` · <a href=${to([workspaceId, "catalog", jobEndpointId(row.job.id)])}>${row.job.title}</a>`}</p>
  <p>${row.summary}</p>
  <p class="foot">${accessBadge(row.access)} ${row.effectful && badge("does something outside", "warn")} <span>${price(row.estimatedPrice, row.priceBasis, row.credential)}</span>
  ${row.works.rate !== null && !row.works.thin && html`<small>${workedText({ calls: row.works.runs, successes: row.works.rate * row.works.runs })}${row.works.p50Ms !== null && html`, ${duration(row.works.p50Ms)}`}</small>`}</p>
  ${lacks !== null && html`<p class="hint">${lacks}</p>`}
</li>`
}

/** The catalog begins with what runs here now. */
const parts: ReadonlyArray<readonly [access: CatalogRow["access"], title: string]> = [
  ["runs_now", "Run here now"],
  ["needs_your_account", "Need your own key"],
  ["coming_soon", "Not here yet"]
]

interface Shown {
  readonly parts: ReadonlyArray<{
    readonly title: string | null
    readonly total: number
    readonly endpoints: ReadonlyArray<ShownRow>
  }>
  readonly total: number
  readonly warnings: ReadonlyArray<{ readonly message: string }>
  readonly hints: ReadonlyArray<{ readonly hint: AppliedHint; readonly without: Link }>
  readonly more: Link | null
}

const asks = ["q", "category", "provider"]
const isAccess = Schema.is(Access)
const accessIn = (query: ReadonlyMap<string, string>, name: string) => {
  const raw = query.get(name) ?? ""
  return raw === ""
    ? Effect.succeed(null)
    : isAccess(raw)
      ? Effect.succeed(raw)
      : ValidationError.of(name, `must be one of ${parts.map(([, title]) => title).join(", ")}`)
}
const readPlace = Schema.decodeUnknownOption(intParam(0, 1_000_000))

export const catalogPage = workspacePage({
  path: "catalog",
  navigation: { label: "Catalog", order: 15 },
  filters: true,
  show: ({ principal, query, queryProblems, session, workspaceId }) =>
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
      const access = yield* accessIn(query, "access")
      const begin = yield* accessIn(query, "part")
      const filter = { ...noFilter, category, provider, access, hidden: principal.operator }
      const place = readPlace(query.get("offset") ?? "0")
      if (Option.isNone(place))
        return yield* Effect.fail(pageGone(to([workspaceId, "catalog"], { q, category, provider, access })))
      const facets = yield* Effect.map(
        catalog.list({ ...noFilter, limit: 1, after: null, facets: true }, principal),
        ({ facets: all }) => all
      )
      const searched = (words: string) =>
        Effect.gen(function* () {
          const {
            appliedHints = [],
            endpoints,
            nextOffset,
            total,
            warnings = []
          } = yield* catalog.search(
            { ...filter, q: words, limit: consoleCardsDefault, offset: place.value, prefer: "balanced" },
            principal
          )
          return {
            parts: [{ title: null, total, endpoints: yield* withEffects(endpoints) }],
            total,
            warnings,
            hints: appliedHints.map((hint) => ({
              hint,
              without: to([workspaceId, "catalog"], { q: hint.undoQuery, category, provider, access })
            })),
            more:
              nextOffset === null
                ? null
                : to([workspaceId, "catalog"], { q: words, category, provider, access, offset: String(nextOffset) })
          } satisfies Shown
        })
      const listed = Effect.gen(function* () {
        const page = (part: CatalogRow["access"], limit: number, after: string | null) =>
          catalog.list({ ...filter, access: part, limit, after, facets: false }, principal)
        const wanted = parts.filter(([name]) => access === null || access === name)
        const first = Math.max(
          0,
          wanted.findIndex(([name]) => name === begin)
        )
        const found: Array<Shown["parts"][number]> = []
        let [total, room] = [0, consoleCardsDefault]
        let more: Link | null = null
        for (const [at, [part, title]] of wanted.entries()) {
          const answer = yield* page(part, Math.max(1, room), at === first ? asked("after") : null)
          total += answer.total
          if (at < first || answer.total === 0) continue
          if (room > 0) {
            const rows = yield* withEffects(answer.endpoints)
            // What only reads stands first on each page: nobody begins with what cannot be taken back.
            const readingFirst = rows.toSorted((a, b) => Number(a.effectful) - Number(b.effectful))
            found.push({ title, total: answer.total, endpoints: readingFirst })
          }
          const next = room > 0 ? answer.next : ""
          if (more === null && next !== null)
            more = to([workspaceId, "catalog"], { category, provider, access, part, after: next })
          room = next === null ? room - answer.endpoints.length : 0
        }
        return { parts: found, total, warnings: [], hints: [], more } satisfies Shown
      })
      const found = problems.size > 0 ? null : yield* q === null ? listed : searched(q)
      const form = { ...filledWith({ q, category, provider, access }), problems }
      const choices = (counts: ReadonlyArray<{ readonly value: string; readonly count: number }>) => [
        { value: "", label: "All" },
        ...counts.map(({ count: rows, value }) => ({ value, label: `${value} (${countText(rows)})` }))
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
            ${selectField({
              form,
              name: "access",
              label: "Which",
              choices: [{ value: "", label: "All" }, ...parts.map(([value, label]) => ({ value, label }))]
            })}
            <div class="field">${button("Search", { kind: "plain" })}</div>`
        })}
        <div data-results>${
          found === null
            ? html`<div class="empty"><p>Nothing is shown until the search can be read.</p></div>`
            : html`
          <p class="hint" role="status">${counted(found.total, "operation")}</p>
          ${
            found.hints.length > 0 &&
            html`<p class="hint">Read from your words: ${found.hints.map(
              ({ hint, without }) =>
                html`${badge(`${hint.parameter}: ${hint.value}`, "off")} <a href=${without}>search for “${hint.words}” instead</a> `
            )}</p>`
          }
          ${found.warnings.map(({ message }) => html`<p class="notice warn">${message}</p>`)}
          ${
            found.total === 0
              ? html`<div class="empty"><p>Nothing fits. Try other words, or <a href=${to([workspaceId, "catalog"])}>look at everything</a>.</p></div>`
              : found.parts.map(
                  ({ endpoints, title, total }) =>
                    html`${title !== null && html`<h2>${title} <small>${countText(total)}</small></h2>`}
                      <ul class="cards">
                        ${endpoints.map((row) => card(workspaceId, session.role !== "member", title === null ? "h2" : "h3", row))}
                      </ul>`
                )
          }
          ${found.more !== null && html`<nav class="pager" aria-label="Pages"><a href=${found.more} rel="next">More</a></nav>`}`
        }
        </div>`
      })
    })
})
