// The list of nodes: who is on it, who fell silent, and who left.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Ref, Scope, TestClock, TestServices } from "effect"
import { exposition } from "../../../src/http/system/Exposition.js"
import { nodeForgottenMillis, nodeSilentMillis } from "../../../src/domain/limits/Nodes.js"
import { lacksWorkers, nodesInWords } from "../../../src/domain/NodeRole.js"
import { productVersion } from "../../../src/domain/Product.js"
import { catalogsFinding, nodesFinding } from "../../../src/layers/compose/Doctor.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { NodeRegistered, type ThisNode } from "../../../src/layers/postgres/NodesPg.js"
import { Reports } from "../../../src/services/Reports.js"
import { storagePg } from "../../support/engine.js"
import { eventually } from "../../support/eventually.js"
import { withLogLines } from "../../support/logLines.js"
import { testDatabase } from "../../support/postgres.js"

const sealingKeys: ReadonlySet<string> = new Set(["k1", "k2"])
const catalog = Effect.succeed("5f2a91c07be4aaaa")
const storage = Layer.provideMerge(storagePg, testDatabase())
const run = (statement: string) => Effect.flatMap(Database, ({ query, sql }) => query(sql.unsafe(statement)))
const listed = Effect.flatMap(Reports, ({ health }) => Effect.map(health, ({ nodes }) => nodes))

/** Starts a node and answers once it is listed; the effect that it answers stops it. */
const start = (node: ThisNode) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Layer.fresh(NodeRegistered(node)), scope)
    yield* eventually(listed, (nodes) => nodes.some(({ node: id }) => id === node.nodeId))
    return Scope.close(scope, Exit.void)
  })

describe("the list of nodes", () => {
  it.scopedLive("has every node that runs with its role and version, and loses one that stops", () =>
    Effect.gen(function* () {
      yield* start({ nodeId: "one", role: "all", host: "machine-1", sealingKeys, catalog })
      const stop = yield* start({ nodeId: "two", role: "worker", host: "machine-2", sealingKeys, catalog })
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
      yield* start({ nodeId: "three", role: "worker", host: "machine-3", sealingKeys, catalog })
      const nodes = yield* eventually(listed, ({ length }) => length === 2)
      assert.deepStrictEqual(
        nodes.map(({ node }) => node),
        ["silent", "three"]
      )
      assert.isAbove(nodes[0]!.silentMillis, nodeSilentMillis)
      const counted = /^gateway_nodes\{role="worker",version="[^"]+"\} 1$/m
      const metrics = yield* eventually(exposition, (text) => counted.test(text))
      assert.notMatch(metrics, /^gateway_nodes\{role="all",version="0\.0\.9"\} [^0]/m)
      assert.match(metrics, /^gateway_node_info\{.*node="three".*\} 1$/m)
    }).pipe(Effect.provide(storage))
  )

  it.scoped("does not get a node back by a sign of life that is on its way when the node stops", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const arrived = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      let signs = 0
      // The second sign of life is with the server, which takes its time: nothing calls it back.
      const query: typeof database.optional.query = (statement) => {
        if (statement.compile()[0].includes("insert into nodes")) signs += 1
        else return database.optional.query(statement)
        return signs === 2
          ? Effect.uninterruptible(
              Deferred.succeed(arrived, undefined).pipe(
                Effect.zipRight(Deferred.await(released)),
                Effect.zipRight(database.optional.query(statement))
              )
            )
          : database.optional.query(statement)
      }
      const slow = Layer.succeed(Database, { ...database, optional: { ...database.optional, query } })
      const scope = yield* Scope.make()
      const node = NodeRegistered({ nodeId: "four", role: "all", host: "machine-4", sealingKeys, catalog })
      yield* Layer.buildWithScope(Layer.provide(Layer.fresh(node), slow), scope)
      yield* eventually(listed, ({ length }) => length === 1)
      yield* eventually(Effect.zipRight(TestClock.adjust("5 seconds"), Deferred.isDone(arrived)), (is) => is)
      const stop = yield* Effect.fork(Scope.close(scope, Exit.void))
      // Whatever the stop can do by now, it has done.
      yield* TestServices.provideLive(Effect.sleep("100 millis"))
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(stop)
      assert.deepStrictEqual(yield* listed, [])
    }).pipe(Effect.provide(storage))
  )

  it.scoped("says what catalog each node serves, also after another was published, and a metric says it too", () =>
    Effect.gen(function* () {
      const serves = yield* Ref.make<string | null>(null)
      const told = Effect.map(listed, (nodes) => nodes.map((node) => node.catalog))
      const until = (catalog: string | null) =>
        eventually(Effect.zipRight(TestClock.adjust("5 seconds"), told), ([first]) => first === catalog)
      yield* Layer.build(
        Layer.fresh(
          NodeRegistered({ nodeId: "five", role: "all", host: "machine-5", sealingKeys, catalog: Ref.get(serves) })
        )
      )
      assert.deepStrictEqual(yield* eventually(told, ({ length }) => length === 1), [null])
      for (const revision of ["first-of-five", "second-of-five"]) {
        yield* Ref.set(serves, revision)
        yield* until(revision)
      }
      const metrics = yield* exposition
      assert.match(metrics, /^gateway_catalog_info\{revision="first-of-five"\} 0$/m)
      assert.match(metrics, /^gateway_catalog_info\{revision="second-of-five"\} 1$/m)
    }).pipe(Effect.provide(storage))
  )

  it.scoped("says in the log of an api node when no worker is left, and when one is there again", () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        const told = (count: number) =>
          Effect.map(
            eventually(Effect.as(TestClock.adjust("5 seconds"), lines), ({ length }) => length >= count),
            () => lines.map(({ level, message }) => `${level} ${message.split(":")[0]}`)
          )
        const gone = "WARN No node with the role all or worker runs"
        const back = "WARN A node with the role all or worker runs again"
        const now = "(extract(epoch from now()) * 1000)::bigint"
        yield* Layer.build(
          Layer.fresh(NodeRegistered({ nodeId: "api", role: "api", host: "machine", sealingKeys, catalog }))
        )
        assert.deepStrictEqual(yield* told(1), [gone])
        yield* run(`insert into nodes values ('work', 'worker', '0.1.0', 'h', ${now}, ${now})`)
        assert.deepStrictEqual(yield* told(2), [gone, back])
        yield* run(`delete from nodes where node_id = 'work'`)
        assert.deepStrictEqual(yield* told(3), [gone, back, gone])
      }).pipe(Effect.provide(storage))
    )
  )
})

