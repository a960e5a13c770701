/** Commands that move money, settle uncertain runs and verify the ledger. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { DatabasePg } from "../../src/layers/postgres/Database.js"
import { drop, fail, ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { RequestId, RunId } from "../../src/domain/Ids.js"
import { dollars } from "../../src/domain/Micros.js"
import { pageRowsMax } from "../../src/domain/limits/Lists.js"
import { ProviderHttpError } from "../../src/domain/RunFailures.js"
import { Ids } from "../../src/services/Ids.js"
import { Reconciliation } from "../../src/services/Reconciliation.js"
import { Runs } from "../../src/services/Runs.js"
import { engine, funded, requestOf, storagePg } from "../support/engine.js"
import { queuedRun } from "../support/httpSamples.js"
import { cli, CommandLine, json, type Typed } from "./commandLine.js"
import { type CommandTests, nobody, workspace, statement } from "./CommandStage.js"

/** A run whose answer was lost after the call. */
const lostRun = Effect.gen(function* () {
  const { url } = yield* CommandLine
  const providers = ProvidersScripted()
  providers.script("mock-send-message", drop())
  const database = Layer.orDie(DatabasePg({ url, connectionsMax: 5 }))
  return yield* Effect.gen(function* () {
    const principal = yield* funded(1_000_000)
    return (yield* (yield* Runs).create(
      principal,
      requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } }),
      20
    )).run
  }).pipe(Effect.provide(Layer.provideMerge(engine(providers.layer), Layer.provide(storagePg, database))))
})

