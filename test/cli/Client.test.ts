/** The commands of a client, against a real gateway over HTTP. */
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Either, Fiber, Layer, Option, Redacted } from "effect"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inputOf } from "../../src/cli/client/RunCommands.js"
import { nameFor } from "../../src/cli/client/RunsDownload.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { uncertainHint } from "../../src/domain/Run.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { Accounts } from "../../src/services/Accounts.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { type Fault, faultyProxy } from "../support/faultyProxy.js"
import { startGateway } from "../support/gateway.js"
import { cli, CommandLineTest, type Typed } from "./commandLine.js"

class World extends Context.Tag("test/cli/World")<World, Effect.Effect.Success<typeof world>>() {}

const folderOfTest = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-cli-client-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)

const world = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const { token, workspaceId } = yield* gateway.funded(100_000_000)
  const accounts = Context.get(gateway.services, Accounts)
  const logins = Context.get(gateway.services, LoginApprovals)
  const approver = yield* Effect.orDie(accounts.authenticate(Redacted.make(token)))
  /** A machine of its own: a folder for configuration without a login. */
  const machine = Effect.map(folderOfTest, (folder) => {
    const settings = { XDG_CONFIG_HOME: folder, GATEWAY_URL: gateway.url }
    const type = (line: string | ReadonlyArray<string>, typed: Typed = {}) =>
      cli(line, { ...typed, settings: { ...settings, ...typed.settings } })
    const decide = (decision: "approve" | "deny", line = "login") =>
      Effect.gen(function* () {
        const opened = yield* Deferred.make<string>()
        const hears = (words: string) => {
          const approvalId = /\/approve\/(apr_\w+)/.exec(words)?.[1]
          if (approvalId !== undefined) Deferred.unsafeDone(opened, Effect.succeed(approvalId))
        }
        const waiting = yield* Effect.fork(type(line, { hears }))
        const approvalId = yield* Effect.raceFirst(
          Deferred.await(opened),
          Effect.flatMap(Fiber.join(waiting), (ended) => Effect.die(JSON.stringify(ended)))
        )
        yield* Effect.orDie(logins[decision](approvalId, approver, commandLine))
        return yield* Fiber.join(waiting)
      })
    return { folder, file: join(folder, "provider-gateway", "logins.json"), type, decide }
  })
  return { gateway, workspaceId, machine }
})

const WorldLive = Layer.scoped(World, world)

/** The address of a server that is no gateway, until the scope closes. */
const serving = (answer: RequestListener) =>
  Effect.map(listenLocally(createServer(answer)), (port) => `http://127.0.0.1:${port}`)

const find = ["run", "mock-email-find", "name=Ada Example", "domain=example.com"]

