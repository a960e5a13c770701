/** Publishing: over real Postgres, from one node to another, while the old revision goes on answering. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Either, Fiber, Layer } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { CatalogFollowing } from "../../../src/layers/catalog/CatalogFollowing.js"
import { CatalogRevisionsPg } from "../../../src/layers/postgres/CatalogRevisionsPg.js"
import { CatalogServed } from "../../../src/layers/catalog/CatalogServed.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { ContractStorePg } from "../../../src/layers/postgres/ContractStorePg.js"
import { Catalog } from "../../../src/services/Catalog.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { CatalogPublisher } from "../../../src/services/CatalogPublisher.js"
import { CatalogRevisions } from "../../../src/services/CatalogRevisions.js"
import { endpoint, job, newWorld, noVocabulary, servedCatalog, worldServices } from "../../support/catalog.js"
import { caller, startGateway } from "../../support/httpGateway.js"
import { testDatabase } from "../../support/postgres.js"
import { eventually } from "../../support/eventually.js"

const builtIn = { jobs: [job("web.search")], endpoints: [endpoint({ id: "built-in", job: "web.search" })] }
const node = CatalogFollowing(builtIn).pipe(
  Layer.provideMerge(CatalogServed({ jobsMayPickFixtures: false, vocabulary: noVocabulary })),
  Layer.provide(worldServices(newWorld())),
  Layer.provideMerge(CatalogRevisionsPg.pipe(Layer.provide(IdsCrypto), Layer.provideMerge(ContractStorePg)))
)

describe("publishing a catalog", () => {
  it.scopedLive(
    "swaps every node to it, adds to what was published before, and refuses a bad one whole",
    () =>
      Effect.gen(function* () {
        const database = yield* Layer.build(testDatabase())
        const first = yield* Layer.build(Layer.fresh(node)).pipe(Effect.provide(database))
        const second = yield* Layer.build(Layer.fresh(node)).pipe(Effect.provide(database))
        const seenBy = (context: typeof first, id: string) =>
          Effect.provide(
            Effect.flatMap(Catalog, (catalog) => catalog.endpoint(id)),
            context
          )
        const arrives = (id: string) => eventually(seenBy(second, id), (found) => found !== null)
        const publish = (made: ReturnType<typeof endpoint>) =>
          Effect.provide(
            Effect.flatMap(CatalogRevisions, (revisions) =>
              revisions.publish({ jobs: [], endpoints: [made] }, { mode: "add", builtIn }, commandLine)
            ),
            first
          )

        assert.isNull(yield* seenBy(second, "new-one"))
        yield* publish(endpoint({ id: "new-one", job: "web.search" }))
        yield* arrives("new-one")
        yield* publish(endpoint({ id: "another" }))
        yield* arrives("another")
        for (const id of ["built-in", "new-one", "another"]) assert.isNotNull(yield* seenBy(second, id), id)

        const refused = yield* Effect.flip(publish(endpoint({ id: "lost", job: "no.such.job" })))
        assert.include(String(refused), "no.such.job")
        const { content, sequence } = yield* Effect.provide(
          Effect.flatMap(CatalogRevisions, (revisions) => revisions.latest),
          first
        )
        assert.strictEqual(sequence, 2)
        assert.sameMembers(
          content.endpoints.map(({ operation }) => String(operation.id)),
          ["new-one", "another"]
        )
      }),
    60_000
  )

  it.scopedLive(
    "checks a publication again when another one came between its check and its turn",
    () =>
      Effect.gen(function* () {
        const database = yield* Layer.build(testDatabase())
        const { query, sql, transact } = Context.get(database, Database)
        const context = yield* Layer.build(node).pipe(Effect.provide(database))
        const revisions = Context.get(context, CatalogRevisions)
        const publish = (content: Parameters<typeof revisions.publish>[0], mode: "add" | "without") =>
          revisions.publish(content, { mode, builtIn }, commandLine)
        const ownJob = { jobs: [job("my.job")], endpoints: [] }
        yield* publish(ownJob, "add")

        // Both have checked, and wait for the one who writes at this moment.
        const locked = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const writer = yield* Effect.fork(
          transact(
            Effect.zipRight(
              query(sql`select pg_advisory_xact_lock(hashtext('catalog_revisions'))`),
              Effect.zipRight(Deferred.succeed(locked, undefined), Deferred.await(go))
            )
          )
        )
        yield* Deferred.await(locked)
        const adds = yield* Effect.fork(
          Effect.either(publish({ jobs: [], endpoints: [endpoint({ id: "mine", job: "my.job" })] }, "add"))
        )
        const withdraws = yield* Effect.fork(Effect.either(publish(ownJob, "without")))
        yield* eventually(
          query(sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`),
          ([row]) => row?.["n"] === 2
        )
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(writer)

        const results = [yield* Fiber.join(adds), yield* Fiber.join(withdraws)]
        assert.lengthOf(results.filter(Either.isRight), 1)
        assert.include(String(results.find(Either.isLeft)?.left), "my.job")
        yield* publish({ jobs: [], endpoints: [endpoint({ id: "good" })] }, "add")
        yield* eventually(Context.get(context, Catalog).endpoint("good"), (found) => found !== null)
      }),
    60_000
  )

  it.scopedLive(
    "swaps while requests come in: none fails, and each is answered from the old revision or from the new one",
    () =>
      Effect.gen(function* () {
        const context = yield* Layer.build(node).pipe(Effect.provide(yield* Layer.build(testDatabase())))
        const revisions = Context.get(context, CatalogRevisions)
        const { get } = yield* startGateway({ catalogLayer: Layer.succeed(Catalog, Context.get(context, Catalog)) })
        const path = "/v1/catalog/search?q=operation+about&limit=200"
        const before = (yield* get(path)).json
        /** The revision and total of every answer, until the new revision has been seen by this caller. */
        const calling = Effect.iterate(new Map<string, number>(), {
          while: (seen) => seen.size < 2,
          body: (seen) =>
            Effect.map(get(path), ({ json, status }) => {
              assert.strictEqual(status, 200)
              assert.strictEqual(json.endpoints.length, Math.min(json.total, 200))
              assert.strictEqual(seen.get(json.revision) ?? json.total, json.total)
              return new Map(seen).set(json.revision, json.total)
            })
        })
        const callers = yield* Effect.fork(
          Effect.all(
            Array.from({ length: 8 }, () => calling),
            { concurrency: "unbounded" }
          )
        )
        const content = { jobs: [], endpoints: Array.from({ length: 2_000 }, (_, n) => endpoint({ id: `more-${n}` })) }
        yield* revisions.publish(content, { mode: "add", builtIn }, commandLine)
        for (const seen of yield* Effect.timeout(Fiber.join(callers), "30 seconds")) {
          assert.deepStrictEqual([...seen.values()], [before.total, before.total + 2_000])
          assert.isTrue(seen.has(before.revision))
        }
      }),
    60_000
  )

  it.live("keeps the contract that a run was promised readable after it has changed", () =>
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const { publish } = yield* CatalogPublisher
      const before = yield* catalog.contract("x", null, caller())
      const jobBefore = yield* catalog.contract("job:web.search", null, caller())
      yield* publish({
        jobs: [job("web.search")],
        endpoints: [endpoint({ id: "x", job: "web.search", path: "/changed" })]
      })
      const after = yield* catalog.contract("x", null, caller())
      assert.notStrictEqual(after.contractVersion, before.contractVersion)
      assert.deepStrictEqual(yield* catalog.contract("x", before.contractVersion, caller()), before)
      assert.strictEqual((yield* catalog.endpointAt("x", before.contractVersion))?.operation.path, "/x")
      assert.notStrictEqual(
        (yield* catalog.contract("job:web.search", null, caller())).contractVersion,
        jobBefore.contractVersion
      )
      const old = yield* catalog.contract("job:web.search", jobBefore.contractVersion, caller())
      assert.deepStrictEqual(
        old.providers?.map(({ contractVersion }) => contractVersion),
        [before.contractVersion]
      )
      for (const id of ["x", "job:web.search"]) {
        const missing = yield* Effect.flip(catalog.contract(id, "never", caller()))
        assert.strictEqual(missing.message, `No version of ${id} with the id never`)
      }
    }).pipe(
      Effect.provide(
        servedCatalog({ jobs: [job("web.search")], endpoints: [endpoint({ id: "x", job: "web.search" })] })
      )
    )
  )

  it.live("puts in force what changes only a word about a provider", () =>
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const { publish } = yield* CatalogPublisher
      for (const about of [
        { homepage: "https://changed.example" },
        { docs: "https://docs.example" },
        { traceContext: true }
      ]) {
        yield* publish({ jobs: [], endpoints: [endpoint({ id: "x", provider: about })] })
        assert.deepInclude((yield* catalog.endpoint("x"))?.provider, about)
      }
    }).pipe(Effect.provide(servedCatalog({ jobs: [], endpoints: [endpoint({ id: "x" })] })))
  )

  it.scopedLive("counts a node once that refuses a publication at first and then takes it over", () =>
    Effect.gen(function* () {
      const { tell, watch } = yield* CatalogRevisions
      const reached = yield* watch
      yield* tell({ sequence: 7, inForce: false })
      yield* tell({ sequence: 7, inForce: true })
      const { inForce, refused } = yield* eventually(reached(7, 0), ({ inForce }) => inForce > 0)
      assert.deepStrictEqual([inForce, refused], [1, 0])
    }).pipe(
      Effect.provide(
        CatalogRevisionsPg.pipe(
          Layer.provide(IdsCrypto),
          Layer.provideMerge(ContractStorePg),
          Layer.provide(testDatabase())
        )
      )
    )
  )

  it.live("refuses a bad catalog with everything that is wrong with it, and serves the old one", () =>
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const { publish } = yield* CatalogPublisher
      const revision = yield* catalog.revision
      const refused = yield* Effect.flip(
        publish({
          jobs: [],
          endpoints: [endpoint({ id: "a" }), endpoint({ id: "a" }), endpoint({ id: "b", job: "no.job" })]
        })
      )
      assert.strictEqual(refused._tag, "CatalogRefused")
      if (refused._tag === "CatalogRefused")
        assert.deepStrictEqual(
          refused.problems.map(({ subject }) => subject),
          ["endpoint a", "endpoint b"]
        )
      assert.strictEqual(yield* catalog.revision, revision)
    }).pipe(Effect.provide(servedCatalog(builtIn)))
  )

  it.live("is loading until the first revision is in force", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip((yield* Catalog).revision))._tag, "catalog_loading")
    }).pipe(Effect.provide(servedCatalog(null)))
  )
})
