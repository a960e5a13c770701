// Expressions of manifests: what they mean where the interpreter is our own, and that none can hold up the process or
// fill its memory.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { Json } from "../../../src/domain/Json.js"
import { readJson, writeJson } from "../../../src/domain/LosslessJson.js"
import { compile, isOverworked, read } from "../../../src/layers/providers/Expressions.js"
import { callOnce, certaintyOf, json, serve } from "./support.js"

const viewOf = (body: Json) => ({ status: 200, headers: {}, body, input: {} })
const compiled = (source: string) =>
  Either.getOrThrowWith(compile(source), (message) => new Error(`${source}: ${message}`))
const value = (source: string, body: Json = null) => read(compiled(source), viewOf(body))

describe("an expression", () => {
  const cases: ReadonlyArray<[source: string, body: Json, expected: Json]> = [
    ["body.a || body.b", { a: "", b: 1 }, 1],
    ["body.a || body.b", { a: {}, b: 1 }, 1],
    ["body.a || body.b", { a: 0, b: 1 }, 0],
    ["body.a && body.b", { a: [], b: 1 }, []],
    ["body.a && body.b", { a: { c: 1 }, b: 1 }, 1],
    ["!(body.a)", { a: {} }, true],
    ["!(body.a)", { a: [0] }, false],
    ["body[?a].b", [{ a: 1, b: 1 }, { a: null, b: 2 }, { a: 1 }], [1]],
    ["body.*", { a: 1, b: null, c: 2 }, [1, 2]],
    ["body[]", [[1, 2], 3, [[4]]], [1, 2, 3, [4]]],
    ["body.a == body.b", { a: { x: [1, { y: 2 }] }, b: { x: [1, { y: 2 }] } }, true],
    ["body.a == body.b", { a: { x: 1 }, b: { x: 1, y: 2 } }, false],
    ["body.a == body.b", { a: { x: 1, y: 2 }, b: { x: 1 } }, false],
    ["body.a != body.b", { a: [1, 2], b: [2, 1] }, true],
    ["body.a == body.b", { a: [], b: {} }, false],
    ["body == `null`", null, true],
    ["body.a > `1`", { a: 2 }, true],
    ["trim(body)", " \t a b\u00a0\n", "a b"],
    ["trim_left(body, 'xy')", "xyaxy", "axy"],
    ["trim_right(body, 'xy')", "xyaxy", "xya"],
    ["trim(body)", "   ", ""],
    ["replace(body, 'a', 'b')", "banana", "bbnbnb"],
    ["replace(body, 'a', '$&', `2`)", "banana", "b$&n$&na"],
    ["replace(body, 'a', 'b', `9`)", "banana", "bbnbnb"],
    ["length(body)", "a😀b", 3],
    ["length(body)", { a: 1, b: 2 }, 2],
    ["sort_by(body, &n)[0].n", [{ n: 3 }, { n: 1 }], 1],
    ["body[1:3]", [1, 2, 3, 4], [2, 3]],
    ["let $x = body.a in $x[*].b", { a: [{ b: 1 }] }, [1]],
    ["body.constructor", {}, null],
    ["body.toString || 'none'", {}, "none"],
    ["body.__proto__", {}, null]
  ]
  for (const [source, body, expected] of cases)
    it(`${source} of ${JSON.stringify(body)} is ${JSON.stringify(expected)}`, () =>
      assert.deepStrictEqual(value(source, body), expected))

  it("that is longer than an expression may be, or nested without end, is refused when it is compiled", () => {
    assert.isTrue(Either.isLeft(compile(`body.${"a".repeat(10_000)}`)))
    assert.isTrue(Either.isLeft(compile(`${"!".repeat(9_000)}a`)))
    // On a larger stack than that of a call, too.
    for (const deep of [
      "!".repeat(250) + "a",
      "a.".repeat(250) + "a",
      "[".repeat(150) + "a" + "]".repeat(150),
      "(".repeat(4_900) + "a" + ")".repeat(4_900),
      "[".repeat(9_900)
    ])
      assert.deepStrictEqual(Either.flip(compile(deep)), Either.right("it is nested more than 200 levels deep"))
    assert.isTrue(Either.isRight(compile(`body${".a".repeat(150)}`)))
  })

  const mistakes: ReadonlyArray<[source: string, told: string]> = [
    ["body.id = `1`", "a single `=` compares nothing; write `==`"],
    ["status = `404` && body.a", "a single `=` compares nothing; write `==`"],
    ["body[?id = 'a'].name", "a single `=` compares nothing; write `==`"],
    ["uper(body.id) == 'A'", "there is no function uper; did you mean upper?"],
    ["body.items[?size(tags) > `0`]", "there is no function size"],
    ["map(&trimm(name), body.items)", "there is no function trimm; did you mean trim?"],
    ["constructor(body)", "there is no function constructor"],
    ["contains(body.a)", "contains takes 2 arguments, and has 1"],
    ["length(body.a, body.b)", "length takes 1 argument, and has 2"],
    ["split(body.a)", "split takes 2 to 3 arguments, and has 1"],
    ["merge()", "merge takes at least 1 argument, and has 0"],
    ["sort_by(body.items, name)", "argument 2 of sort_by must be an expression with &, such as &name"],
    ["$foo.bar", "there is no variable $foo; let $foo = … in … makes one"],
    ["[(let $a = body in $a), $a]", "there is no variable $a; let $a = … in … makes one"],
    ["body.ok == true", "true without backticks is the name of a member; write `true` in backticks"],
    ["body.ok == false", "false without backticks is the name of a member; write `false` in backticks"],
    ["join(body.tags, ',')", 'argument 2 of join cannot be ","'],
    ["contains(`5`, body.id)", "argument 1 of contains cannot be 5"],
    ["let $x = input.id in map(&[@.id, $x], body.items)", "$x is not seen inside of an expression with &"],
    ["&body.id", "an expression with & can only be an argument of a function"],
    ["!body[?id]", "`!a.b` reads as `(!a).b` and never holds; write `!(a.b)`"],
    ["!body.*", "`!a.b` reads as `(!a).b` and never holds; write `!(a.b)`"],
    ["!length(body.items)", "0 holds, so a ! before length(…) never does; compare it with `0`"],
    ['headers."X-Request-Id"', 'names of headers are in lower case: headers."x-request-id"'],
    ["$.headers.Location", 'names of headers are in lower case: headers."location"'],
    ["[0].id", "what an expression sees is no list; say of which list, such as body[0]"],
    ["$[0].id", "what an expression sees is no list; say of which list, such as body[0]"],
    ["[].id", "what an expression sees is no list; say of which list, such as body[0]"],
    ["[?id].name", "what an expression sees is no list; say of which list, such as body[0]"],
    ["[:2]", "what an expression sees is no list; say of which list, such as body[0]"],
    ["status == '200'", "status is a number, and '200' is text; write a number in backticks"],
    ["'404' != $.status", "status is a number, and '404' is text; write a number in backticks"],
    ["status.code", "status is a number, which has no members"],
    ['headers."x-cost" * `2`', 'a header is text, which is no number; write to_number(headers."x-cost")'],
    ['`0` < headers."x-left"', 'a header is text, which is no number; write to_number(headers."x-left")'],
    ["items[0].id", "an expression sees status, headers, body, input, and there is no items"],
    ["bdy.id", "an expression sees status, headers, body, input, and there is no bdy; did you mean body?"],
    ["@.header.link", "an expression sees status, headers, body, input, and there is no header; did you mean headers?"],
    ["!body.a", "`!a.b` reads as `(!a).b` and never holds; write `!(a.b)`"]
  ]
  for (const [source, told] of mistakes)
    it(`${source} is refused: ${told}`, () => assert.deepStrictEqual(Either.flip(compile(source)), Either.right(told)))

  for (const source of [
    "let $a = body.x, $b = input in [$a, $b, (let $c = $a in $c.d)]",
    "body.items[?price > `1` && contains(tags, 'a')].{id: id, all: tags[*].name | [0]}",
    "not_null(body.a, body.b, 'none')",
    "find_first(body.a, 'x', `1`)",
    "sort_by(body.items, &to_number(price))[-1]",
    "@",
    "$.body.a || [body, status]",
    "body | items[0] | name",
    'headers."x-count"',
    "headers.\"x-count\" == '5'",
    'to_number(headers."x-cost") * `2`',
    "body.error == null",
    "(body.cost && `3000`) || null",
    "*.id",
    "@.*.items | [0]",
    "$.* | [0]",
    "let $f = &price in sort_by(body.items, $f)",
    "body.rows[?headers.\"X-Id\" == '5' && status == '1' && !(length(cells) == `0`)].name",
    "map(&status.code, body.rows)",
    "join(', ', body.tags)",
    "!(body.a.b)",
    "[body.a, body.b][0]"
  ])
    it(`${source} has no mistake`, () => assert.isTrue(Either.isRight(compile(source))))
})

