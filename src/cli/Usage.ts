/**
 * What is said of a command line that is not understood: which word is wrong, and where the right ones stand. The
 * parser of the library says it in words of its own, in several lines; this says it in one.
 */
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as CliError from "@effect/cli/ValidationError"
import { editDistance } from "../domain/EditDistance.js"
import { didYouMean, similar } from "../domain/Similar.js"
import { examples } from "./Examples.js"

/** Every command has an example. */
const commands: ReadonlyArray<ReadonlyArray<string>> = Object.keys(examples).map((name) => name.split(" "))

/** Those that begin with these words. */
const below = (words: ReadonlyArray<string>) =>
  commands.filter((command) => words.every((word, at) => command[at] === word))

/** The words of the line that name a command or a group of commands. */
const commandIn = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const arg of args) {
    if (below([...found, arg]).length === 0) break
    found.push(arg)
  }
  return found
}

/** The line that asks for help alone: behind options, the parser takes `--help` for a mistake. Null: none is asked. */
export const helpAsked = (args: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  const end = args.indexOf("--")
  const isAsked = (end < 0 ? args : args.slice(0, end)).some((arg) => arg === "--help" || arg === "-h")
  const words = commandIn(args)
  return isAsked && (words.length > 0 || args[0]?.startsWith("-") === true) ? [...words, "--help"] : null
}

/** What `gateway help COMMAND` asks for, as the line that asks for the same with `--help`. */
export const withoutHelpWord = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = args
  if (first !== "help") return args
  const words = rest.filter((word) => !word.startsWith("-"))
  // What is no command is told as one that does not exist.
  return commandIn(words).length === words.length ? [...words, "--help"] : words
}

/** What is said of a line that ends in a group of commands, such as `gateway ledger`; null of any other. */
export const groupAlone = (args: ReadonlyArray<string>): string | null => {
  const words = commandIn(args)
  const isCommand = commands.some((command) => command.length === words.length && below(words).includes(command))
  const next = args[words.length]
  // Options of the program itself, such as --version, stand where there is no command.
  if (isCommand || (next !== undefined && (words.length === 0 || !next.startsWith("-")))) return null
  const line = ["gateway", ...words].join(" ")
  const names = [...new Set(below(words).flatMap((command) => command[words.length] ?? []))]
  return `${line} needs a command: ${names.join(", ")}; ${line} --help tells more`
}

// eslint-disable-next-line no-control-regex
export const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "")

/** The words that an option or argument takes. */
export interface Choice {
  readonly name: string
  readonly takes: ReadonlyArray<string>
}

const mistypedMax = 2

const unknownCommand = (args: ReadonlyArray<string>): string => {
  const words = commandIn(args)
  const asked = args[words.length] ?? ""
  if (asked.startsWith("-"))
    return `${asked} stands before the command; options stand after it, such as gateway workspace list --json`
  const names = [...new Set(below(words).flatMap((command) => command[words.length] ?? []))]
  // Commands are short words: what is three letters off is another word.
  const alike = similar(asked, names).filter((name) => editDistance(asked, name, mistypedMax) <= mistypedMax)
  const command = [...words, asked].join(" ")
  return alike.length > 0
    ? `There is no such command: ${command}${didYouMean(alike.map((name) => [...words, name].join(" ")))}`
    : `There is no such command: ${command}; ${["gateway", ...words].join(" ")} has ${names.join(", ")}`
}

/** Every command has this option, of which the parser does not say what it takes. */
const logLevels = ["all", "trace", "debug", "info", "warning", "error", "fatal", "none"]

const readSecrets: ReadonlySet<string> = new Set(["gateway key set", "gateway connection create"])

