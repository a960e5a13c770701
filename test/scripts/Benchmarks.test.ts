/** What all benchmarks share: their options, what their programs find around them, and the databases that they use. */
import { assert, describe, it } from "@effect/vitest"
import Pg from "pg"
import { inject } from "vitest"
import { readOptions } from "../../bench/Options.js"
import { median, quantile } from "../../bench/Quantiles.js"
import { environmentWith } from "../../bench/runs/Environment.js"
import { inOwnDatabase } from "../../bench/runs/OwnDatabase.js"

describe("the options of a benchmark", () => {
  const of = (...args: ReadonlyArray<string>) => readOptions({ values: ["rounds", "seconds"], flags: ["fast"] }, args)

  it("are given with a space or a sign, or left out", () => {
    assert.strictEqual(of("--rounds", "4").count("rounds", 3), 4)
    assert.strictEqual(of("--rounds=4").count("rounds", 3), 4)
    assert.strictEqual(of().count("rounds", 3), 3)
    assert.strictEqual(of("--seconds", "0.5").amount("seconds", 6), 0.5)
    assert.deepStrictEqual([of("--fast").has("fast"), of().has("fast")], [true, false])
  })

  it("are refused when they are unknown, have no value, or are words that mean nothing", () => {
    assert.throws(() => of("--round", "4"), /--round/)
    assert.throws(() => of("--rounds"), /--rounds/)
    assert.throws(() => of("--fast=no"), /--fast/)
    assert.throws(() => of("zzz-none"), /zzz-none/)
    assert.deepStrictEqual(readOptions({ words: true }, ["search:", "schema:"]).words, ["search:", "schema:"])
  })

  it("are refused when they should be numbers and are none that the benchmark can use", () => {
    for (const value of ["x", "", " ", "1.5", "0", "1e400"])
      assert.throws(() => of(`--rounds=${value}`).count("rounds", 3), /--rounds is .* whole number, at least 1/)
    assert.strictEqual(of("--rounds", "0").count("rounds", 3, 0), 0)
    for (const value of ["x", "0", "Infinity"])
      assert.throws(() => of(`--seconds=${value}`).amount("seconds", 6), /--seconds is .* number above 0/)
  })
})

describe("what is told of many measurements", () => {
  it("is the middle one, or what lies between the two in the middle", () => {
    assert.strictEqual(median([3, 1, 2]), 2)
    assert.strictEqual(median([4, 1, 3, 2]), 2.5)
    assert.isNaN(median([]))
  })

  it("is the value below which a share of them lies", () => {
    assert.deepStrictEqual(
      [0.5, 0.99, 1].map((share) => quantile([1, 2, 3, 4], share)),
      [3, 4, 4]
    )
  })
})

describe("the programs of a benchmark", () => {
  it("find no setting of a gateway in their environment but those of the benchmark", () => {
    const around = {
      PATH: "/bin",
      DATABASE_URL: "postgres://live/gateway",
      DATABASE_URL_FILE: "/run/secrets/url",
      GATEWAY_SEALING_KEYS: "live",
      GATEWAY_LISTEN_URL: "postgres://live/gateway",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector",
      PORT: "80",
      HOST: "0.0.0.0",
      UNSET: undefined
    }
    assert.deepStrictEqual(environmentWith({ PORT: "1234", GATEWAY_DATA_DIR: "/tmp/bench" }, around), {
      PATH: "/bin",
      PORT: "1234",
      GATEWAY_DATA_DIR: "/tmp/bench"
    })
  })
})

describe("a database for one benchmark", () => {
  const asked = async (url: string, statement: string) => {
    const client = new Pg.Client(url)
    await client.connect()
    return client.query(statement).finally(() => client.end())
  }
  const named = (url: string) => new URL(url).pathname.slice(1)
  const isThere = async (url: string) =>
    (await asked(inject("databaseUrl"), `select 1 from pg_database where datname = '${named(url)}'`)).rows.length > 0

  it("stands beside the one whose address was given, and is dropped afterwards", async () => {
    const url = inject("databaseUrl")
    const own = await inOwnDatabase(url, async (made) => {
      await asked(made, "create table runs (run_id text)")
      assert.isTrue(await isThere(made))
      return made
    })
    assert.notStrictEqual(named(own), named(url))
    assert.isFalse(await isThere(own))
  })

  it("is dropped when the benchmark fails too, also below its connections", async () => {
    let own = ""
    const client = { end: () => Promise.resolve() }
    const failed = await inOwnDatabase(inject("databaseUrl"), async (made) => {
      own = made
      const left = new Pg.Client(made)
      left.on("error", () => undefined)
      await left.connect()
      client.end = () => left.end()
      throw new Error("the load failed")
    }).catch((error: unknown) => error)
    await client.end()
    assert.strictEqual(String(failed), "Error: the load failed")
    assert.isFalse(await isThere(own))
  })

  it("needs an address of one server", async () => {
    const failed = await inOwnDatabase("postgres://one:1,two:2/gateway", () => Promise.resolve()).catch(String)
    assert.include(String(failed), "must name one server")
  })
})