describe("an exact number in an expression", () => {
  // All of them are nearest to the same number.
  const body = Either.getOrThrow(
    readJson(
      `{"rows":[{"id":12345678901234567891,"on":true},{"id":12345678901234567892,"on":false},
        {"id":12345678901234567893,"on":true},{"id":7,"on":true}],
        "big":1e400,"zero":-0,"long":12345678901234567890.123,"text":"12345678901234567891","short":"12"}`
    )
  )
  const cases: ReadonlyArray<[source: string, text: string]> = [
    ["body.rows[?on].id", "[12345678901234567891,12345678901234567893,7]"],
    ["body.rows[?id == `7`].id", "[7]"],
    ["body.rows[?id > `7`].id", "[12345678901234567891,12345678901234567892,12345678901234567893]"],
    ["sort_by(body.rows, &id)[*].id", "[7,12345678901234567891,12345678901234567892,12345678901234567893]"],
    ["max_by(body.rows[:3], &id).id", "12345678901234567891"],
    ["max(body.rows[*].id)", "12345678901234567891"],
    ["min(body.rows[*].id)", "7"],
    ["map(&id, body.rows)[1]", "12345678901234567892"],
    ["reverse(body.rows[*].id)[1]", "12345678901234567893"],
    ["not_null(body.none, body.rows[0].id)", "12345678901234567891"],
    ["body.none || body.rows[0].id", "12345678901234567891"],
    ["merge(body.rows[0], `{}`).id", "12345678901234567891"],
    ["values({a: body.rows[0].id})", "[12345678901234567891]"],
    ["to_array(body.rows[0].id)", "[12345678901234567891]"],
    ["to_string(body.rows[0].id)", '"12345678901234567891"'],
    ["to_string(body.rows[0])", JSON.stringify('{"id":12345678901234567891,"on":true}')],
    ["join('-', body.rows[*].to_string(id))", '"12345678901234567891-12345678901234567892-12345678901234567893-7"'],
    ["to_number(body.rows[0].id)", "12345678901234567891"],
    ["to_number(body.text)", "12345678901234567891"],
    ["to_number(body.short)", "12"],
    ["to_number('1e400')", "1e400"],
    ...["", "  ", "0x10", "0b11", "+5", ".5", "5.", " 7 ", "NaN", "Infinity"].map((text): [string, string] => [
      `to_number('${text}')`,
      "null"
    ]),
    ["type(body.rows[0].id)", '"number"'],
    ["body.rows[0].id == body.rows[0].id", "true"],
    ["body.rows[0].id == body.rows[1].id", "false"],
    ["body.rows[0].id != body.rows[1].id", "true"],
    ["body.rows[0] == body.rows[1]", "false"],
    ["contains(body.rows[*].id, body.rows[1].id)", "true"],
    ["contains(body.rows[:1].id, body.rows[1].id)", "false"],
    ["contains(body.rows[*].id, `7`)", "true"],
    ["contains(body.rows[*].id, `8`)", "false"],
    ["body.rows[0].id * `1`", "12345678901234567000"],
    ["-body.long", "-12345678901234567000"],
    ["sum(body.rows[:1].id)", "12345678901234567000"],
    ["avg([body.big, body.big])", "null"],
    ["body.big", "1e400"],
    ["body.rows[?on] && body.big", "1e400"],
    ["[body.zero][?@ == `0`]", "[0]"],
    ["[body.long][?@ > `0`] | [0]", "12345678901234567890.123"],
    ["body.long.*", "null"],
    ["body.long.literal", "null"],
    ["body.long && 'holds'", '"holds"'],
    ["length(keys(body.rows[0]))", "2"]
  ]
  for (const [source, text] of cases)
    it(`${source} is ${text}`, () => assert.strictEqual(writeJson(value(source, body)), text))
})

