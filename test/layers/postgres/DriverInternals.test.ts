// What DriverInternals assumes of `pg`: one test each, against a real Postgres, so that a new `pg` that works otherwise
// fails here and not in production.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import Pg from "pg"
import { types } from "../../../src/layers/postgres/database/ColumnTypes.js"
import {
  ask,
  CommitRefused,
  connectTimedOut,
  noAnswer,
  pipelined,
  staleStatement,
  StatementNames,
  takeRows,
  withDescriptions
} from "../../../src/layers/postgres/database/DriverInternals.js"
import { acquireTestDatabase } from "../../support/postgres.js"

interface Answered {
  readonly cause: Error | null | undefined
  readonly result: Pg.QueryResult
}

const answerOf = (client: Pg.Client, text: string, values: ReadonlyArray<unknown> = []): Promise<Answered> =>
  new Promise((resolve) => ask(client, text, values, (cause, result) => resolve({ cause, result })))

const assumption = (title: string, work: (client: Pg.Client, url: string) => Promise<void>, options = {}) =>
  it.scopedLive(title, () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* acquireTestDatabase({ empty: true }))
      const client = new Pg.Client({ connectionString: url, types, ...pipelined, ...options })
      client.on("error", () => undefined)
      yield* Effect.promise(() => client.connect())
      yield* Effect.addFinalizer(() => Effect.promise(() => client.end().catch(() => undefined)))
      yield* Effect.promise(() => work(client, url))
    })
  )

/** The bytes of each write of a connection to its socket; several chunks that leave together are one. */
const writesOf = (client: Pg.Client): Array<number> => {
  const writes: Array<number> = []
  const stream = client.connection.stream as unknown as {
    _write: (chunk: Buffer, ...rest: ReadonlyArray<unknown>) => void
    _writev: (chunks: ReadonlyArray<{ readonly chunk: Buffer }>, ...rest: ReadonlyArray<unknown>) => void
  }
  const { _write, _writev } = stream
  stream._write = function (chunk, ...rest) {
    writes.push(chunk.length)
    return _write.call(this, chunk, ...rest)
  }
  stream._writev = function (chunks, ...rest) {
    writes.push(chunks.reduce((sum, { chunk }) => sum + chunk.length, 0))
    return _writev.call(this, chunks, ...rest)
  }
  return writes
}

