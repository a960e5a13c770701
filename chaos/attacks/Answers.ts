/**
 * Answers made to poison whoever stores or shows them: texts that Postgres refuses, every encoding, numbers without
 * end, nesting without end, names of JavaScript's own, bytes that are nothing at all. Each call is made once and
 * settled, and what was answered is shown to the letter.
 */
import { Effect, FastCheck } from "effect"
import { answerDepthMax } from "../../src/domain/limits/Calls.js"
import { audit } from "../stage/Audit.js"
import { type Findings, makeFindings, type Row } from "../stage/Findings.js"
import type { Node } from "../stage/Nodes.js"
import type { Spender, Stage } from "../stage/Stage.js"

const reading = "mock-document"
const effectful = "mock-send-message"

interface Poison {
  readonly kind: string
  readonly endpointId: typeof reading | typeof effectful
  readonly contentType: string
  readonly status: number
  readonly body: Buffer
  /** The run's `result` as text, `file` where the bytes are to be fetched, `any` where only an end is promised. */
  readonly result: { readonly text: string } | "file" | "any"
}

const fragments = [
  "\u0000",
  "\ud83d",
  "\ude00",
  "\u{1f600}",
  "\u{10ffff}",
  "ü",
  "a",
  "0",
  "\\",
  "\\u0000",
  "\\ud83d",
  '"',
  "/",
  "\u2028",
  "\ufffe",
  "\ufeff",
  "\u007f",
  "\n",
  "$1",
  "%00",
  "'; --",
  "{}",
  "é\u0301",
  "漢"
]
const string = FastCheck.array(FastCheck.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join(""))
const digits = (max: number) => FastCheck.stringMatching(new RegExp(`^[1-9][0-9]{0,${max}}$`))
/** As a writer in the shortest form spells them, so that they must come back as they are. */
const number = FastCheck.oneof(
  digits(40),
  digits(20).map((whole) => `-${whole}`),
  FastCheck.tuple(digits(5), digits(30)).map(([whole, fraction]) => `${whole}.${fraction.replace(/0+$/, "")}`),
  FastCheck.integer({ min: 400, max: 99_999 }).map((exponent) => `1e${exponent}`),
  FastCheck.constantFrom("0", "9007199254740993", "1e-400", "-2.5E+400", "100000000000000000000000")
)
const names = ["__proto__", "constructor", "toString", "", "length", "_tag"]
const name = FastCheck.oneof(
  FastCheck.constantFrom(...names),
  string.map((text) => `n${text}`)
)

const { value } = FastCheck.letrec<{ readonly value: string; readonly list: string; readonly object: string }>(
  (tie) => ({
    value: FastCheck.oneof(
      { maxDepth: 4 },
      FastCheck.constantFrom("null", "true", "false"),
      number,
      string.map((text) => JSON.stringify(text)),
      tie("list"),
      tie("object")
    ),
    list: FastCheck.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    object: FastCheck.array(FastCheck.tuple(name, tie("value")), { maxLength: 4 }).map(
      (members) => `{${[...new Map(members)].map(([key, member]) => `${JSON.stringify(key)}:${member}`).join(",")}}`
    )
  })
)

const deep = FastCheck.integer({ min: 300, max: 20_000 }).map((levels) => ({
  levels,
  text: `${"[".repeat(levels)}1${"]".repeat(levels)}`
}))

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16()
const encoded = (text: string): FastCheck.Arbitrary<readonly [type: string, body: Buffer]> => {
  const ways: ReadonlyArray<readonly [string, Buffer]> = [
    ["application/json", Buffer.from(text)],
    ["application/json; charset=utf-8", Buffer.from(text)],
    ["application/json", Buffer.from(`\ufeff${text}`)],
    ["application/json", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["application/json", utf16be(`\ufeff${text}`)],
    ["application/json", utf16be(text)],
    ["application/json; charset=utf-16le", Buffer.from(text, "utf16le")]
  ]
  return FastCheck.constantFrom(...ways)
}

const wrapped = (text: string): string => `{"message_id":"m","answer":${text}}`

const ofJson = (kind: string, endpointId: Poison["endpointId"], text: string): FastCheck.Arbitrary<Poison> =>
  encoded(text).map(([contentType, body]) => ({ kind, endpointId, contentType, body, status: 200, result: { text } }))

const poisons: FastCheck.Arbitrary<Poison> = FastCheck.oneof(
  { weight: 5, arbitrary: value.chain((text) => ofJson("JSON of a look-up", reading, text)) },
  { weight: 5, arbitrary: value.chain((text) => ofJson("JSON of a write action", effectful, wrapped(text))) },
  {
    weight: 2,
    arbitrary: string.map((text): Poison => ({
      kind: "text",
      endpointId: reading,
      contentType: "text/plain; charset=utf-8",
      status: 200,
      body: Buffer.from(`T ${text.toWellFormed()}`),
      result: { text: JSON.stringify({ text: `T ${text.toWellFormed()}`, format: "text" }) }
    }))
  },
  {
    weight: 2,
    arbitrary: deep.map(({ levels, text }): Poison => ({
      kind: "nesting",
      endpointId: effectful,
      contentType: "application/json",
      status: 200,
      body: Buffer.from(wrapped(text)),
      result: levels + 1 > answerDepthMax ? "file" : { text: wrapped(text) }
    }))
  },
  {
    weight: 1,
    arbitrary: FastCheck.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes): Poison => ({
      kind: "bytes",
      endpointId: reading,
      contentType: "application/pdf",
      status: 200,
      body: Buffer.from(bytes),
      result: "file"
    }))
  },
  {
    weight: 1,
    arbitrary: FastCheck.tuple(
      FastCheck.uint8Array({ maxLength: 200 }),
      FastCheck.constantFrom("application/json", "text/plain", "text/html; charset=utf-16")
    ).map(([bytes, contentType]): Poison => ({
      kind: "noise",
      endpointId: reading,
      contentType,
      status: 200,
      body: Buffer.from(bytes),
      result: "any"
    }))
  },
  {
    weight: 2,
    arbitrary: FastCheck.tuple(
      string,
      FastCheck.constantFrom(200, 400, 404, 429, 500, 503),
      FastCheck.nat(400),
      FastCheck.constantFrom<Poison["endpointId"]>(reading, effectful)
    ).map(([text, status, before, endpointId]): Poison => ({
      kind: "an error's words",
      endpointId,
      contentType: "application/json",
      status,
      result: "any",
      body: Buffer.from(JSON.stringify({ error: { message: `${"x".repeat(before)}${text}\u{1f600}${text}` } }))
    }))
  }
)