describe("the work of expressions", () => {
  const items = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: `Ada ${id}`,
    email: id % 3 === 0 ? "ada@example.com" : null,
    emails: [{ value: "a@b.c" }]
  }))
  const big: Json = {
    items,
    text: "x".repeat(1_000_000),
    spaces: `${" ".repeat(1_000_000)}x`,
    words: items.map(({ name }) => name)
  }

  const done = [
    "body.items[*].{id: id, name: name, email: email}",
    "body.items[?email].emails[].value",
    "contains(body.text, 'none')",
    "trim(body.spaces)",
    "length(body.text)",
    "lower(body.text)",
    "group_by(body.items, &name).none",
    "body.items[?body || name].id"
  ]
  for (const source of done)
    it(`is enough for ${source} of 20,000 rows`, () =>
      assert.isTrue(Either.isRight(compiled(source).evaluate(viewOf(big)))))

  const refused = [
    "pad_left('a', `200000000`)",
    "pad_right('a', `1e12`)",
    "join(body.text, body.words)",
    "replace(body.text, 'x', body.text)",
    "replace(body.text, 'x', '$&$&', `1000000000`)",
    "split(body.text, '')",
    "sort(body.words)",
    "sort_by(body.items, &to_string($))",
    "body.items[*].to_string($)",
    "map(&map(&id, $.body.items), body.items)",
    "body.items[?contains($.body.text, name)]",
    `[@,@]${"|[@,@]".repeat(40)}`,
    `[\`1\`,\`1\`]${"|[@,@][]".repeat(40)}`,
    `[\`1\`,\`1\`]${"|to_string([@,@])".repeat(40)}`,
    "find_first(body.text, body.text) && contains(body.text, body.text)",
    "reverse(body.text)",
    "body.text[::-1]",
    "body.items[?@ == $.body.items].id || [body.items, body.items, body.items, body.items, body.items, body.items]"
  ]
  for (const source of refused) {
    it(`ends for ${source.slice(0, 60)}, soon and in little memory`, () => {
      const view = viewOf(big)
      const [before, started] = [process.memoryUsage().rss, process.cpuUsage().user]
      assert.isTrue(Either.isLeft(compiled(source).evaluate(view)))
      assert.isTrue(isOverworked(view))
      // A twentieth of a second each; the margin is for a busy machine and code that is not warm.
      assert.isBelow((process.cpuUsage().user - started) / 1000, 500)
      assert.isBelow(process.memoryUsage().rss - before, 100_000_000)
    })
  }

  it("is shared by all that look at one answer, and not by the next one", () => {
    const [view, next] = [viewOf(big), viewOf(big)]
    assert.isTrue(Either.isLeft(compiled("pad_left('a', `200000000`)").evaluate(view)))
    assert.isFalse(compiled("`true`").holds(view))
    assert.isTrue(compiled("`true`").holds(next))
  })

  const overworked = { response: { success: "pad_left('a', `200000000`)" } }
  it.scopedLive("makes the run invalid_response when it is used up; of an effectful operation nobody knows then", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, {}))
      for (const [operation, certainty] of [
        [overworked, "unanswered"],
        [{ ...overworked, effect: "effectful", repeatable: false }, "unanswered"]
      ] as const) {
        const result = yield* callOnce(provider, { operation })
        assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
          "invalid_response",
          certainty
        ])
      }
    })
  )
})
