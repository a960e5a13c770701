/**
 * Providers: what the operator set, whether there is a key, how calls went in the last 30 days, whether they cost what
 * the catalog declares, whether answers are as documented, and what the circuit of this node says. A switch drains,
 * disables or enables a provider on all nodes.
 */
import { Clock, Effect, Schema } from "effect"
import { dayOf, daysUpTo } from "../../../domain/Days.js"
import { statsDays } from "../../../domain/EndpointLatency.js"
import { isKeyless, platformKeyProblem } from "../../../domain/Manifest.js"
import { dollars, toUsd, zero } from "../../../domain/Micros.js"
import {
  type ComparedAnswers,
  declaredPrices,
  type DeclaredPrices,
  percentText,
  priceDrift,
  successRate,
  type Worked
} from "../../../domain/ProviderFigures.js"
import { Catalog, type ListedProvider } from "../../../services/Catalog.js"
import { EndpointStats, type Works } from "../../../services/EndpointStats.js"
import { PlatformKeys } from "../../../services/PlatformKeys.js"
import { type Health, ProviderHealth } from "../../../services/ProviderHealth.js"
import { ProviderState } from "../../../services/ProviderStates.js"
import { type Charged, Reports } from "../../../services/Reports.js"
import { namesNothing } from "../../GivenId.js"
import { query } from "../../Query.js"
import { wordField, wordParam } from "../Filters.js"
import { badge, count, countText, dash, duration, money, moneyText } from "../Figures.js"
import { actForm, type Filled, toldOf, unfilled } from "../Forms.js"
import { html, type Html, to } from "../Html.js"
import { operatorForm, operatorPage, type OperatorVisit, redirect, screen } from "../Page.js"
import { noticeOf } from "../Parts.js"
import { type Column, listing } from "../Tables.js"

interface Row {
  readonly listed: ListedProvider
  readonly health: Health
  readonly hasKey: boolean
  readonly works: ReadonlyArray<Works>
  readonly declared: DeclaredPrices | null
  readonly charged: Charged
  /** Answers that were compared with a documented schema, by operation. */
  readonly compared: ReadonlyArray<ComparedAnswers & { readonly endpointId: string }>
}

const comparedCount = ({ compared }: Row): number => compared.reduce((sum, each) => sum + each.compared, 0)
const brokenCount = ({ compared }: Row): number => compared.reduce((sum, each) => sum + each.broken, 0)
/** Where the answers of each operation break its schema, as one text for each. */
const breakTexts = ({ compared }: Row): ReadonlyArray<string> =>
  compared.flatMap(({ endpointId, firstBreak }) =>
    firstBreak === null ? [] : [`${endpointId}: ${firstBreak.place} ${firstBreak.message}`]
  )
/** Breaks that the page shows of one provider; the file has all. */
const breaksShown = 3
const breaksOf = (row: Row): Html => {
  const texts = breakTexts(row)
  const more = texts.length - breaksShown
  return html`${texts.slice(0, breaksShown).map((text) => html`<small class="breaks">${text}</small>`)}${
    more > 0 && html`<small class="breaks">and ${more} more in the file</small>`
  }`
}

const sum = (works: ReadonlyArray<Works>, of: (one: Works) => number): number =>
  works.reduce((total, one) => total + of(one), 0)

/** The median of the operation that was called most. */
const latencyOf = (works: ReadonlyArray<Works>): number | null =>
  works.reduce<Works | null>((most, one) => (most === null || one.calls > most.calls ? one : most), null)?.p50Ms ?? null

const workedOf = (works: ReadonlyArray<Works>): Worked => ({
  calls: sum(works, ({ calls }) => calls),
  successes: sum(works, ({ successes }) => successes)
})

const declaredText = (declared: DeclaredPrices | null, write: (micros: number) => string): string => {
  if (declared === null) return "free"
  const { highMicros, lowMicros } = declared
  return lowMicros === highMicros ? write(lowMicros) : `${write(lowMicros)} to ${write(highMicros)}`
}

const drifts = { as_declared: "as declared", below: "below what is declared", above: "above what is declared" } as const
const driftOf = ({ charged, declared }: Row) => priceDrift(declared, charged)