interface Shown {
  readonly status: number
  readonly text: string
}

const exchange = async (
  node: Node,
  spender: Spender,
  path: string,
  key?: string,
  body?: string
): Promise<Shown & { readonly bytes: Buffer }> => {
  const response = await fetch(`${node.origin}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${spender.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key })
    },
    ...(body === undefined ? {} : { body })
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, bytes, text: bytes.toString("utf8") }
}

const told = (poison: Poison): string =>
  `${poison.kind} as ${poison.contentType}: ${poison.body.toString("base64").slice(0, 120)}`

const poisonOnce = async (
  findings: Findings,
  node: Node,
  spender: Spender,
  poison: Poison,
  key: string
): Promise<void> => {
  const script = { status: poison.status, contentType: poison.contentType, base64: poison.body.toString("base64") }
  const input =
    poison.endpointId === effectful
      ? { to: "ada@example.com", text: key, _mock: script }
      : { format: "text", _mock: script }
  const made = await exchange(
    node,
    spender,
    "/v1/runs?wait=20",
    key,
    JSON.stringify({ endpointId: poison.endpointId, input })
  )
  if (made.status !== 201)
    return findings.note(`${told(poison)} was answered ${made.status} ${made.text.slice(0, 200)}`)
  const run: {
    readonly runId: string
    readonly status: string
    readonly error?: { readonly message: string }
    readonly result?: { readonly media?: { readonly downloadPath: string } }
  } = JSON.parse(made.text)
  const stored = await exchange(node, spender, `/v1/runs/${run.runId}`)
  findings.hold(run.status === "completed" || run.status === "failed", `${told(poison)} is ${run.status}`)
  findings.hold(!made.text.includes("result_not_stored"), `${told(poison)} could not be stored`)
  findings.hold(
    run.error === undefined || (run.error.message.isWellFormed() && !run.error.message.includes("\u0000")),
    `${told(poison)} broke the message of an error`
  )
  if (poison.result === "any") return
  findings.hold(run.status === "completed", `${told(poison)} is ${run.status}: ${run.error?.message ?? ""}`)
  if (poison.result === "file") {
    const path = run.result?.media?.downloadPath
    const file = path === undefined ? undefined : await exchange(node, spender, path)
    return findings.hold(
      file !== undefined && file.bytes.equals(poison.body),
      `${told(poison)} is not the file that was answered`
    )
  }
  for (const { text } of [made, stored])
    findings.hold(text.includes(`"result":${poison.result.text},`), `${told(poison)} is shown as ${text.slice(0, 300)}`)
}

interface AnswersSize {
  readonly answers: number
  readonly seed: number
}

export const answers = (stage: Stage, size: AnswersSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const node = yield* stage.node(findings)
      const spenders = [yield* stage.fund(1_000_000_000), yield* stage.fund(1_000_000_000)]
      const before = stage.fixture.calls.of()
      const drawn = FastCheck.sample(poisons, { numRuns: size.answers, seed: size.seed })
      yield* Effect.forEach(
        drawn,
        (poison, index) =>
          Effect.promise(() => poisonOnce(findings, node, spenders[index % 2]!, poison, `poison ${index}`)),
        { concurrency: 12, discard: true }
      )
      const calls = stage.fixture.calls.of() - before
      findings.hold(calls === size.answers, `${size.answers} runs made ${calls} calls`)
      const { astrayMicros } = yield* audit(stage, findings, spenders)
      return {
        attack: "poisoned answers",
        operations: size.answers,
        faults: size.answers,
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  )
