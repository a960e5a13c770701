/** `nodes`: the nodes that run, as they say themselves. */
import * as Command from "@effect/cli/Command"
import { Effect } from "effect"
import { catalogsDiffer, catalogsInWords, makeCatalogsEqual, shownCatalog } from "../domain/NodeCatalogs.js"
import { nodeSilentMillis } from "../domain/limits/Nodes.js"
import { Reports } from "../services/Reports.js"
import { answer, isoTime } from "./Answer.js"
import * as Inputs from "./Inputs.js"

export const nodes = Command.make("nodes", { json: Inputs.json }, ({ json }) =>
  answer(
    json,
    Effect.gen(function* () {
      const { nodes } = yield* (yield* Reports).health
      const catalogs = catalogsInWords(nodes)
      return {
        json: {
          nodes: nodes.map((node) => ({
            ...node,
            startedAt: isoTime(node.startedAt),
            silent: node.silentMillis > nodeSilentMillis
          }))
        },
        text:
          nodes.length === 0
            ? "No node has said that it runs"
            : [
                ...nodes.map(({ catalog, host, node, role, silentMillis, startedAt, version }) =>
                  [
                    node,
                    role.padEnd(6),
                    version,
                    host,
                    `since ${isoTime(startedAt)}`,
                    ...(catalog === null ? [] : [`catalog ${shownCatalog(catalog)}`]),
                    ...(silentMillis > nodeSilentMillis ? [`silent for ${Math.round(silentMillis / 1000)} s`] : [])
                  ].join("  ")
                ),
                ...(catalogs?.differ === true ? [`${catalogsDiffer}. ${makeCatalogsEqual}`] : [])
              ].join("\n")
      }
    })
  )
).pipe(
  Command.withDescription(
    "The nodes that run, with role, version, machine and catalog; those that fell silent stay for an hour"
  )
)