describe("nodes in words", () => {
  const node = (role: string, silentMillis = 0) => ({ role, silentMillis })
  const silent = nodeSilentMillis + 1

  it("count by role, and tell silent ones apart", () => {
    assert.strictEqual(nodesInWords([]), "no node runs")
    assert.strictEqual(nodesInWords([node("all")]), "1 node runs: 1 all")
    assert.strictEqual(
      nodesInWords([node("api"), node("api"), node("worker"), node("worker", silent)]),
      "3 nodes run: 2 api, 1 worker; 1 is silent"
    )
  })

  it("lack workers where only api nodes run, not where none runs", () => {
    assert.isTrue(lacksWorkers([node("api"), node("worker", silent)]))
    for (const fine of [[], [node("api", silent)], [node("api"), node("all")], [node("api"), node("later")]])
      assert.isFalse(lacksWorkers(fine))
  })

  it("are a finding of the doctor with the runs that wait", () => {
    const queued = (runs: number) => ({ status: "queued" as const, runs, more: false })
    assert.deepInclude(nodesFinding({ nodes: [], queued: queued(0) }), { ok: true, found: "no node runs" })
    const { advice, found, ok } = nodesFinding({
      nodes: [{ ...node("api"), node: "n", version: "0.1.0", host: "h", startedAt: 0, catalog: null }],
      queued: queued(1)
    })
    assert.isFalse(ok)
    assert.match(found, /^1 node runs: 1 api; 1 run waits in the queue\. No node with the role all or worker runs/)
    assert.strictEqual(advice, "Start a node with GATEWAY_ROLE worker or all")
  })
})

describe("the catalogs of nodes", () => {
  const node = (catalog: string | null, silentMillis = 0) => ({
    node: "n",
    role: "all",
    version: "0.1.0",
    host: "h",
    startedAt: 0,
    silentMillis,
    catalog
  })

  it("are a finding of the doctor when running nodes differ, and not for a silent node or one that does not say", () => {
    const ours = "5f2a91c07be4aaaa"
    const theirs = "77ab01d9e3c2bbbb"
    assert.deepStrictEqual(catalogsFinding({ nodes: [] }), [])
    assert.deepStrictEqual(catalogsFinding({ nodes: [node(null)] }), [])
    const [same] = catalogsFinding({ nodes: [node(ours), node(ours), node(null), node(theirs, nodeSilentMillis + 1)] })
    assert.deepInclude(same, { ok: true, found: "2 nodes serve 5f2a91c07be4" })
    const [differ] = catalogsFinding({ nodes: [node(ours), node(theirs), node(ours)] })
    assert.isFalse(differ?.ok)
    assert.match(differ?.found ?? "", /^2 nodes serve 5f2a91c07be4, 1 node serves 77ab01d9e3c2\. Nodes serve different/)
    assert.include(differ?.advice, "GATEWAY_CATALOG")
  })
})