const keyText = ({ hasKey, listed: { provider } }: Row): string => {
  if (isKeyless(provider)) return "needs none"
  if (platformKeyProblem(provider) === null) return hasKey ? "present" : "missing"
  return hasKey ? "present, not used" : "customers bring theirs"
}

const tones = { enabled: "good", draining: "warn", disabled: "off" } as const
const switches = [
  ["enabled", "Enable", "Runs use this provider again."],
  ["draining", "Drain", "New runs no longer use it; runs that were admitted are finished."],
  ["disabled", "Disable", "It is not called any more, also for runs that were admitted."]
] as const

const switchesOf = ({ health, listed: { provider } }: Row): Html =>
  html`<div class="actions">${switches.map(
    ([state, label, effect]) =>
      state !== health.state &&
      actForm({
        action: to(["operator", "providers", provider.id, "state"]),
        label: html`${label}<span class="unseen"> ${provider.name}</span>`,
        kind: state === "enabled" ? "plain" : "danger",
        confirm: `${label} ${provider.name} on all nodes? ${effect}`,
        hidden: { state }
      })
  )}</div>`

const columns: ReadonlyArray<Column<Row>> = [
  {
    label: "Provider",
    cell: ({ listed: { provider } }) => html`${provider.name}<br /><small>${provider.id}</small>`,
    csv: ({ listed }) => listed.provider.id
  },
  {
    label: "State",
    cell: ({ health }) =>
      html`${badge(health.state, tones[health.state])}${
        health.openForSeconds > 0 &&
        html`<br />${badge(`circuit of this node open for ${Math.ceil(health.openForSeconds)} s`, "bad")}`
      }`,
    csv: ({ health }) => health.state
  },
  {
    label: "Key",
    cell: (row) => (keyText(row) === "missing" ? badge("missing", "warn") : keyText(row)),
    csv: keyText
  },
  {
    label: "Circuit of this node",
    fileOnly: true,
    cell: () => null,
    csv: ({ health }) => (health.openForSeconds > 0 ? "open" : "closed")
  },
  {
    label: `Calls, ${statsDays} days`,
    numeric: true,
    cell: ({ works }) => count(workedOf(works).calls),
    csv: ({ works }) => workedOf(works).calls
  },
  {
    label: `Success, ${statsDays} days`,
    numeric: true,
    cell: ({ works }) => {
      const rate = successRate(workedOf(works))
      const millis = latencyOf(works)
      return html`${rate === null ? dash : percentText(rate)}${millis !== null && html`<br /><small>median ${duration(millis)}</small>`}`
    },
    csv: ({ works }) => successRate(workedOf(works))
  },
  {
    label: `Charged a call, ${statsDays} days`,
    numeric: true,
    cell: (row) => {
      const found = driftOf(row)
      return html`${found === null ? dash : money(found.meanMicros)}<br /><small>declared ${declaredText(row.declared, moneyText)}</small>${
        found !== null && found.drift !== "as_declared" && html`<br />${badge(drifts[found.drift], "warn")}`
      }`
    },
    csv: (row) => {
      const found = driftOf(row)
      return found === null ? null : toUsd(found.meanMicros)
    }
  },
  {
    label: "Declared price of a call",
    fileOnly: true,
    cell: () => null,
    csv: ({ declared }) => declaredText(declared, dollars)
  },
  {
    label: "Price drift",
    fileOnly: true,
    cell: () => null,
    csv: (row) => {
      const found = driftOf(row)
      return found === null ? null : drifts[found.drift]
    }
  },
  {
    label: `Answers off their schema, ${statsDays} days`,
    numeric: true,
    cell: (row) =>
      comparedCount(row) === 0
        ? dash
        : html`${brokenCount(row) > 0 ? badge(countText(brokenCount(row)), "warn") : count(0)} of ${count(comparedCount(row))}${breaksOf(row)}`,
    csv: brokenCount
  },
  { label: "Answers compared", fileOnly: true, cell: () => null, csv: comparedCount },
  { label: "First breaks", fileOnly: true, cell: () => null, csv: (row) => breakTexts(row).join("; ") },
  { label: "Median time in ms", fileOnly: true, cell: () => null, csv: ({ works }) => latencyOf(works) },
  { label: "Operations", fileOnly: true, cell: () => null, csv: ({ listed }) => listed.endpointIds.length },
  { label: "", cell: switchesOf }
]