describe("what is assumed of pg", () => {
  assumption(
    "a statement leaves before the one before it is answered, and answers keep their order",
    async (client) => {
      const writes = writesOf(client)
      const answered: Array<string> = []
      const slow = answerOf(client, "select pg_sleep(0.5)").then(() => answered.push("slow"))
      await new Promise((resolve) => setImmediate(resolve))
      const quick = answerOf(client, "select $1::int as n", [1]).then(() => answered.push("quick"))
      await new Promise((resolve) => setTimeout(resolve, 100))
      assert.deepStrictEqual([writes.length, answered], [2, []])
      await Promise.all([slow, quick])
      assert.deepStrictEqual(answered, ["slow", "quick"])
    }
  )

  assumption("statements of one turn leave in one write", async (client) => {
    const writes = writesOf(client)
    const rows = await Promise.all([1, 2, 3].map((n) => answerOf(client, "select $1::int as n", [n])))
    assert.lengthOf(writes, 1)
    assert.deepStrictEqual(
      rows.map(({ result }) => result.rows),
      [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]
    )
  })

  assumption(
    "a connection prepares so many statements and no more, and the next connection as many again",
    async (client) => {
      const texts = Array.from({ length: StatementNames.max + 1 }, (_, n) => `select $1::int as n${n}`)
      const answers = await Promise.all(texts.map((text, n) => answerOf(client, text, [n])))
      assert.deepStrictEqual(answers.at(-1)?.result.rows, [{ [`n${StatementNames.max}`]: StatementNames.max }])
      const { result } = await answerOf(client, "select count(*)::int as prepared from pg_prepared_statements")
      assert.deepStrictEqual(result.rows, [{ prepared: StatementNames.max }])
    }
  )

  assumption("a statement with values is prepared once for each connection, under one name", async (client) => {
    for (const n of [1, 2, 3]) await answerOf(client, "select $1::int as prepared_once", [n])
    const { result } = await answerOf(
      client,
      "select name, generic_plans + custom_plans as used from pg_prepared_statements where statement like '%prepared_once'"
    )
    assert.deepStrictEqual(result.rows, [
      { name: new StatementNames().of("select $1::int as prepared_once", [1]), used: 3 }
    ])
  })

  assumption("the columns of a statement with a name are described until they are known", async (client) => {
    let descriptions = 0
    client.connection.on("rowDescription", () => (descriptions += 1))
    const text = "select $1::int as n, $2::text as word, now() as at"
    const shapeOf = ({ result }: Answered) => result.fields.map(({ dataTypeID, name }) => `${name} ${dataTypeID}`)
    // One that fails teaches nothing, and two that leave together are both described.
    await answerOf(client, text, ["no number", "a"])
    assert.strictEqual(descriptions, 0)
    const [first, second] = await Promise.all([answerOf(client, text, [1, "a"]), answerOf(client, text, [2, null])])
    const third = await answerOf(client, text, [3, "c"])
    assert.strictEqual(descriptions, 2)
    assert.deepStrictEqual(shapeOf(third), shapeOf(first))
    assert.deepStrictEqual(
      [first, second, third].map(({ result: { rows } }) => rows.map(({ n, word }) => ({ n, word }))),
      [[{ n: 1, word: "a" }], [{ n: 2, word: null }], [{ n: 3, word: "c" }]]
    )
    assert.instanceOf(third.result.rows[0].at, Date)
    // A statement without a name has different columns under the same lack of one.
    assert.deepStrictEqual((await answerOf(client, "select 1 as one")).result.rows, [{ one: 1 }])
    assert.deepStrictEqual((await answerOf(client, "select 'x' as x, 'y' as y")).result.rows, [{ x: "x", y: "y" }])
  })

  assumption("behind a pooler that keeps statements, the columns are described each time", async (client) => {
    withDescriptions(client)
    let descriptions = 0
    client.connection.on("rowDescription", () => (descriptions += 1))
    for (const n of [1, 2])
      assert.deepStrictEqual((await answerOf(client, "select $1::int as n", [n])).result.rows, [{ n }])
    assert.strictEqual(descriptions, 2)
  })

  for (const [what, other] of [
    ["does not have", "deallocate all"],
    ["has already", (name: string) => `prepare "${name}" as select 1`]
  ] as const)
    assumption(
      `a statement that the server ${what}, as behind a pooler that keeps none, was not carried out, and its connection is not used again`,
      async (client) => {
        await answerOf(client, "create table notes (id int)")
        const text = "insert into notes values ($1::int)"
        const name = new StatementNames().of(text, [1]) ?? ""
        if (typeof other === "string") await answerOf(client, text, [1])
        await answerOf(client, typeof other === "string" ? other : other(name))
        const { cause } = await answerOf(client, text, [2])
        assert.isTrue(staleStatement(cause), String(cause))
        assert.instanceOf((await answerOf(client, "select 1")).cause, Error)
      }
    )

  assumption("a statement that writes has no columns, and says how many rows it wrote each time", async (client) => {
    await answerOf(client, "create table notes (id int)")
    const write = (count: number) =>
      answerOf(client, "insert into notes select generate_series(1, $1::int)", [count]).then(
        ({ result: { fields, rowCount, rows } }) => ({ fields, rowCount, rows })
      )
    for (const count of [2, 3]) assert.deepStrictEqual(await write(count), { fields: [], rowCount: count, rows: [] })
  })

  assumption(
    "a statement without an answer fails with a text that is known, and its connection is not used again",
    async (client) => {
      const { cause } = await answerOf(client, "select pg_sleep(5)")
      assert.isTrue(noAnswer(cause))
      assert.instanceOf((await answerOf(client, "select 1")).cause, Error)
    },
    { query_timeout: 200 }
  )

  assumption(
    "a plan whose result has changed is told by its text, and its connection is not used again",
    async (client) => {
      await answerOf(client, "create table notes (id int)")
      await answerOf(client, "select * from notes where id = $1", [1])
      await answerOf(client, "alter table notes add column more text")
      const { cause } = await answerOf(client, "select * from notes where id = $1", [1])
      assert.isTrue(staleStatement(cause))
      assert.instanceOf((await answerOf(client, "select 1")).cause, Error)
    }
  )

  assumption("a COMMIT that was answered with ROLLBACK is a failure", async (client) => {
    const answers = ["BEGIN", "select 1 / 0", "COMMIT"].map((text) => answerOf(client, text))
    const [, , { cause }] = (await Promise.all(answers)) as [Answered, Answered, Answered]
    assert.instanceOf(cause, CommitRefused)
    assert.isNull((await answerOf(client, "select 1")).cause)
  })

  assumption("a statement behind one that failed in the same transaction is not carried out", async (client) => {
    await answerOf(client, "create table notes (id int)")
    const texts = ["BEGIN", "insert into notes values (1)", "select 1 / 0", "insert into notes values (2)", "COMMIT"]
    await Promise.all(texts.map((text) => answerOf(client, text)))
    assert.deepStrictEqual((await answerOf(client, "select id from notes")).result.rows, [])
  })

  assumption(
    "a connection that was ended fails its statements with an error that is no answer of Postgres",
    async (client) => {
      await client.end()
      const { cause } = await answerOf(client, "select 1")
      assert.instanceOf(cause, Error)
      assert.notInstanceOf(cause, Pg.DatabaseError)
      assert.notProperty(cause, "code")
    }
  )

  assumption("a pool without a free connection says so with a text that is known", async (_client, url) => {
    // The first connection has as long to be made, on a machine that is busy with other tests.
    const pool = new Pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 2_000 })
    const held = await pool.connect()
    const refused = await pool.connect().catch((cause: unknown) => cause)
    held.release()
    await pool.end()
    assert.isTrue(connectTimedOut(refused))
  })

  assumption("the rows of an answer can be taken out of it", async (client) => {
    const { result } = await answerOf(client, "select 1 as n")
    assert.deepStrictEqual(takeRows(result), [{ n: 1 }])
    assert.deepStrictEqual(result.rows, [])
  })

  assumption(
    "int8 and lists of int8 are numbers, and one that a number cannot hold fails its statement",
    async (client) => {
      const { result } = await answerOf(client, "select 9007199254740991::int8 as n, array[1, null]::int8[] as list")
      assert.deepStrictEqual(result.rows, [{ n: Number.MAX_SAFE_INTEGER, list: [1, null] }])
      assert.instanceOf((await answerOf(client, "select 9007199254740993::int8 as n")).cause, RangeError)
    }
  )
})
