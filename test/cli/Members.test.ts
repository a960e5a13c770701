import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Sessions } from "../../src/services/Sessions.js"
import { cli, CommandLine, CommandLineTest, json } from "./commandLine.js"

let names = 0
const workspace = Effect.suspend(() =>
  Effect.map(json(`workspace create people-${names++}`), ({ workspaceId }) => String(workspaceId))
)
const linked = (url: unknown) =>
  Effect.flatMap(CommandLine, ({ services }) =>
    Effect.flatMap(Sessions, (sessions) =>
      sessions.linkedMember(Redacted.make(String(url).split("/console/sign-in/link/")[1] ?? ""))
    ).pipe(Effect.provide(services))
  )

layer(CommandLineTest, { excludeTestServices: true })("gateway console and gateway member", (it) => {
  it.effect("print a sign-in link, and make the first owner and the first operator, and say so", () =>
    Effect.gen(function* () {
      const none = yield* cli("console")
      assert.strictEqual(none.code, 1)
      assert.include(none.err.join(), "--workspace")
      const id = yield* workspace
      const first = yield* json(`console --workspace ${id} --member Ada`)
      assert.deepInclude(first, { name: "Ada", role: "owner", workspaceId: id, made: true })
      assert.match(String(first["url"]), /^http:\/\/[^/]+\/console\/sign-in\/link\/[A-Za-z0-9_-]{43}$/)
      assert.strictEqual((yield* linked(first["url"])).memberId, first["memberId"])
      assert.strictEqual((yield* json("console"))["memberId"], first["memberId"], "there is one workspace only")
      const again = yield* json(`console --workspace people-${names - 1}`)
      assert.deepInclude(again, { memberId: first["memberId"], made: false })
      assert.notStrictEqual(again["url"], first["url"])

      const operator = yield* cli("console --operator")
      const words = "Neither GATEWAY_PUBLIC_URL nor PORT is set for this command"
      assert.include(operator.out.join("\n"), words)
      const known = yield* cli("console --operator", { settings: { PORT: "9123" } })
      assert.notInclude(known.out.join("\n"), words)
      assert.strictEqual(operator.code, 0)
      assert.include(operator.out[0], "There was no operator yet: operator was made one")
      assert.deepInclude(yield* json("console --operator"), { role: "operator", workspaceId: null, made: false })
      const both = yield* cli(`console --operator --workspace ${id}`)
      assert.deepStrictEqual([both.code, both.err.length], [1, 1])
    })
  )

  it.effect("add, list, give a role and remove, by name or id", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      yield* json(["member", "add", "Ada Lovelace", "--workspace", id, "--role", "owner"])
      const bob = yield* json(`member add Bob --workspace ${id} --email Bob@Example.com`)
      const several = yield* cli("member list")
      assert.deepStrictEqual(
        [several.code, several.err],
        [1, ["--workspace: must be named where there are several; gateway workspace list shows them"]]
      )
      const list = (yield* json(`member list --workspace ${id}`))["members"]
      assert.deepStrictEqual(
        (list as ReadonlyArray<Record<string, unknown>>).map(({ email, name, role }) => [name, role, email]),
        [
          ["Ada Lovelace", "owner", null],
          ["Bob", "member", "bob@example.com"]
        ]
      )
      assert.deepInclude(yield* json(`member role bob owner --workspace ${id}`), { role: "owner" })
      const which = yield* cli(`console --workspace ${id}`)
      assert.strictEqual(which.code, 1)
      assert.include(which.err.join(), "Ada Lovelace, Bob")
      const removed = yield* cli(`member remove ${String(bob["memberId"])} --workspace ${id}`)
      assert.deepStrictEqual([removed.code, removed.out], [0, ["Bob is removed and signed out everywhere"]])
      for (const wrong of [
        `member remove Bob --workspace ${id}`,
        `member add Eve --workspace ${id} --email eve`,
        `member add ${"x".repeat(101)} --workspace ${id}`,
        `member role Ada owner --workspace ${id}`,
        `console --workspace ${id} --member Eve`,
        "member list --workspace nobody"
      ]) {
        const answer = yield* cli(wrong)
        assert.deepStrictEqual([answer.code, answer.out, answer.err.length], [1, [], 1], wrong)
      }
      // The command line may remove the last owner, and then makes a first one again.
      assert.strictEqual((yield* cli(["member", "remove", "Ada Lovelace", "--workspace", id])).code, 0)
      assert.deepInclude(yield* json(`console --workspace ${id}`), { name: "owner", made: true })
    })
  )
})
