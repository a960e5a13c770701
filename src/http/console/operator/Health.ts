/**
 * How the gateway does as a whole: the ledger, the queue, runs that wait for a person, answers that are not as their
 * providers document them, and the nodes.
 */
import { Effect } from "effect"
import { nounFor } from "../../../domain/Counted.js"
import { statsDays } from "../../../domain/EndpointLatency.js"
import { nodeSilentMillis } from "../../../domain/limits/Nodes.js"
import { lacksWorkers, nobodyWorks, startAWorker } from "../../../domain/NodeRole.js"
import { EndpointStats } from "../../../services/EndpointStats.js"
import { Reports, type StatusCount } from "../../../services/Reports.js"
import { badge, code, count, counted, dash, duration, instant, money } from "../Figures.js"
import { html, type Html, to } from "../Html.js"
import { operatorPage, screen } from "../Page.js"
import { notice, section, tiles } from "../Parts.js"
import { table } from "../Tables.js"

const runs = ({ more, runs }: StatusCount): Html =>
  html`${count(runs)}${more && "+"} <small>${nounFor(runs, "run")}</small>`
const age = (millis: number | null): Html => (millis === null ? dash : duration(Math.max(0, millis)))

export const healthPage = operatorPage({
  path: "health",
  navigation: { label: "Health", order: 10 },
  show: () =>
    Effect.gen(function* () {
      const { leases, ledger, nodes, oldestQueuedMillis, oldestUncertainMillis, queued, uncertain } =
        yield* (yield* Reports).health
      const answers = [...(yield* (yield* EndpointStats).comparedAnswers).values()]
      const compared = answers.reduce((sum, each) => sum + each.compared, 0)
      const broken = answers.reduce((sum, each) => sum + each.broken, 0)
      return screen({
        title: "Health",
        content: html`${
          ledger !== null &&
          ledger.difference !== null &&
          notice(html`<p>The ledger does not add up: ${ledger.difference}</p>`, "warn")
        }
        ${lacksWorkers(nodes) && notice(html`<p>${nobodyWorks}. ${startAWorker}.</p>`, "warn")}
        ${tiles([
          {
            label: "Drift of the ledger",
            value:
              ledger === null
                ? dash
                : html`${badge(ledger.difference === null ? "adds up" : "off", ledger.difference === null ? "good" : "bad")} ${money(ledger.driftMicros)}`,
            note:
              ledger === null
                ? "not checked yet"
                : html`checked ${instant(ledger.checkedAt)} in ${duration(ledger.tookMillis)}`
          },
          {
            label: "Oldest run that waits for a person",
            value: age(oldestUncertainMillis),
            note: runs(uncertain),
            link: to(["operator", "desk"])
          },
          { label: "Oldest run in the queue", value: age(oldestQueuedMillis), note: runs(queued) },
          {
            label: "Runs under way",
            value: count(leases.reduce((sum, lease) => sum + lease.runs, 0)),
            note: leases.length === 0 ? "no node works on a run" : html`on ${counted(leases.length, "node")}`
          },
          {
            label: "Answers off their documented schema",
            value: compared === 0 ? dash : count(broken),
            note: compared === 0 ? "none compared" : html`of ${count(compared)} compared in ${statsDays} days`,
            link: to(["operator", "providers"])
          }
        ])}
        ${section(
          "Nodes",
          table({
            caption: "Nodes that run",
            columns: [
              { label: "Node", cell: ({ node }) => code(node) },
              { label: "Role", cell: ({ role }) => role },
              { label: "Version", cell: ({ version }) => version },
              { label: "Machine", cell: ({ host }) => html`<bdi>${host}</bdi>` },
              { label: "Started", minor: true, cell: ({ startedAt }) => instant(startedAt) },
              {
                label: "Seen",
                cell: ({ silentMillis }) =>
                  silentMillis > nodeSilentMillis
                    ? badge(`silent for ${Math.round(silentMillis / 1000)} s`, "warn")
                    : badge("runs", "good")
              }
            ],
            rows: nodes,
            empty: html`<p>No node has said that it runs.</p>`
          })
        )}
        ${section(
          "Leases",
          html`<p class="hint">A node renews the leases of its runs; when one ends, another node takes the run over.</p>
          ${table({
            caption: "Runs that are leased to nodes",
            columns: [
              { label: "Node", cell: ({ node }) => code(node) },
              { label: "Runs", numeric: true, cell: (lease) => count(lease.runs) },
              {
                label: "First lease ends in",
                numeric: true,
                cell: ({ endsInMillis }) => (endsInMillis < 0 ? badge("ended", "warn") : duration(endsInMillis))
              }
            ],
            rows: leases,
            empty: html`<p>No run is under way.</p>`
          })}`
        )}`
      })
    })
})
