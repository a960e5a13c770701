/** Commands for workspaces, their policies and their tokens. */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Accounts } from "../../src/services/Accounts.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { cli, CommandLine, json } from "./commandLine.js"
import { type CommandTests, nobody, newName, workspace } from "./CommandStage.js"

export const workspaceCommands = (it: CommandTests): void => {
  it.effect("makes a workspace, sets its limits and clears them again", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      assert.match(id, /^ws_[0-9a-z]{26}$/)
      const unset = {
        workspaceId: id,
        inflightLimit: null,
        runsPerMinute: null,
        runCapMicros: null,
        policy: { allow: [], deny: [] },
        learnsFromUse: false
      }
      assert.deepStrictEqual(yield* json(`workspace set ${id}`), unset)
      assert.deepStrictEqual(yield* json(`workspace set ${id} --inflight-limit 3 --run-cap-usd 0.25`), {
        ...unset,
        inflightLimit: 3,
        runCapMicros: 250_000
      })
      assert.deepStrictEqual(yield* json(`workspace set ${id} --runs-per-minute 60`), {
        ...unset,
        inflightLimit: 3,
        runCapMicros: 250_000,
        runsPerMinute: 60
      })
      assert.deepStrictEqual(
        yield* json(`workspace set ${id} --inflight-limit none --runs-per-minute none --run-cap-usd none`),
        unset
      )
    })
  )

  it.effect("takes the id or the name of a workspace wherever it takes one", () =>
    Effect.gen(function* () {
      const name = newName("by-name")
      const { workspaceId } = yield* json(`workspace create ${name}`)
      const lines = (workspace: string) => [
        `workspace set ${workspace}`,
        `credit --workspace ${workspace} --usd 1 --reason test`,
        `token create --workspace ${workspace} --label t --scope runs:read`,
        `member add Ada --workspace ${workspace}`,
        `member list --workspace ${workspace}`,
        `connection create --workspace ${workspace} --provider hunter --label ours`,
        `connection list --workspace ${workspace}`
      ]
      for (const line of lines(name)) assert.strictEqual((yield* cli(line, { input: "sk" })).code, 0, line)
      assert.deepInclude(yield* json(`credit --workspace ${name} --usd 1 --reason test`), { workspaceId })
      const [made] = (yield* json(`connection list --workspace ${workspaceId}`))["connections"]
      assert.strictEqual((yield* cli(`connection delete ${made.connectionId} --workspace ${name}`)).code, 0)
      for (const line of lines("nobody-has-this-name")) {
        const { code, err, out } = yield* cli(line, { input: "sk" })
        assert.deepStrictEqual([code, out], [1, []], line)
        assert.include(err.join(), "nobody-has-this-name")
      }
    })
  )

  it.effect("lists the tokens of a workspace of this machine without a login, page by page", () =>
    Effect.gen(function* () {
      const name = newName("with-tokens")
      const { workspaceId } = yield* json(`workspace create ${name}`)
      assert.deepStrictEqual((yield* cli(`token list --workspace ${name}`)).out, [`${name} has no token`])
      const made: Array<string> = []
      for (const label of ["one", "two", "three"])
        made.unshift((yield* json(`token create --workspace ${name} --label ${label} --scope runs:read`))["tokenId"])
      yield* cli(`token revoke ${made[0]}`)
      const first = yield* json(`token list --workspace ${workspaceId} --limit 2`)
      const second = yield* json(`token list --workspace ${name} --limit 2 --cursor ${first["nextCursor"]}`)
      const listed = [...first["tokens"], ...second["tokens"]]
      assert.deepStrictEqual(
        listed.map(({ label, tokenId }) => [tokenId, label]),
        made.map((tokenId, at) => [tokenId, ["three", "two", "one"][at]])
      )
      assert.deepInclude(listed[1], { lastUsedAt: null, revokedAt: null, monthSpendMicros: 0, scopes: ["runs:read"] })
      assert.isNull(second["nextCursor"])
      const [lines = ""] = (yield* cli(`token list --workspace ${name} --limit 1`)).out
      assert.match(
        lines,
        new RegExp(
          `^${made[0]}  three  runs:read  \\$0.00 spent this month  no use written yet  revoked .*\nmore: --cursor ${made[0]}$`
        )
      )
      for (const [line, words] of [
        [`token list --workspace ${name} --cursor x`, /^--cursor: is not a cursor of this list/],
        ["token list --workspace nobody-has-this-name", /No workspace has the id or the name "nobody-has-this-name"/],
        [`token list --workspace ws_${nobody}`, /not found|no workspace/i]
      ] as const) {
        const { code, err, out } = yield* cli(line)
        assert.deepStrictEqual([code, out], [1, []], line)
        assert.match(err.join("\n"), words, line)
      }
    })
  )

  it.effect("sets the policy of a workspace rule by rule, shows it, and drops it with --policy-reset", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const policyAfter = (options: string) => Effect.map(json(`workspace set ${id}${options}`), ({ policy }) => policy)
      assert.deepStrictEqual(
        yield* policyAfter(" --allow provider:hunter --allow category:people --deny effectful --inflight-limit 3"),
        { allow: ["provider:hunter", "category:people"], deny: ["effectful"] }
      )
      assert.deepStrictEqual(yield* policyAfter(" --allow provider:tomba --deny endpoint:tomba-email-finder"), {
        allow: ["provider:hunter", "provider:tomba", "category:people"],
        deny: ["endpoint:tomba-email-finder", "effectful"]
      })
      const shown = yield* cli(`workspace set ${id}`)
      assert.strictEqual(
        shown.out.join("\n"),
        `${id}: 3 runs in flight, no limit of runs a minute, no cap for one run\npolicy: only provider:hunter, provider:tomba, category:people allowed; endpoint:tomba-email-finder, effectful denied`
      )
      assert.deepStrictEqual(yield* policyAfter(" --allow effectful --policy-reset --deny provider:tomba"), {
        allow: [],
        deny: ["provider:tomba"]
      })
      const refused = yield* cli(`workspace set ${id} --allow provider:tomba --inflight-limit 5`)
      assert.deepStrictEqual(refused, {
        code: 1,
        out: [],
        err: ["--allow: must not name provider:tomba, which the policy denies; reset the policy to take a denial back"]
      })
      assert.deepInclude(yield* json(`workspace set ${id}`), { inflightLimit: 3 })
      for (const empty of [
        ["--allow", ""],
        ["--deny", ""],
        ["--deny", " "],
        ["--DENY", "provider:acme"],
        ["--allow"],
        ["--allow="]
      ]) {
        const ended = yield* cli(["workspace", "set", id, "--policy-reset", ...empty])
        assert.deepStrictEqual([ended.code, ended.out, ended.err.length], [2, [], 1], JSON.stringify(empty))
        assert.match(ended.err[0]!, /--(allow|deny)/i)
      }
      const between = yield* cli(["workspace", "set", id, "--deny", "", "--inflight-limit", "5"])
      assert.deepStrictEqual(between, {
        code: 2,
        out: [],
        err: ['--deny: must be provider:<id>, category:<id>, endpoint:<id> or effectful, not ""']
      })
      assert.deepInclude(yield* json(`workspace set ${id}`), {
        inflightLimit: 3,
        policy: { allow: [], deny: ["provider:tomba"] }
      })
      assert.deepStrictEqual(yield* policyAfter(" --policy-reset"), { allow: [], deny: [] })
    })
  )

  it.effect("switches on and off what the searches of a workspace learn", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const after = (option: string) =>
        Effect.map(json(`workspace set ${id}${option}`), (shown) => Object(shown).learnsFromUse)
      assert.strictEqual(yield* after(" --search-learning on"), true)
      assert.strictEqual(yield* after(""), true)
      assert.strictEqual(yield* after(" --search-learning off"), false)
    })
  )

  it.effect("takes a policy rule that the catalog does not know, with a warning and close names", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const deny = "--deny provider:huntr --deny category:poeple --deny endpoint:nowhere --deny provider:tomba"
      const foreseen = yield* json(`workspace set ${id} ${deny} --allow effectful --dry-run`)
      const { policy, warnings } = yield* json(`workspace set ${id} ${deny} --allow effectful`)
      assert.deepStrictEqual(policy.deny, ["endpoint:nowhere", "provider:huntr", "provider:tomba", "category:poeple"])
      assert.strictEqual(warnings.length, 3)
      assert.deepStrictEqual(foreseen["warnings"], warnings)
      assert.match(warnings[0], /^provider:huntr: huntr is no provider of the catalog; did you mean hunter.*\?$/)
      assert.match(warnings[1], /^category:poeple: poeple is no category of the catalog; did you mean people.*\?$/)
      assert.match(warnings[2], /^endpoint:nowhere: nowhere is no endpoint of the catalog/)
      const dry = yield* cli(`workspace set ${id} --deny provider:huntr --dry-run`)
      assert.match(
        dry.out[0] ?? "",
        /^warning: provider:huntr: huntr is no provider of the catalog; did you mean hunter/
      )
      const { err, out } = yield* cli(`workspace set ${id} --deny provider:huntr`)
      assert.deepStrictEqual(err, [])
      assert.match(out[0] ?? "", /\nwarning: provider:huntr: huntr is no provider of the catalog; did you mean hunter/)
    })
  )

  it.effect("lists workspaces, oldest first", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* workspace, yield* workspace]
      const { workspaces } = yield* json("workspace list")
      const ids = workspaces.map(({ workspaceId }: { workspaceId: string }) => workspaceId)
      assert.isTrue(ids.indexOf(first) >= 0 && ids.indexOf(first) < ids.indexOf(second))
      assert.include((yield* cli("workspace list")).out.join("\n"), second)
    })
  )

  it.effect("makes a token that works, and revokes it", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const made = yield* json([
        "token",
        "create",
        "--workspace",
        id,
        "--label",
        "the app",
        "--scope",
        "catalog.read,runs:read",
        "--scope",
        "runs:execute",
        "--scope",
        "runs.read",
        "--monthly-limit-usd",
        "20",
        "--expires-at",
        "2099-01-31T00:00:00Z"
      ])
      assert.sameMembers(Object.keys(made), ["tokenId", "token"])
      const { services } = yield* CommandLine
      const authenticate = Effect.flatMap(Accounts, (accounts) =>
        accounts.authenticate(Redacted.make(String(made["token"])))
      ).pipe(Effect.provide(services))
      const principal = yield* authenticate
      assert.deepStrictEqual(
        [principal.tokenId, principal.label, principal.workspaceId],
        [made["tokenId"], "the app", id]
      )
      const { limitMicros } = yield* Effect.flatMap(Accounts, (accounts) => accounts.monthSpend(principal)).pipe(
        Effect.provide(services)
      )
      assert.deepStrictEqual([Number(limitMicros), principal.expiresAt], [20_000_000, Date.UTC(2099, 0, 31)])
      assert.deepStrictEqual(principal.scopes, ["catalog:read", "runs:read", "runs:execute"])
      const operators = yield* json([
        "token",
        "create",
        "--workspace",
        id,
        "--label",
        "ours",
        "--scope",
        "catalog:read",
        "--operator"
      ])
      const ours = yield* Effect.flatMap(Accounts, (accounts) =>
        accounts.authenticate(Redacted.make(String(operators["token"])))
      ).pipe(Effect.provide(services))
      assert.deepStrictEqual([principal.operator, ours.operator, ours.operatorWorkspace], [false, true, true])
      assert.deepStrictEqual(yield* json(`token revoke ${made["tokenId"]}`), {
        tokenId: made["tokenId"],
        revoked: true
      })
      assert.strictEqual((yield* Effect.flip(authenticate))._tag, "token_revoked")
    })
  )

  it.effect("gives a customer's token a new secret without a login, by the service of the route", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const made = yield* json(["token", "create", "--workspace", id, "--label", "app", "--scope", "runs:read"])
      const { services } = yield* CommandLine
      const scopesOf = (token: unknown) =>
        Effect.flatMap(Accounts, (accounts) => accounts.authenticate(Redacted.make(String(token)))).pipe(
          Effect.map(({ scopes }) => scopes),
          Effect.provide(services)
        )
      const foreseen = yield* cli(["token", "rotate", made["tokenId"], "--dry-run"])
      assert.match(foreseen.out.join(), new RegExp(`\\(app\\) of ${id} a new secret; .* stops working at once`))
      assert.deepStrictEqual(yield* scopesOf(made["token"]), ["runs:read"])
      const rotated = yield* json(["token", "rotate", made["tokenId"], "--database"])
      assert.strictEqual(rotated["tokenId"], made["tokenId"])
      assert.deepStrictEqual(yield* scopesOf(rotated["token"]), ["runs:read"])
      assert.strictEqual((yield* Effect.flip(scopesOf(made["token"])))._tag, "unauthorized")
      const { items } = yield* Effect.flatMap(AuditTrail, (trail) =>
        trail.list({ subjectId: made["tokenId"] }, { limit: 10, after: null })
      ).pipe(Effect.provide(services))
      assert.deepStrictEqual(
        items.map(({ action, actor }) => [action, actor.kind]),
        [
          ["token.rotated", "command_line"],
          ["token.created", "command_line"]
        ]
      )
      yield* cli(["token", "revoke", made["tokenId"]])
      const over = yield* cli(["token", "rotate", made["tokenId"]])
      assert.strictEqual(over.code, 1)
      assert.match(over.err.join(), /is revoked; make a new token/)
    })
  )
}