layer(Layer.merge(CommandLineTest, WorldLive), { excludeTestServices: true, timeout: "60 seconds" })(
  "a client's commands",
  (it) => {
    it.scoped(
      "log in by an approval, keep the token for its owner only, run, and log out",
      () =>
        Effect.gen(function* () {
          const { gateway, machine, workspaceId } = yield* World
          const { decide, file, type } = yield* machine
          const before = yield* type("whoami")
          assert.deepStrictEqual([before.code, before.out], [1, []])
          assert.include(before.err.join(), "gateway login --url")

          const login = yield* decide("approve")
          assert.strictEqual(login.code, 0, login.err.join())
          assert.match(login.err.join("\n"), /Open http.*\/approve\/apr_.*\n.*code [A-Z0-9]{4}-?[A-Z0-9]{4}/)
          assert.strictEqual(statSync(file).mode & 0o777, 0o600)
          assert.strictEqual(statSync(join(file, "..")).mode & 0o777, 0o700)
          const token = String(Object.values(JSON.parse(readFileSync(file, "utf8")).tokens)[0])
          assert.match(token, /^pgw_[\w-]{43}$/)
          assert.notInclude(JSON.stringify(login), token)

          const who = JSON.parse((yield* type("whoami --json")).out[0]!)
          assert.deepInclude(who, { workspaceId, url: gateway.url })
          assert.sameMembers(who.scopes, ["catalog:read", "runs:read", "runs:execute", "usage:read"])

          const search = yield* type("search find an email --limit 3")
          assert.strictEqual(search.code, 0, search.err.join())
          const [meant = "", ...rows] = search.out[0]!.split("\n")
          assert.match(meant, /^job:people\.email\.find {2}run this, /, "the job stands before its operations")
          assert.isAtMost(rows.length, 3)
          // Some operations do no job, some questions say more than their subject, and some have no answer.
          const rain = "search weather of past days --limit 20"
          const { endpoints } = JSON.parse((yield* type(`${rain} --json`)).out[0]!)
          assert.isTrue(endpoints.some((row: object) => !("capability" in row)))
          assert.strictEqual((yield* type(rain)).code, 0)
          const cheap = (yield* type("search cheapest email finder")).out[0]!.split("\n")
          assert.match(cheap[0]!, /^job:people\.email\.find /)
          assert.match(
            cheap.find((line) => !line.startsWith("job:"))!,
            / {2}(free|\$[\d.]+ a (call|result)) {2}/
          )
          assert.match(cheap.at(-1)!, /Read "cheapest" as prefer=cheapest/)
          assert.match((yield* type("search qqqqzzzz")).out[0]!, /^Nothing found\n.*matches/)
          const inspected = (yield* type("inspect mock-email-find")).out[0]!
          assert.include(inspected, "gateway run mock-email-find --input")
          assert.include(inspected, "\nneeds name (or first_name and last_name), domain (or company); takes ")
          assert.match(JSON.parse((yield* type("inspect mock-email-find --json")).out[0]!).contractVersion, /./)

          for (const words of ["word", "a:={", "--input [1]"]) {
            const misread = yield* type(`run mock-email-find ${words}`)
            assert.deepStrictEqual([misread.code, misread.out], [2, []], words)
          }
          const ran = yield* type(find)
          assert.strictEqual(ran.code, 0, ran.err.join())
          assert.strictEqual(JSON.parse(ran.out.join("\n")).email, "ada.example@example.com")
          assert.strictEqual(ran.err[0], "At most $0.005")
          assert.match(ran.err.join("\n"), /run_\w+ is completed \(hit\), \$0\.005, by mock-email-find/)
          const listed = JSON.parse((yield* type("runs list --json --limit 1")).out[0]!).runs[0]
          assert.strictEqual(listed.status, "completed")
          const shown = JSON.parse((yield* type(`runs show ${listed.runId} --json`)).out[0]!)
          assert.deepStrictEqual([shown.runId, shown.attempts.length], [listed.runId, 1])
          assert.include((yield* type(`runs show ${listed.runId}`)).out[0], "1. mock-email-find  hit  $0.005")
          assert.strictEqual(JSON.parse((yield* type(`runs watch ${listed.runId}`)).out[0]!).found, true)

          const out = yield* type("logout")
          assert.deepStrictEqual(
            [out.code, out.err],
            [0, [`Revokes the token of your login to ${gateway.url}, and forgets it on this machine`]]
          )
          assert.notInclude(readFileSync(file, "utf8"), token)
          assert.strictEqual((yield* gateway.call("GET", "/v1/whoami", { token })).status, 401)
          assert.strictEqual((yield* type("whoami")).code, 1)
        }),
      60_000
    )

    it.scoped(
      "show the price, ask above the sum, run once for one key, and say how a run failed",
      () =>
        Effect.gen(function* () {
          const { machine } = yield* World
          const { decide, type } = yield* machine
          yield* decide("approve", "login --scope runs:execute,runs:read --label laptop")
          const count = Effect.map(
            type("runs list --json --limit 100"),
            ({ out }) => JSON.parse(out[0]!).runs.length as number
          )
          const already = yield* count
          const dear = [...find, "--ask-above-usd", "0.004"]
          const silent = yield* type(dear)
          assert.deepStrictEqual([silent.code, silent.out], [1, []])
          assert.include(silent.err.join(), "It may cost $0.005: add --yes to run it")
          const refused = yield* type(dear, { answers: false })
          assert.deepStrictEqual([refused.code, refused.err.at(-1)], [1, "Nothing was run"])
          assert.strictEqual(yield* count, already)
          assert.strictEqual((yield* type(dear, { answers: true })).code, 0)
          assert.strictEqual((yield* type([...dear, "--yes"])).code, 0)
          assert.strictEqual(yield* count, already + 2)

          const [one, two] = [
            yield* type([...find, "--key", "mine", "--json"]),
            yield* type([...find, "--key", "mine", "--json"])
          ]
          assert.strictEqual(JSON.parse(one.out[0]!).runId, JSON.parse(two.out[0]!).runId)
          assert.include(two.err.join(), "The same run as before")
          assert.strictEqual(yield* count, already + 3)

          const failed = yield* type([...find, '_mock:={"status":503}'])
          assert.deepStrictEqual([failed.code, failed.out], [1, []])
          assert.match(failed.err.at(-1)!, /^run_\w+ is failed \(error\), \$0.*\(provider_error\)$/)
          const asJson = yield* type([...find, '_mock:={"status":503}', "--json"])
          assert.include(asJson.err.join("\n"), "(provider_error)")
          assert.deepStrictEqual([asJson.code, JSON.parse(asJson.out[0]!).status], [1, "failed"])
          const unknown = yield* type("run no-such-thing")
          assert.strictEqual(unknown.code, 1)
          assert.include(unknown.err.join(), "endpoint_not_found")
          const codes = yield* Effect.forEach(["run no-such-thing", "run mock-email-find name=Ada"], (line) =>
            Effect.map(type(`${line} --json`), ({ out }): unknown => JSON.parse(out.join("")).error.code)
          )
          assert.deepStrictEqual(codes, ["endpoint_not_found", "validation_error"])
          const page = yield* type("runs list --cursor nope --json")
          assert.strictEqual(JSON.parse(page.out.join("")).error.code, "runs_cursor_invalid")
          const key = yield* type([...find, "--key", "k".repeat(300), "--json"])
          const { details } = JSON.parse(key.out.join("")).error
          assert.deepStrictEqual(
            details.map(({ field }: { readonly field: string }) => field),
            ["idempotency-key"]
          )
          const unsure = yield* type([
            "run",
            "mock-send-message",
            "to=ada@example.com",
            "text=x",
            '_mock:={"drop":true}'
          ])
          assert.deepStrictEqual([unsure.code, unsure.out], [1, []])
          assert.include(unsure.err.at(-1), `reconciliation_pending, not settled. ${uncertainHint}`)
          const scope = yield* type("search anything")
          assert.deepStrictEqual([scope.code, scope.out], [1, []])
          assert.include(scope.err.join(), "(forbidden)")
          assert.include(scope.err.join(), "gateway login --scope catalog:read asks for a token that has it")
        }),
      60_000
    )

    it.scoped(
      "show the key of a run that may have been made",
      () =>
        Effect.gen(function* () {
          const { gateway, machine } = yield* World
          const refusal = (code: string): string =>
            JSON.stringify({
              error: { code, message: "Not now.", requestId: "req_1", retryable: true, retryHint: "Send it again." }
            })
          const tooMany: Fault = { fault: "answer", status: 429, body: refusal("rate_limit_exceeded") }
          const replaced = (status: number, body: string): Fault => ({ fault: "replace_answer", status, body })
          /** What five attempts are answered, and whether they leave a run behind. */
          const scenes: ReadonlyArray<readonly [name: string, made: boolean, ReadonlyArray<Fault>]> = [
            ["an uncertain write", true, Array<Fault>(5).fill(replaced(503, refusal("storage_uncertain")))],
            ["a timeout of storage", true, Array<Fault>(5).fill(replaced(503, refusal("runtime_bridge_timeout")))],
            ["an internal error", true, Array<Fault>(5).fill(replaced(500, refusal("internal_error")))],
            ["no answer", true, Array<Fault>(5).fill({ fault: "lose_answer" })],
            ["an answer of another shape", true, Array<Fault>(5).fill(replaced(201, "{}"))],
            [
              "a lost answer, then too many requests",
              true,
              [{ fault: "lose_answer" }, ...Array<Fault>(4).fill(tooMany)]
            ],
            ["too many requests", false, Array<Fault>(5).fill(tooMany)]
          ]
          const played = ([name, made, faults]: (typeof scenes)[number]) =>
            Effect.gen(function* () {
              const proxy = yield* Effect.acquireRelease(
                Effect.promise(() => faultyProxy(gateway.url)),
                ({ close }) => Effect.promise(close)
              )
              const { decide, type } = yield* machine
              yield* decide("approve", `login --url ${proxy.url}`)
              const line = [...find, "--url", proxy.url, "--json"]
              // The first request of the command asks for the price.
              proxy.next({ fault: "none" }, ...faults)
              const ended = yield* type(line)
              assert.strictEqual(ended.code, 1, name)
              const [sent = null, ...others] = [
                ...new Set(proxy.passed.flatMap(({ idempotencyKey }) => idempotencyKey ?? []))
              ]
              assert.deepStrictEqual(others, [], name)
              const shown = ended.err.flatMap((words) => / --key (cli-[0-9a-f]{32})$/.exec(words)?.[1] ?? [])
              assert.deepStrictEqual(shown, made ? [sent] : [], name)
              const { error, ...beside } = JSON.parse(ended.out.join(""))
              assert.isString(error.code, name)
              assert.deepStrictEqual(beside, made ? { idempotencyKey: sent } : {}, name)
              const again = yield* type([...line, "--key", String(sent)])
              assert.deepInclude(JSON.parse(again.out[0]!), { status: "completed", replayed: made }, name)
            })
          yield* Effect.forEach(scenes, played, { concurrency: "unbounded", discard: true })
        }),
      120_000
    )

    it.scoped("show the key of a run that Ctrl-C ends before its answer, and none where only the price was asked", () =>
      Effect.gen(function* () {
        const { file, type } = yield* (yield* World).machine
        const ended = yield* Effect.forEach(["/v1/runs/quote", "/v1/runs"], (silent) =>
          Effect.gen(function* () {
            const asked = yield* Deferred.make<string>()
            const url = yield* serving((request, response) => {
              if (request.url?.split("?")[0] === silent) {
                const { "idempotency-key": key } = request.headers
                Deferred.unsafeDone(asked, Effect.succeed(typeof key === "string" ? key : "none"))
              } else response.end(JSON.stringify({ admissible: true, holdMicros: 1, limits: [] }))
            })
            mkdirSync(join(file, ".."), { recursive: true })
            writeFileSync(file, JSON.stringify({ current: url, tokens: { [url]: "pgw_x" } }), { mode: 0o600 })
            const said: Array<string> = []
            const printed: Array<string> = []
            const running = yield* Effect.fork(
              type([...find, "--url", url, "--json"], {
                hears: (words) => void said.push(words),
                prints: (line) => void printed.push(line)
              })
            )
            const key = yield* Deferred.await(asked)
            yield* Fiber.interrupt(running)
            const shown = said.flatMap((words) => / --key (\S+)$/.exec(words)?.[1] ?? [])
            return { key, shown, told: printed.map((line): unknown => JSON.parse(line)) }
          })
        )
        const [quote, run] = ended
        assert.deepStrictEqual([quote?.shown, quote?.told], [[], []])
        assert.match(run?.key ?? "", /^cli-[0-9a-f]{32}$/)
        assert.deepStrictEqual(run?.shown, [run?.key])
        assert.deepStrictEqual(run?.told, [
          {
            error: { code: "interrupted", message: "The command was interrupted; the run may go on" },
            idempotencyKey: run?.key
          }
        ])
      })
    )

    it.scoped("tell how to find a token that may have been made, and how to get a new secret", () =>
      Effect.gen(function* () {
        const { gateway, machine } = yield* World
        const proxy = yield* Effect.acquireRelease(
          Effect.promise(() => faultyProxy(gateway.url)),
          ({ close }) => Effect.promise(close)
        )
        const { decide, type } = yield* machine
        yield* decide("approve", `login --scope account:manage,runs:read --url ${proxy.url}`)
        proxy.next({ fault: "lose_answer" })
        const made = yield* type(`token create --label lost --scope runs:read --url ${proxy.url}`)
        assert.deepStrictEqual([made.code, made.out], [1, []])
        assert.match(made.err.join("\n"), /gateway token list.*gateway token revoke ID/)
        const [, tokenId = ""] =
          /(tok_\w+) {2}lost /.exec((yield* type(`token list --url ${proxy.url}`)).out[0] ?? "") ?? []

        proxy.next({ fault: "none" }, { fault: "lose_answer" })
        const rotated = yield* type(`token rotate ${tokenId} --url ${proxy.url}`)
        assert.deepStrictEqual([rotated.code, rotated.out], [1, []])
        assert.include(rotated.err.join("\n"), `gateway token rotate ${tokenId}`)
        const refused = yield* type(`token create --label x --scope billing:write --url ${proxy.url}`)
        assert.deepStrictEqual([refused.code, refused.err.length], [1, 1])
      })
    )

    it.scoped(
      "keep nothing of a login that was denied, and send a token to no other address",
      () =>
        Effect.gen(function* () {
          const { machine } = yield* World
          const { decide, file, type } = yield* machine
          const denied = yield* decide("deny")
          assert.deepStrictEqual([denied.code, denied.err.at(-1)], [1, "The login was denied"])
          assert.isFalse(existsSync(file))

          yield* decide("approve")
          chmodSync(file, 0o644)
          const heard: Array<string | undefined> = []
          const other = yield* serving((request, response) => {
            heard.push(request.headers.authorization)
            response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()
          })
          const elsewhere = yield* type(`whoami --url ${other}`)
          assert.include(elsewhere.err.join(), `You are not logged in to ${other}`)
          assert.strictEqual((yield* type(`login --url ${other}`)).code, 1)
          assert.deepStrictEqual(heard, [undefined])
          for (const wrong of ["ftp://x", "gateway", "https://ada:pw@x"]) {
            const answer = yield* type(`whoami --url ${wrong}`)
            assert.deepStrictEqual([answer.code, answer.err.length], [1, 1], wrong)
          }
          writeFileSync(file, "{")
          assert.include((yield* type("whoami")).err.join(), "remove it and log in again")
        }),
      60_000
    )

    it.scoped(
      "take a script's token from GATEWAY_TOKEN, for the address of GATEWAY_URL and no other",
      () =>
        Effect.gen(function* () {
          const { gateway, machine } = yield* World
          const { folder, type } = yield* machine
          const { token } = yield* gateway.funded(1_000_000)
          const settings = { GATEWAY_TOKEN: token }
          const run = yield* type([...find, "--yes"], { settings })
          assert.strictEqual(run.code, 0, run.err.join())
          assert.include(run.out.join(), "@example.com")
          assert.strictEqual((yield* type(`whoami --url ${gateway.url}/`, { settings })).code, 0)
          const heard: Array<string | undefined> = []
          const other = yield* serving((request, response) => {
            heard.push(request.headers.authorization)
            response.writeHead(200).end()
          })
          const elsewhere = yield* type(`whoami --url ${other}`, { settings })
          assert.include(
            elsewhere.err.join(),
            `You are not logged in to ${other}: gateway login --url ${other}. A script sets GATEWAY_URL=${other} and GATEWAY_TOKEN`
          )
          assert.deepStrictEqual(heard, [])
          // Settings of another gateway do not stand in the way of the one that is named.
          for (const others of [
            { GATEWAY_URL: "gateway.example.com" },
            { GATEWAY_URL: other, GATEWAY_TOKEN_FILE: "/nonexistent" }
          ]) {
            const named = yield* type(`whoami --url ${gateway.url}`, { settings: others })
            assert.include(named.err.join(), `You are not logged in to ${gateway.url}`)
          }
          const blamed = yield* type("whoami", { settings: { GATEWAY_URL: "gateway.example.com" } })
          assert.include(blamed.err.join(), "GATEWAY_URL: must be the address of a gateway")
          const file = join(folder, "token")
          writeFileSync(file, `${token}\n`)
          assert.strictEqual((yield* type("whoami", { settings: { GATEWAY_TOKEN_FILE: file } })).code, 0)
          assert.isFalse(existsSync(join(folder, "provider-gateway")))
        }),
      60_000
    )

    it.scoped(
      "revoke the token of the login at a logout, also beside that of a script",
      () =>
        Effect.gen(function* () {
          const { gateway, machine } = yield* World
          const { decide, file, type } = yield* machine
          yield* decide("approve")
          const kept: string = Object.values(JSON.parse(readFileSync(file, "utf8")).tokens as object)[0]
          const { token } = yield* gateway.funded(1_000_000)
          assert.strictEqual((yield* type("logout", { settings: { GATEWAY_TOKEN: token } })).code, 0)
          assert.strictEqual((yield* type("whoami", { settings: { GATEWAY_TOKEN: token } })).code, 0)
          assert.strictEqual((yield* type("whoami", { settings: { GATEWAY_TOKEN: kept } })).code, 1)
        }),
      60_000
    )

    it.scoped(
      "save the file of a result, whole and over no other file",
      () =>
        Effect.gen(function* () {
          const { gateway, machine } = yield* World
          const { folder, type } = yield* machine
          const { token } = yield* gateway.funded(1_000_000)
          const settings = { GATEWAY_TOKEN: token }
          const bytes = Buffer.from([0, 255, 13, 10, 128])
          const mock = JSON.stringify({ base64: bytes.toString("base64"), contentType: "application/pdf" })
          const run = yield* type(["run", "mock-document", `_mock:=${mock}`, "--yes"], { settings })
          const [, runId = ""] = /gateway runs download (run_\w+) saves the file/.exec(run.err.join("\n")) ?? []
          const file = join(folder, "saved.pdf")
          const saved = yield* type(["runs", "download", runId, "--to", file], { settings })
          assert.deepStrictEqual([saved.code, saved.out], [0, [`${file}  5 bytes  application/pdf`]], saved.err.join())
          assert.deepStrictEqual(readFileSync(file), bytes)
          writeFileSync(file, "mine")
          const again = yield* type(["runs", "download", runId, "--to", file, "--json"], { settings })
          assert.strictEqual(again.code, 1)
          assert.include(again.err.join(), `${file} is there already; --to names another file`)
          assert.strictEqual(readFileSync(file, "utf8"), "mine")

          const inline = yield* type([...find, "--json"], { settings })
          const other: string = JSON.parse(inline.out[0]!).runId
          const none = yield* type(["runs", "download", other], { settings })
          assert.deepStrictEqual(
            [none.code, none.err.join()],
            [1, `The result of ${other} is no file; gateway runs show ${other} shows what it is`]
          )
          // A file that was changed on its way is not kept.
          const relay = yield* Effect.acquireRelease(
            Effect.promise(() => faultyProxy(gateway.url)),
            ({ close }) => Effect.promise(close)
          )
          relay.next({ fault: "none" }, { fault: "replace_answer", status: 200, body: "other" })
          const changed = join(folder, "changed.pdf")
          const wrong = yield* type(["runs", "download", runId, "--to", changed], {
            settings: { ...settings, GATEWAY_URL: relay.url }
          })
          assert.strictEqual(wrong.code, 1)
          assert.include(wrong.err.join(), "a file with another digest than the run says")
          assert.isFalse(existsSync(changed))
          // One that was cut is asked for again.
          relay.next({ fault: "none" }, { fault: "cut_answer" })
          const whole = yield* type(["runs", "download", runId, "--to", changed], {
            settings: { ...settings, GATEWAY_URL: relay.url }
          })
          assert.strictEqual(whole.code, 0, whole.err.join())
          assert.deepStrictEqual(readFileSync(changed), bytes)
          const nowhere = yield* type(["runs", "download", runId, "--to", join(folder, "none", "saved.pdf")], {
            settings
          })
          assert.strictEqual(nowhere.code, 1)
          assert.include(nowhere.err.join(), "cannot be written")
          assert.deepStrictEqual(
            readdirSync(folder).filter((name) => name.endsWith(".part")),
            []
          )
          for (const [name, expected] of [
            ["../../etc/passwd", "_.._etc_passwd"],
            ["C:\\x.pdf", "C__x.pdf"],
            ["..", "run_1"],
            [null, "run_1"],
            ["Rechnung 1.pdf", "Rechnung 1.pdf"],
            ["a\u202efdp.exe", "a_fdp.exe"]
          ] as const)
            assert.strictEqual(nameFor(name, "run_1"), expected)
        }),
      60_000
    )

    it.scoped(
      "manage the tokens of the login's workspace, and show its audit trail",
      () =>
        Effect.gen(function* () {
          const { gateway, machine } = yield* World
          const { decide, type } = yield* machine
          const alone = yield* type("token create --label app --scope runs:read")
          assert.deepStrictEqual([alone.code, alone.out], [1, []])
          assert.include(alone.err.join(), "--workspace")
          yield* decide("approve", "login --scope account:manage,runs:read")

          const made = JSON.parse(
            (yield* type("token create --label app --scope runs:read --monthly-limit-usd 2.5 --json")).out[0]!
          )
          assert.deepInclude(made, { label: "app", monthlySpendLimitMicros: 2_500_000 })
          assert.strictEqual((yield* gateway.call("GET", "/v1/whoami", { token: made.token })).status, 200)
          assert.include((yield* type("token list")).out[0], `${made.tokenId}  app  runs:read`)
          const tooMuch = yield* type("token create --label app --scope billing:write")
          assert.deepStrictEqual([tooMuch.code, tooMuch.out], [1, []])

          const rotated = JSON.parse((yield* type(`token rotate ${made.tokenId} --json`)).out[0]!)
          assert.notStrictEqual(rotated.token, made.token)
          assert.strictEqual((yield* gateway.call("GET", "/v1/whoami", { token: made.token })).status, 401)
          assert.strictEqual((yield* gateway.call("GET", "/v1/whoami", { token: rotated.token })).status, 200)

          assert.deepStrictEqual((yield* type(`token revoke ${made.tokenId}`)).out, [`${made.tokenId} is revoked`])
          assert.strictEqual((yield* gateway.call("GET", "/v1/whoami", { token: rotated.token })).status, 401)
          const here = yield* type(`token revoke ${made.tokenId} --database`)
          assert.strictEqual(here.code, 1, "the database of this machine is another one")

          const entries = JSON.parse((yield* type(`audit --subject ${made.tokenId} --json`)).out[0]!).entries
          assert.sameMembers(
            entries.map(({ action }: { readonly action: string }) => action),
            ["token.created", "token.rotated", "token.revoked"]
          )
          assert.include((yield* type("audit --limit 1")).out[0], `token.revoked  token ${made.tokenId}  by tok_`)
        }),
      60_000
    )

    it.effect("read the input from fields and JSON", () =>
      Effect.sync(() => {
        const read = (text: string | null, ...fields: ReadonlyArray<string>) =>
          Either.getOrElse(inputOf(Option.fromNullable(text), fields), (problem) => problem)
        assert.deepStrictEqual(read(null, "a=1", "b:=2", "c=x=y:=z", "d="), { a: "1", b: 2, c: "x=y:=z", d: "" })
        assert.deepStrictEqual(read('{"a":1,"b":2}', "b:=null"), { a: 1, b: null })
        assert.deepStrictEqual(read("[1]"), "--input: must be a JSON object")
        assert.include(String(read(null, "word")), "must be KEY=VALUE")
        assert.include(String(read(null, "a:={")), "must be JSON")
      })
    )
  }
)