export const moneyCommands = (it: CommandTests): void => {
  it.effect("credits each time, once for one key, and takes back what is there", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const credit = (usd: string, ...more: ReadonlyArray<string>) =>
        json(["credit", "--workspace", id, "--usd", usd, "--reason", "as agreed", ...more])
      assert.deepStrictEqual(yield* credit("12.50"), {
        workspaceId: id,
        availableMicros: 12_500_000,
        reservedMicros: 0
      })
      assert.strictEqual((yield* credit("0.000001"))["availableMicros"], 12_500_001)
      assert.strictEqual((yield* credit("1", "--key", "invoice 7"))["availableMicros"], 13_500_001)
      assert.strictEqual((yield* credit("1", "--key", "invoice 7"))["availableMicros"], 13_500_001)
      assert.strictEqual((yield* credit("-3.5"))["availableMicros"], 10_000_001)
      const tooMuch = yield* cli(["credit", "--workspace", id, "--usd=-99", "--reason", "all"])
      assert.deepStrictEqual([tooMuch.code, tooMuch.out], [1, []])
      assert.match(tooMuch.err.join("\n"), /^--usd: must not take more than the \$10\.000001 that are available$/)
      yield* credit("999999999", "--yes")
      const dear = Array.from({ length: 9 }, () =>
        cli(["credit", "--workspace", id, "--usd=999999999", "--reason", "all", "--yes"])
      )
      const last = (yield* Effect.all(dear)).at(-1)
      assert.match(last?.err.join("\n") ?? "", /^--usd: must leave a balance below 9 billion dollars$/)
    })
  )

  it.effect("lists no uncertain run where there is none, and refuses to resolve one that is not there", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* json("runs uncertain"), { runs: [] })
      const unknown = yield* cli(["runs", "resolve", `run_${nobody}`, "--as", "released", "--reason", "never sent"])
      assert.deepStrictEqual(unknown, { code: 1, out: [], err: [`No run with the id run_${nobody}`] })
    })
  )

  it.effect("lists an uncertain run with its age and its hold, and settles it by a person's word", () =>
    Effect.gen(function* () {
      const run = yield* lostRun
      const [listed] = (yield* json("runs uncertain"))["runs"]
      assert.deepInclude(listed, {
        runId: run.runId,
        workspaceId: run.workspaceId,
        endpointId: "mock-send-message",
        heldMicros: run.holdMicros,
        reason: run.outcomeReason,
        openProposal: null
      })
      assert.isAtLeast(listed.ageSeconds, 0)
      assert.deepStrictEqual((yield* cli("runs uncertain")).out, [
        `${run.runId}  ${listed.createdAt}  ${dollars(run.holdMicros)} held  mock-send-message  ${run.workspaceId}  ${run.outcomeReason}`
      ])
      const unsaid = yield* cli(["runs", "resolve", run.runId, "--as", "partly_charged", "--reason", "half of it"])
      assert.deepStrictEqual([unsaid.code, unsaid.err], [1, ["--charge-usd: must be given for partly_charged"]])
      assert.deepStrictEqual(
        yield* json([
          "runs",
          "resolve",
          run.runId,
          "--as",
          "partly_charged",
          "--charge-usd",
          "0.000001",
          "--reason",
          "half of it"
        ]),
        {
          runId: run.runId,
          workspaceId: run.workspaceId,
          status: "completed",
          outcome: "weak",
          chargedMicros: 1,
          releasedMicros: run.holdMicros - 1
        }
      )
      const twice = yield* cli(["runs", "resolve", run.runId, "--as", "released", "--reason", "all of it"])
      assert.deepStrictEqual(
        [twice.code, twice.err],
        [1, [`RUN_ID: ${run.runId} is completed; only a run in reconciliation_pending can be resolved`]]
      )
      assert.deepStrictEqual(yield* json("runs uncertain"), { runs: [] })
      assert.strictEqual((yield* json("ledger verify"))["ok"], true)
    })
  )

  it.effect("shows which uncertain run waits for a second person, and what the first proposed", () =>
    Effect.gen(function* () {
      const run = yield* lostRun
      const two = { settings: { GATEWAY_RESOLVE_TWO_PERSON_USD: "0.000001" } }
      const said = ["--as", "partly_charged", "--charge-usd", "0.000002", "--reason", "as billed"]
      const { proposalId } = yield* json(["runs", "resolve", run.runId, ...said], two)
      const listed = (yield* json("runs uncertain"))["runs"].find(
        ({ runId }: { readonly runId: string }) => runId === run.runId
      )
      assert.deepInclude(listed.openProposal, {
        proposalId,
        verdict: "partly_charged",
        chargeMicros: 2,
        reason: "as billed"
      })
      const waits = `${proposalId} proposes to charge $0.000002 and waits for a second person`
      assert.include(
        (yield* cli("runs uncertain")).out.join("\n"),
        `mock-send-message  ${run.workspaceId}  ${waits}  ${run.outcomeReason}`
      )
    })
  )

  it.effect("shows any run of this machine without a login, by its id or by that of its request", () =>
    Effect.gen(function* () {
      const providers = ProvidersScripted()
      const { url } = yield* CommandLine
      const { run } = yield* Effect.gen(function* () {
        providers.script(
          "mock-email-find",
          fail(new ProviderHttpError({ providerStatus: 422, detail: "No such domain." }))
        )
        const requestId = RequestId.make(`req_${yield* (yield* Ids).suffix}`)
        return yield* (yield* Runs).create(yield* funded(1_000_000), requestOf("mock-email-find", { requestId }), 20)
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            engine(providers.layer),
            Layer.provide(storagePg, Layer.orDie(DatabasePg({ url, connectionsMax: 5 })))
          )
        )
      )
      const { requestId, runId, tokenId, workspaceId } = run
      const settings = { XDG_CONFIG_HOME: "/nowhere" }
      for (const id of [runId, requestId]) {
        const shown = yield* json(["runs", "show", id, "--database"], { settings })
        assert.deepInclude(shown, { runId, workspaceId, tokenId, requestId, status: "failed", chargedMicros: 0 })
        assert.deepInclude(shown["error"], { code: "provider_http_error" })
        assert.deepInclude(shown["attempts"][0], { n: 1, errorCode: "provider_http_error", providerStatus: 422 })
      }
      const text = (yield* cli(["runs", "show", runId, "--database"], { settings })).out.join("\n")
      for (const said of [runId, workspaceId, requestId, "1. mock-email-find", "provider_http_error, status 422, "])
        assert.include(text, said)

      const unknown = yield* cli(["runs", "show", `req_${nobody}`, "--database"], { settings })
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.err.join(), `req_${nobody}`)
      const stranger = yield* cli(["runs", "show", runId], { settings })
      assert.deepStrictEqual([stranger.code, stranger.out], [1, []])
      assert.match(stranger.err.join(), /not logged in.*--database/)
      const request = yield* cli(["runs", "show", requestId], { settings })
      assert.deepStrictEqual(request.err, ["RUN_ID: the id of a request needs --database"])
    })
  )

  it.effect("lists every uncertain run, however many pages there are", () =>
    Effect.gen(function* () {
      const run = (n: number) => ({
        ...queuedRun,
        runId: RunId.make(`run_${String(n).padStart(26, "0")}`)
      })
      const rows = Array.from({ length: 2 * pageRowsMax + 1 }, (_, n) => ({ run: run(n), proposals: [] }))
      const uncertain: Reconciliation["Type"]["uncertain"] = ({ after, limit }) => {
        const from = after === null ? 0 : Number(after)
        const next = from + Math.min(limit, pageRowsMax)
        return Effect.succeed({ items: rows.slice(from, next), next: next < rows.length ? String(next) : null })
      }
      const between: Typed["between"] = (services) =>
        Context.add(services, Reconciliation, { ...Context.get(services, Reconciliation), uncertain })
      const listed = (yield* json("runs uncertain", { between }))["runs"]
      assert.deepStrictEqual(
        listed.map(({ runId }: { readonly runId: string }) => runId),
        rows.map(({ run }) => run.runId)
      )
      const [lines = ""] = (yield* cli("runs uncertain", { between })).out
      assert.strictEqual(lines.split("\n").length, rows.length)
    })
  )

  it.effect("verifies the ledger, and ends with 1 and the first difference when it does not add up", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      yield* json(["credit", "--workspace", id, "--usd", "5", "--reason", "test"])
      const sound = yield* json("ledger verify")
      assert.sameMembers(Object.keys(sound), ["ok", "driftMicros", "entries", "workspaces"])
      assert.deepInclude(sound, { ok: true, driftMicros: 0 })
      yield* statement(`update wallets set available_micros = available_micros + 7 where workspace_id = '${id}'`)
      const broken = yield* cli("ledger verify --json")
      yield* statement(`update wallets set available_micros = available_micros - 7 where workspace_id = '${id}'`)
      assert.deepStrictEqual([broken.code, broken.err], [1, []])
      const found = JSON.parse(broken.out.join("\n"))
      assert.isFalse(found.ok)
      assert.isAbove(found.driftMicros, 0)
      assert.include(found.difference, id)
      assert.strictEqual((yield* json("ledger verify"))["ok"], true)
    })
  )
}
