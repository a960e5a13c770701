/** `gateway nodes`: what each node says of itself, and whether they serve the same catalog. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { cli, CommandLineTest, json } from "./commandLine.js"
import { statement } from "./CommandStage.js"

layer(CommandLineTest, { excludeTestServices: true })("gateway nodes", (it) => {
  it.effect("shows the catalog of each node, and says when nodes that run differ", () =>
    Effect.gen(function* () {
      const now = "(extract(epoch from now()) * 1000)::bigint"
      const node = (name: string, revision: string | null) =>
        statement(`insert into nodes (node_id, role, version, host, catalog, started_at, last_seen_at)
          values ('${name}', 'all', '0.1.0', 'machine', ${revision === null ? "null" : `'${revision}'`}, 0, ${now})`)
      const lines = Effect.map(cli("nodes"), ({ out }) => out.join("\n").split("\n"))
      assert.deepStrictEqual(yield* lines, ["No node has said that it runs"])
      const line = (name: string) => `${name}  all     0.1.0  machine  since 1970-01-01T00:00:00.000Z`
      yield* node("a", "5f2a91c07be4aaaa")
      // A node of the version before does not say it.
      yield* node("b", null)
      assert.deepStrictEqual(yield* lines, [`${line("a")}  catalog 5f2a91c07be4`, line("b")])
      yield* node("c", "77ab01d9e3c2bbbb")
      assert.deepStrictEqual(yield* lines, [
        `${line("a")}  catalog 5f2a91c07be4`,
        line("b"),
        `${line("c")}  catalog 77ab01d9e3c2`,
        "Nodes serve different catalogs: what there is and what it costs depends on the node. Give all nodes the same version and the same folders in GATEWAY_CATALOG, and restart those that differ"
      ])
      const { nodes } = yield* json("nodes")
      assert.deepStrictEqual(
        nodes.map((node: { readonly catalog: string | null; readonly startedAt: string }) => [
          node.catalog,
          node.startedAt
        ]),
        ["5f2a91c07be4aaaa", null, "77ab01d9e3c2bbbb"].map((catalog) => [catalog, "1970-01-01T00:00:00.000Z"])
      )
    })
  )
})
