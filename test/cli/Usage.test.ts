/**
 * What the command line says of lines that it does not understand: for every command, one line in plain words. No
 * database is opened.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { assert } from "vitest"
import { examples } from "../../src/cli/Examples.js"
import { run } from "../../src/cli/Gateway.js"
import { productVersion } from "../../src/domain/Product.js"
import { ended } from "./commandLine.js"

const said = (args: ReadonlyArray<string>) =>
  ended(run(args, Layer.fail(new Error("the database was opened"))), {}).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))
  )
const commands = Object.keys(examples).map((name) => name.split(" "))

/** Words of the program and its libraries that help nobody. */
const raw =
  /\bat .*:\d+:\d+|node_modules|Effect|Error\b|_tag|\[object|undefined|Expected|Received|ParseError|└─|Option\b|\{ *"?_/

layer(NodeContext.layer, { excludeTestServices: true })("a line that is not understood", (it) => {
  it.effect("is told in one line of plain words, whatever the command", () =>
    Effect.gen(function* () {
      for (const command of commands)
        for (const wrong of [
          ["--frobnicate"],
          ["--frobnicate", "x"],
          ["-frobnicate", "x"],
          ["/nowhere/at/all", "b", "c", "d", "e"]
        ]) {
          // The question of search may have any number of words.
          if (command[0] === "search" || (command[0] === "run" && command.length === 1)) continue
          const { code, err, out } = yield* said([...command, ...wrong])
          const line = [...command, ...wrong].join(" ")
          // The parser takes an unknown option for an argument where one is missing.
          assert.include([1, 2], code, `${line}: ${err.join()}`)
          assert.deepStrictEqual(out, [], line)
          assert.lengthOf(err, 1, line)
          assert.match(err[0]!, /\w/, line)
          assert.notMatch(err[0]!, raw, line)
          assert.notInclude(err[0]!, "\n", line)
        }
    })
  )

  it.effect("shows the help of the command wherever --help stands in the line", () =>
    Effect.gen(function* () {
      for (const command of commands) {
        const { code, err, out } = yield* said([...command, "--json", "x", "--help"])
        assert.deepStrictEqual([code, err], [0, []], command.join(" "))
        assert.include(out.join("\n"), `$ gateway ${command.join(" ")}`, command.join(" "))
        assert.notInclude(out.join("\n"), "--wizard", "options of the program stand in its own help")
      }
      assert.include((yield* said(["catalog", "-h"])).out.join("\n"), "lint")
      assert.include((yield* said(["--help"])).out.join("\n"), "catalog lint")
      // Behind -- it is a word like any other.
      assert.notInclude((yield* said(["workspace", "create", "--", "--help"])).out.join("\n"), "USAGE")
    })
  )

  it.effect("needs a command where it ends in a group, and opens no database for it", () =>
    Effect.gen(function* () {
      const groups = new Set(
        commands.flatMap((command) => command.slice(0, -1).map((_, at) => command.slice(0, at + 1).join(" ")))
      )
      for (const group of ["", ...groups]) {
        const words = group === "" ? [] : group.split(" ")
        for (const more of group === "" ? [[]] : [[], ["--json"]]) {
          const { code, err, out } = yield* said([...words, ...more])
          assert.deepStrictEqual([code, out.length], [2, more.length], group)
          assert.lengthOf(err, 1)
          const line = ["gateway", ...words].join(" ")
          assert.isTrue(
            err[0]?.startsWith(`${line} needs a command: `) && err[0].endsWith(`; ${line} --help tells more`)
          )
        }
      }
      assert.include((yield* said(["--version"])).out.join(), productVersion)
    })
  )

  it.effect("shows with help in front what --help shows behind", () =>
    Effect.gen(function* () {
      for (const line of ["", "ledger", "ledger verify", "runs resolve"]) {
        const words = line === "" ? [] : line.split(" ")
        const asked = yield* said(["help", ...words])
        assert.deepStrictEqual(asked, yield* said([...words, "--help"]), line)
        assert.strictEqual(asked.code, 0)
      }
      const { code, err } = yield* said(["help", "ledger", "audit"])
      assert.deepStrictEqual([code, err], [2, ["There is no such command: ledger audit; gateway ledger has verify"]])
    })
  )

  it.effect("names the command that may have been meant, or those that there are", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [line: string, words: RegExp]> = [
        ["catalog lnt", /^There is no such command: catalog lnt; did you mean catalog lint\?$/],
        ["catalog frobnicate", /^There is no such command: catalog frobnicate; gateway catalog has lint, /],
        ["ledger audit", /^There is no such command: ledger audit; gateway ledger has verify$/],
        ["bogus", /^There is no such command: bogus; gateway has /],
        ["token create --workspace", /--workspace needs a value/],
        ["credit --usd 1", /^--workspace is missing; --reason is missing; gateway credit --help shows an example$/],
        ["credit --workspace x --usd 1 --usd 2 --reason a", /^--usd may be given only once$/],
        ["--json workspace list", /^--json stands before the command; options stand after it, such as /],
        ["workspace create", /^NAME is missing; gateway workspace create --help shows an example$/],
        [
          "workspace create -name a",
          /^-name is no option of gateway workspace create: options begin with two dashes; /
        ],
        ["workspace list -json", /^-json is no option of gateway workspace list: options begin with two dashes; /],
        ["search x --log-level warn", /^--log-level: must be one of all, .*warning, /],
        ["key set hunter sk_live_1", /^gateway key set takes no further word: the key is read from standard input/],
        ["workspace create a b", /^b is one word too many; gateway workspace create --help shows what it takes$/],
        [
          "workspace create --frob",
          /^--frob is no option of gateway workspace create; gateway workspace create --help lists them$/
        ],
        [
          "credit --workspace demo --usd 1 --reason=",
          /^--reason= has no value behind its =; gateway credit --help shows what options take$/
        ],
        ["workspace set demo --policy-reset --allow=", /^--allow= has no value behind its =; /],
        ["member remove --frob --operator", /^--frob is no option of gateway member remove; /],
        ["search --frob", /^--frob is no option of gateway search; /],
        ["run --frob x=1", /^--frob is no option of gateway run; /],
        ["catalog try --frob x", /^--frob is no option of gateway catalog try; /],
        ["catalog lint --frob", /^--frob is no option of gateway catalog lint; /],
        ["catalog lint /nowhere", /^There is no file or folder \/nowhere$/],
        ["catalog lint package.json", /package\.json is no folder$/],
        ["catalog import-openapi src", /src is no file$/],
        [
          "catalog try package.json x --base-url http://a --base-url http://b",
          /^--base-url is no option of gateway catalog try, or may be given only once; gateway catalog try --help lists them$/
        ]
      ]
      for (const [line, words] of cases) {
        const { code, err } = yield* said(line.split(" "))
        assert.strictEqual(code, 2, line)
        assert.match(err.join("\n"), words, line)
      }
    })
  )
})
