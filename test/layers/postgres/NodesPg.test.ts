// The list of nodes: who is on it, who fell silent, and who left.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { exposition } from "../../../src/http/system/Exposition.js"
import { nodeForgottenMillis, nodeSilentMillis } from "../../../src/domain/Limits.js"
import { productVersion } from "../../../src/domain/Product.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { NodeRegistered, type ThisNode } from "../../../src/layers/postgres/NodesPg.js"
import { Reports } from "../../../src/services/Reports.js"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

const storage = Layer.provideMerge(storagePg, testDatabase())
const run = (statement: string) => Effect.flatMap(Database, ({ query, sql }) => query(sql.unsafe(statement)))
const listed = Effect.flatMap(Reports, ({ health }) => Effect.map(health, ({ nodes }) => nodes))

/** Starts a node and answers once it is listed; the effect that it answers stops it. */
const start = (node: ThisNode) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Layer.fresh(NodeRegistered(node)), scope)
    yield* Effect.repeat(Effect.delay(listed, "20 millis"), {
      until: (nodes) => nodes.some(({ node: id }) => id === node.nodeId),
      times: 250
    })
    return Scope.close(scope, Exit.void)
  })

describe("the list of nodes", () => {
  it.scopedLive("has every node that runs with its role and version, and loses one that stops", () =>
    Effect.gen(function* () {
      yield* start({ nodeId: "one", role: "all", host: "machine-1" })
      const stop = yield* start({ nodeId: "two", role: "worker", host: "machine-2" })
      const both = yield* listed
      assert.deepStrictEqual(
        both.map(({ host, node, role, version }) => ({ node, role, version, host })),
        [
          { node: "one", role: "all", version: productVersion, host: "machine-1" },
          { node: "two", role: "worker", version: productVersion, host: "machine-2" }
        ]
      )
      assert.isTrue(both.every(({ silentMillis }) => silentMillis < nodeSilentMillis))
      yield* stop
      assert.deepStrictEqual(
        (yield* listed).map(({ node }) => node),
        ["one"]
      )
    }).pipe(Effect.provide(storage))
  )

  it.scopedLive("shows a silent node as silent, counts it no more, and drops it after an hour", () =>
    Effect.gen(function* () {
      const long = `(extract(epoch from now()) * 1000)::bigint - ${nodeSilentMillis + 1_000}`
      const past = `(extract(epoch from now()) * 1000)::bigint - ${nodeForgottenMillis + 1_000}`
      yield* run(
        `insert into nodes values ('silent', 'all', '0.0.9', 'h', 1, ${long}), ('forgotten', 'all', '0.0.9', 'h', 2, ${past})`
      )
      yield* start({ nodeId: "three", role: "worker", host: "machine-3" })
      yield* Effect.repeat(Effect.delay(listed, "20 millis"), { until: (nodes) => nodes.length === 2, times: 250 })
      const nodes = yield* listed
      assert.deepStrictEqual(
        nodes.map(({ node }) => node),
        ["silent", "three"]
      )
      assert.isAbove(nodes[0]!.silentMillis, nodeSilentMillis)
      const counted = /^gateway_nodes\{role="worker",version="[^"]+"\} 1$/m
      const metrics = yield* Effect.repeat(Effect.delay(exposition, "20 millis"), {
        until: (text) => counted.test(text),
        times: 250
      })
      assert.notMatch(metrics, /^gateway_nodes\{role="all",version="0\.0\.9"\} [^0]/m)
      assert.match(metrics, /^gateway_node_info\{.*node="three".*\} 1$/m)
    }).pipe(Effect.provide(storage))
  )
})
