/** What is wrong with the text or the shape of a manifest, in words of somebody who writes one. */
import { ParseResult } from "effect"
import type { YAMLError } from "yaml"
import { cutText } from "../../domain/Characters.js"
import { microsMeant } from "../../domain/Micros.js"
import { didYouMean, fieldMeant } from "../../domain/Similar.js"

export interface ShapeMistake {
  /** Dotted path inside the file. */
  readonly path: string
  readonly message: string
}

const lineCharsMax = 80

/** The first line of what the reader of YAML says, with the line of the file instead of a drawing of it. */
export const yamlMistake = ({ code, linePos, message }: YAMLError, text: string): string => {
  if (code === "MULTIPLE_DOCS") return "holds several documents: write each manifest into a file of its own"
  const said = message.split("\n", 1)[0]?.replace(/:$/, "") ?? "is not YAML"
  const line = text.split(/\r?\n/)[(linePos?.[0].line ?? 0) - 1]?.trim() ?? ""
  const shown = line === "" ? said : `${said}: ${JSON.stringify(cutText(line, lineCharsMax))}`
  if (/^Nested mappings/.test(said)) return `${shown}; put a text that has a colon and a blank in it in quotes`
  if (code === "TAG_RESOLVE_FAILED") return `${shown}; put a text that begins with ! in quotes`
  const isOfIndent = /^(All \w+ items must start|Sequence item without|Unexpected \S+ at node end)/.test(said)
  return isOfIndent ? `${shown}; its indent, or that of a line above it, does not fit the others` : shown
}

const expected = /^Expected (.+), actual (.+)$/s

/** One value that is none of several choices is one mistake, although each choice complains of it. */
const inOne = (messages: ReadonlyArray<string>): ReadonlyArray<string> => {
  const distinct = [...new Set(messages)]
  const [first, ...others] = distinct.map((message) => expected.exec(message))
  if (first === undefined || first === null || others.length === 0) return distinct
  return others.every((other) => other?.[2] === first[2])
    ? [
        choiceMeant(
          `Expected ${[first, ...others].map((each) => each?.[1] ?? "").join(" | ")}, actual ${first[2] ?? ""}`
        )
      ]
    : distinct
}

const unexpected = /^is unexpected, expected: (.+)$/s

const choice = /^Expected ("[^"]*"(?: \| "[^"]*")+), actual "([^"]*)"$/

/** With the choice that was meant, where a text is none of several. */
const choiceMeant = (message: string): string => {
  const [, choices, actual = ""] = choice.exec(message) ?? []
  if (choices === undefined) return message
  const known = Array.from(choices.matchAll(/"([^"]*)"/g), ([, each = ""]) => each)
  if (/^api_?key$/i.test(actual) && known.includes("header") && known.includes("query"))
    return `${message}; a key has the type of its place, such as header or query`
  const meant = fieldMeant(actual, known)
  return `${message}${didYouMean(meant === null ? [] : [meant])}`
}

const secretName = /^(?:api_?key|key|password|secret|token)$/i

const microsProblem = (actual: string): string =>
  `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, and is ${actual}: ${microsMeant}`

/** What the schema says, in words of somebody who writes a manifest. `name` is the member that it speaks of. */
const inWords = (message: string, name: string): string => {
  const members = unexpected.exec(message)?.[1]
  if (members === undefined)
    return choiceMeant(message)
      .replace(/^Expected (?:an integer|Money in millionths of a US dollar), actual (.*)$/s, (said, actual: string) =>
        /micros$/i.test(name) ? microsProblem(actual) : said
      )
      .replace("Struct (Encoded side)", "an object")
      .replace(/\bReadonlyArray<[^,]*>/g, "a list")
      .replace(/\bNonEmptyTrimmedString\b/g, "text")
  const known = [...members.matchAll(/"([^"]+)"/g)].map(([, member = ""]) => member)
  if (secretName.test(name)) return "is no member here: no manifest holds a key; set it with gateway key set"
  const meant = fieldMeant(name, known)
  return `is no member here${meant === null ? `; there are ${known.join(", ")}` : didYouMean([meant])}`
}

/** The schema misses the first item of a list that may not be empty; whoever wrote the list misses no item 0. */
const emptyList = ({ message, path }: ParseResult.ArrayFormatterIssue) =>
  message === "is missing" && path.at(-1) === 0 ? { message: "needs at least one item", path: path.slice(0, -1) } : null

/** Everything that is wrong with the shape of a manifest, each with its dotted path. */
export const shapeMistakes = (error: ParseResult.ParseError): ReadonlyArray<ShapeMistake> => {
  const byPath = new Map<string, Array<string>>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(error)) {
    const { message, path } = emptyList(issue) ?? issue
    const at = path.map(String).join(".")
    byPath.set(at, [...(byPath.get(at) ?? []), inWords(message, String(path.at(-1) ?? ""))])
  }
  return [...byPath].flatMap(([path, messages]) => inOne(messages).map((message) => ({ path, message })))
}
