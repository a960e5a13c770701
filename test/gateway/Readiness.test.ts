/** When a node says that it should get no requests, and why: asked over HTTP, of a whole gateway on Postgres. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { aheadMillis } from "../../src/layers/postgres/StorageChecks.js"
import { Database } from "../../src/layers/postgres/Database.js"
import { ReadinessChecks } from "../../src/http/system/Readiness.js"
import { eventually } from "../support/eventually.js"
import { client, gatewayLayer } from "../support/httpGateway.js"
import { startGateway, type RunningGateway } from "../support/gateway.js"
import { skewed } from "../support/skewedClock.js"
import { ServerAddress } from "../../src/http/serving/Listening.js"

const well = { serving: true, catalog: true, storage: true, schema: true, clock: true }
const until = ({ call }: RunningGateway, status: number) =>
  eventually(call("GET", "/readyz"), (answer) => answer.status === status)
const run = (gateway: RunningGateway, statement: string) =>
  Effect.flatMap(Database, ({ query, sql }) => query(sql.unsafe(statement))).pipe(Effect.provide(gateway.services))

class World extends Context.Tag("test/gateway/ReadinessWorld")<World, Effect.Effect.Success<typeof world>>() {}

/** A gateway, and how far off its clock is. */
const world = Effect.gen(function* () {
  const off = { offset: 0 }
  return {
    gateway: yield* Effect.withClock(
      startGateway(),
      skewed(() => off.offset)
    ),
    off
  }
})

layer(Layer.scoped(World, world), { excludeTestServices: true, timeout: "60 seconds" })("/readyz", (it) => {
  it.effect("says no and how far it is off when its clock differs from the database's by more than a second", () =>
    Effect.gen(function* () {
      const { gateway, off } = yield* World
      off.offset = -7_000
      const answer = yield* until(gateway, 503)
      assert.deepStrictEqual(answer.json.checks, { ...well, clock: false })
      assert.match(answer.json.reasons.clock, /^This node's clock is (6|7)\.\d s behind the database's/)
      off.offset = 0
      yield* until(gateway, 200)
    })
  )

  // The last one that asks the gateway: it does not become ready again.
  it.effect("says no and why when the storage refuses to write, and when its schema needs a newer program", () =>
    Effect.gen(function* () {
      const { gateway } = yield* World
      assert.deepStrictEqual((yield* until(gateway, 200)).json, { status: "ready", checks: well })
      // What a full disk answers.
      yield* run(
        gateway,
        `create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$`
      )
      yield* run(
        gateway,
        "create trigger full_disk before insert or update on write_probe for each row execute function full_disk()"
      )
      assert.deepStrictEqual((yield* until(gateway, 503)).json, {
        status: "not_ready",
        checks: { ...well, storage: false },
        reasons: { storage: "The storage answers, but refuses writes or new connections" }
      })
      assert.strictEqual((yield* gateway.call("GET", "/livez")).status, 200)
      yield* run(gateway, "drop trigger full_disk on write_probe")
      yield* until(gateway, 200)
      // A newer node has started: until it takes something away, this one works on.
      yield* run(gateway, "insert into gateway_migrations (name) values ('9999_of_a_later_version')")
      yield* Effect.sleep("1200 millis")
      assert.strictEqual((yield* gateway.call("GET", "/readyz")).status, 200)
      yield* run(gateway, "update schema_needs set needed = '9999_of_a_later_version'")
      const newer = yield* until(gateway, 503)
      assert.deepStrictEqual(newer.json.checks, { ...well, schema: false })
      assert.include(newer.json.reasons.schema, "9999_of_a_later_version")
    })
  )
})

describe("/readyz", () => {
  it.live("looks once a second at most, however many ask, and one that hangs up takes the answer from nobody", () =>
    Effect.gen(function* () {
      let looks = 0
      const checks = Effect.delay(
        Effect.sync(() => ({ storage: ++looks === 0 ? "never" : null })),
        "100 millis"
      )
      const context = yield* Layer.build(gatewayLayer({}).pipe(Layer.provide(Layer.succeed(ReadinessChecks, checks))))
      const gateway = client(`http://127.0.0.1:${(yield* Effect.provide(ServerAddress, context)).port}`, 0)
      yield* Effect.promise(() =>
        fetch(`${gateway.base}/readyz`, { signal: AbortSignal.timeout(20) }).catch(() => undefined)
      )
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => gateway.get("/readyz")),
        { concurrency: "unbounded" }
      )
      assert.isTrue(answers.every(({ status }) => status === 200))
      // One, unless a busy machine took more than a second for all of them.
      assert.isAtMost(looks, 3)
      const before = looks
      yield* Effect.sleep("1200 millis")
      yield* gateway.get("/readyz")
      assert.strictEqual(looks, before + 1)
    }).pipe(Effect.scoped)
  )
})

describe("comparing clocks", () => {
  it("gives the other side the time that the answer took", () => {
    assert.strictEqual(aheadMillis(1_000, 1_000, 900), 100)
    assert.strictEqual(aheadMillis(1_000, 1_000, 1_100), -100)
    assert.strictEqual(aheadMillis(1_000, 3_000, 2_900), 0)
    assert.strictEqual(aheadMillis(1_000, 3_000, 9_000), -6_000)
  })
})
