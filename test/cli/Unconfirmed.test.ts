/** What a command says where nobody knows whether its work was done. */
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber } from "effect"
import type { Operator } from "../../src/cli/Gateway.js"
import { StorageBusy, StorageTimeout, StorageUncertain } from "../../src/domain/StorageErrors.js"
import { Accounts } from "../../src/services/Accounts.js"
import { Connections } from "../../src/services/Connections.js"
import { Reconciliation } from "../../src/services/Reconciliation.js"
import { Wallet } from "../../src/services/Wallet.js"
import { queuedRun } from "../support/httpSamples.js"
import { cli, CommandLineTest, json, type Typed } from "./commandLine.js"

let names = 0
const workspace = Effect.suspend(() =>
  Effect.map(json(`workspace create unconfirmed-${names++}`), ({ workspaceId }) => String(workspaceId))
)

/** A service as it is, but for some of it. */
const changed =
  <I extends Operator, S>(tag: Context.Tag<I, S>, change: (real: S) => Partial<S>): NonNullable<Typed["between"]> =>
  (services) => {
    const real = Context.unsafeGet(services, tag)
    return Context.add(services, tag, { ...real, ...change(real) })
  }

/** The work is done, and its answer lost. */
const lost = <A, E>(work: Effect.Effect<A, E>) => Effect.zipRight(work, new StorageUncertain())
const lostCredit = changed(Wallet, ({ credit }) => ({ credit: (asked, by) => lost(credit(asked, by)) }))

/** The command that a note ends with, as the words that a shell makes of it. */
const commandIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [, command = ""] = /: gateway (.*)$/.exec(lines.find((line) => line.includes("is not known")) ?? "") ?? []
  return [...command.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(
    ([word, quoted]) => quoted?.replaceAll("'\\''", "'") ?? word
  )
}

layer(CommandLineTest, { excludeTestServices: true })("a command whose end is not known", (it) => {
  it.effect("shows the key that it made for a credit, which tells what became of it and credits no second time", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const line = ["credit", "--workspace", id, "--usd", "25", "--reason", "Ada's invoice"]
      const { code, err, out } = yield* cli(line, { between: lostCredit })
      assert.deepStrictEqual([code, out], [1, []])
      const command = commandIn(err)
      assert.deepStrictEqual(command.slice(0, line.length), line, err.join("\n"))
      assert.include((yield* cli(command)).out.join(), "Changes nothing: the key has added $25.00")
      const again = yield* json(command.filter((word) => word !== "--dry-run"))
      assert.strictEqual(again["availableMicros"], 25_000_000)
    })
  )

  it.effect("shows the key that was typed, and an amount that is taken back", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      yield* json(`credit --workspace ${id} --usd 25 --reason x`)
      const line = ["credit", "--workspace", id, "--usd", "-0.000001", "--reason", "x", "--key", "invoice 7"]
      const { err } = yield* cli([...line, "--yes"], { between: lostCredit })
      assert.deepStrictEqual(commandIn(err), [...line, "--yes", "--dry-run"])
      assert.include((yield* cli(commandIn(err))).out.join(), "the key has taken $0.000001 back")
    })
  )

  it.effect("speaks of no key where a command has none", () =>
    Effect.gen(function* () {
      for (const [error, words] of [
        [new StorageBusy({ retryAfterSeconds: 1 }), /^The database had no room, .* was not done\. Try again$/],
        [
          new StorageTimeout({ retryAfterSeconds: 1 }),
          /^The database is there, but did not do it in time, .* was not done\. Look .*, then try again$/
        ],
        [new StorageUncertain(), /^The last write is unconfirmed, .*\. Look what became of it before you try again$/]
      ] as const) {
        const { code, err } = yield* cli("workspace list", {
          between: changed(Accounts, () => ({ workspaces: Effect.fail(error) }))
        })
        assert.strictEqual(code, 1)
        assert.match(err.join("\n"), words)
        assert.notInclude(err.join("\n"), "key")
      }
    })
  )

  it.effect("takes no key that is empty, has a line break or is too long", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      for (const key of ["", "a\nb", "k".repeat(256)]) {
        const { code, err } = yield* cli(["credit", "--workspace", id, "--usd", "1", "--reason", "x", "--key", key])
        assert.strictEqual(code, 2, err.join("\n"))
        assert.include(err.join("\n"), "--key")
      }
    })
  )

  it.effect("shows the key of a credit that Ctrl-C ends", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const begun = yield* Deferred.make<void>()
      const said: Array<string> = []
      const command = yield* Effect.fork(
        cli(`credit --workspace ${id} --usd 25 --reason x`, {
          between: changed(Wallet, () => ({
            credit: () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
          })),
          hears: (words) => void said.push(words)
        })
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(command)
      assert.include((yield* cli(commandIn(said))).out.join(), "Adds $25.00")
    })
  )

  it.effect("says nothing of that where nothing was done", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const { code, err } = yield* cli(`credit --workspace ${id} --usd -25 --reason x`)
      assert.deepStrictEqual([code, commandIn(err)], [1, []])
    })
  )

  it.effect("tells how to look whether a run was settled", () =>
    Effect.gen(function* () {
      const resolve = ["runs", "resolve", queuedRun.runId, "--as", "partly_charged", "--charge-usd", "0.004"]
      const about = { run: { ...queuedRun, status: "reconciliation_pending" as const }, attempts: [], proposals: [] }
      const { code, err, out } = yield* cli([...resolve, "--reason", "half of it"], {
        between: changed(Reconciliation, () => ({
          about: () => Effect.succeed(about),
          resolve: () => new StorageUncertain()
        }))
      })
      assert.deepStrictEqual([code, out], [1, []])
      assert.deepStrictEqual(commandIn(err), [...resolve, "--reason", "half of it", "--dry-run"])
    })
  )

  it.effect("tells how to find a token or a connection that may have been made", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const token = yield* cli(`token create --workspace ${id} --label ci --scope runs:read`, {
        between: changed(Accounts, ({ createToken }) => ({ createToken: (asked, by) => lost(createToken(asked, by)) }))
      })
      assert.deepStrictEqual([token.code, token.out], [1, []])
      assert.match(token.err.join("\n"), /gateway token list.*gateway token revoke ID/)

      const connection = yield* cli(`connection create --workspace ${id} --provider hunter --label theirs`, {
        input: "sk-canary",
        between: changed(Connections, ({ create }) => ({ create: (asked, by) => lost(create(asked, by)) }))
      })
      assert.deepStrictEqual([connection.code, connection.out], [1, []])
      assert.include((yield* cli(commandIn(connection.err))).out.join(), "hunter  theirs")
    })
  )
})