const providersScreen = (visit: OperatorVisit, form: Filled) =>
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const states = yield* ProviderHealth
    const keys = new Set((yield* (yield* PlatformKeys).list).map(({ providerId }) => providerId))
    const endpointStats = yield* EndpointStats
    const stats = yield* endpointStats.snapshot
    const compared = yield* endpointStats.comparedAnswers
    const days = daysUpTo(dayOf(yield* Clock.currentTimeMillis), statsDays)
    const charges = yield* (yield* Reports).chargedByProvider(days)
    const listed = yield* listing({
      visit,
      name: "providers",
      owner: "operator",
      segments: ["operator", "providers"],
      filters: { schema: query({ q: wordParam }), fields: (form) => wordField("q", "Name or id")(form) },
      columns,
      caption: "Providers",
      order: ["First", "More"],
      keyOf: ({ listed }) => listed.provider.id,
      empty: html`<p>The catalog has no provider.</p>`,
      read: ({ q }, { after, limit }) =>
        Effect.gen(function* () {
          const wanted = q?.toLowerCase() ?? ""
          const found = (yield* catalog.providers).filter(
            ({ provider }) =>
              (after === null || provider.id > after) &&
              (provider.id.includes(wanted) || provider.name.toLowerCase().includes(wanted))
          )
          const items = yield* Effect.forEach(found.slice(0, limit), (each) =>
            Effect.gen(function* () {
              const endpoints = yield* Effect.forEach(each.endpointIds, catalog.endpoint)
              const row: Row = {
                listed: each,
                health: yield* states.health(each.provider.id),
                hasKey: keys.has(each.provider.id),
                works: each.endpointIds.flatMap((endpointId) => stats.get(endpointId) ?? []),
                declared: declaredPrices(endpoints.flatMap((endpoint) => endpoint?.operation ?? [])),
                compared: endpoints.flatMap((endpoint) => {
                  const found = endpoint === null ? undefined : compared.get(endpoint.contractVersion)
                  return endpoint === null || found === undefined
                    ? []
                    : [{ ...found, endpointId: endpoint.operation.id }]
                }),
                charged: charges.get(each.provider.id) ?? { calls: 0, chargeMicros: zero }
              }
              return row
            })
          )
          return { items, next: found.length > limit ? (items.at(-1)?.listed.provider.id ?? null) : null }
        })
    })
    if (listed._tag === "File") return listed
    return screen({
      title: "Providers",
      status: listed.status,
      content: html`${noticeOf(visit.notice, { changed: "The state was changed. Every node follows within seconds." })}
        <p class="hint">A call worked when it brought an answer, an empty one too. The price of a call reaches from the
          cheapest operation to the dearest with the most results. What was charged is the mean of the calls that cost something;
          it drifts when it lies outside of what is declared. Answers are compared with the schemas that are documented, not
          with those drawn from samples; of a schema that is broken, the first broken place is named.</p>
        ${toldOf(form)} ${listed.content}`
    })
  })

export const providersPage = operatorPage({
  path: "providers",
  navigation: { label: "Providers", order: 30 },
  filters: true,
  show: (visit) => providersScreen(visit, unfilled)
})

export const switchProvider = operatorForm({
  path: "providers/:providerId/state",
  fields: Schema.Struct({ state: ProviderState }),
  act: (visit, { state }) =>
    Effect.gen(function* () {
      const providerId = visit.path.get("providerId") ?? ""
      const problem = yield* (yield* Catalog).providerProblem(providerId)
      if (problem !== null) return yield* namesNothing("provider", providerId)
      yield* (yield* ProviderHealth).setState(providerId, state, visit.by)
      return redirect(to(["operator", "providers"]), { notice: "changed" })
    }),
  again: providersScreen
})