const unknownWord = (word: string, args: ReadonlyArray<string>): string => {
  if (hasOneDash.test(word)) return oneDash(word, args)
  const line = ["gateway", ...commandIn(args)].join(" ")
  const count = args.filter((arg) => arg.split("=", 1)[0] === word).length
  if (/^--[\w-]+=$/.test(word)) return `${word} has no value behind its =; ${line} --help shows what options take`
  if (word === "--log-level") return `${word}: must be one of ${logLevels.join(", ")}`
  // The word may be the key itself.
  if (readSecrets.has(line) && !word.startsWith("-"))
    return `${line} takes no further word: the key is read from standard input, such as < key.txt`
  return word.startsWith("-")
    ? `${word} is no option of ${line}${count > 1 ? ", or may be given only once" : ""}; ${line} --help lists them`
    : `${word} is one word too many; ${line} --help shows what it takes`
}

const hasOneDash = /^-[A-Za-z]{2}/
/** What is said of `-name`, which the parser may take for four options of one letter each. */
const oneDash = (word: string, args: ReadonlyArray<string>): string => {
  const line = ["gateway", ...commandIn(args)].join(" ")
  return `${word} is no option of ${line}: options begin with two dashes; ${line} --help lists them`
}

const isMissing = " is missing"

/** The parser stops at an option that it has read already, and takes those behind it for missing. */
const missing = (name: string, args: ReadonlyArray<string>): string => {
  const given = args.filter((arg) => arg.startsWith("--")).map((arg) => arg.split("=", 1)[0] ?? arg)
  const repeated = given.find((option, at) => given.indexOf(option) < at)
  return repeated !== undefined && given.includes(name) ? `${repeated} may be given only once` : `${name}${isMissing}`
}

const sentences: ReadonlyArray<readonly [RegExp, (found: string, args: ReadonlyArray<string>) => string]> = [
  [/^Received unknown argument: '(.*)'$/, unknownWord],
  [/^Expected to find option: '(.*)'$/, missing],
  [/^More than one reference to option '(.*)' detected$/, (name) => `${name} may be given only once`],
  [/^Expected at least \d+ value\(s\) for option: '(.*)'$/, missing],
  [/^The flag '(.*)' is not recognized\. .*$/, unknownWord],
  [/^Expected a value following option: '(.*)'$/, (name) => `${name} needs a value`],
  [/^Missing argument <([^>]*)>(?: with choices .*)?$/, missing],
  [
    /^Path '(.*)' must exist$/,
    (path, args) =>
      /(?:^|\/)-+[A-Za-z][^/]*$/.test(path)
        ? unknownWord(path.replace(/^.*\//, ""), args)
        : `There is no file or folder ${path}`
  ],
  [/^Expected path '(.*)' to be a directory$/, (path) => `${path} is no folder`],
  [/^Expected path '(.*)' to be a regular file$/, (path) => `${path} is no file`]
]

/** One line of the parser in words of this program. */
const inOurWords = (line: string, args: ReadonlyArray<string>): string => {
  for (const [pattern, words] of sentences) {
    const found = pattern.exec(line)?.[1]
    if (found !== undefined) return words(found, args)
  }
  return line
}

export const usageOf = (
  error: CliError.ValidationError,
  args: ReadonlyArray<string>,
  choices: ReadonlyArray<Choice>
): string => {
  if (CliError.isCommandMismatch(error)) return unknownCommand(args)
  if (CliError.isUnclusteredFlag(error)) return oneDash(args.find((arg) => hasOneDash.test(arg)) ?? "-", args)
  const text = plain(HelpDoc.toAnsiText(error.error))
  const words = text.replace(/\s+/g, " ").trim()
  const cases = /^Expected one of the following cases: (.*)$/.exec(words)?.[1]
  const named = choices.filter(({ takes }) => takes.join(", ") === cases)
  const choice = named.find(({ name }) => args.some((arg) => arg.split("=")[0] === name)) ?? named.at(-1)
  if (choice !== undefined) return `${choice.name}: must be one of ${choice.takes.join(", ")}`
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const whole = lines.map((line) => inOurWords(line, args))
  // A sentence that the library has wrapped stands in several lines.
  const sentence = whole.some((line, at) => line !== lines[at]) ? whole.join("; ") : inOurWords(words, args)
  return sentence.endsWith(isMissing)
    ? `${sentence}; ${["gateway", ...commandIn(args)].join(" ")} --help shows an example`
    : sentence
}
