/**
 * Splits one command as a shell would: quotes (also `$'…'`), backslashes, continued lines, text that follows with `<<`,
 * and the end at a pipe or a redirection. Pure: nothing is run, and no variable is looked up. Variables, commands in
 * `$(…)` and placeholders such as `<token>` stay in the words as they are written.
 */
import { Either } from "effect"

export interface ShellCommand {
  readonly words: ReadonlyArray<string>
  /** What standard input gives to the command. */
  readonly input: string | null
  /** What stands behind its end: a pipe or another command. */
  readonly rest: string
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["a", "\u0007"],
  ["b", "\b"],
  ["e", "\u001b"],
  ["E", "\u001b"],
  ["f", "\f"],
  ["v", "\u000b"]
])
const numbered = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/
const largestCode = 0x10ffff

/** What stands after a backslash in `$'…'`, and how many signs it takes. */
const escaped = (rest: string): readonly [text: string, length: number] => {
  const [whole, ...codes] = numbered.exec(rest) ?? []
  if (whole !== undefined) {
    const at = codes.findIndex((code) => code !== undefined)
    const code = parseInt(codes[at] ?? "", at === 3 ? 8 : 16)
    return [code <= largestCode ? String.fromCodePoint(code) : "\ufffd", whole.length]
  }
  const [sign = ""] = rest
  return [simpleEscapes.get(sign) ?? (/['"\\?]/.test(sign) ? sign : `\\${sign}`), Math.max(1, sign.length)]
}

/** The end of `$(…)` that begins here. */
const endOfCommand = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1
    else if (text[at] === ")") {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return text.length
}

const hereDocument = /^<<-?[ \t]*(['"]?)([A-Za-z_][A-Za-z0-9_]*)\1/
/** With what it leads to. A `<` before a letter or another `<` begins a placeholder. */
const redirection = /^(?:[0-9&]?>>?&?|<(?=[ \t]))[ \t]*[^\s|;&]*/
const ends = /^(?:\||;|&&|&(?=\s|$))/

/** Left: why it cannot be split, in words for the person who gave it. */
export const shellCommand = (text: string): Either.Either<ShellCommand, string> => {
  const words: Array<string> = []
  let input: string | null = null
  let word: string | null = null
  let behind = ""
  const add = (more: string): void => {
    word = `${word ?? ""}${more}`
  }
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? ""
    const rest = text.slice(at, at + 200)
    if (rest.startsWith("$'") || sign === "'") {
      const isEscaping = sign === "$"
      add("")
      for (at += isEscaping ? 2 : 1; text[at] !== "'"; at += 1) {
        if (at >= text.length) return Either.left("the curl command has a quote that is never closed")
        if (isEscaping && text[at] === "\\") {
          const [meant, length] = escaped(text.slice(at + 1, at + 10))
          add(meant)
          at += length
        } else add(text[at] ?? "")
      }
    } else if (sign === '"') {
      add("")
      for (at += 1; text[at] !== '"'; at += 1) {
        if (at >= text.length) return Either.left("the curl command has a quote that is never closed")
        if (text[at] === "$" && text[at + 1] === "(") {
          const end = endOfCommand(text, at + 1)
          add(text.slice(at, end + 1))
          at = end
        } else if (text[at] === "\\" && /["\\$`\n]/.test(text[at + 1] ?? "")) {
          at += 1
          add(text[at] === "\n" ? "" : (text[at] ?? ""))
        } else add(text[at] ?? "")
      }
    } else if (sign === "\\") {
      at += text[at + 1] === "\r" && text[at + 2] === "\n" ? 2 : 1
      if (text[at] !== "\n") add(text[at] ?? "")
    } else if (rest.startsWith("$(")) {
      const end = endOfCommand(text, at + 1)
      add(text.slice(at, end + 1))
      at = end
    } else if (/\s/.test(sign)) {
      if (word !== null) words.push(word)
      word = null
    } else if (word === null && hereDocument.test(rest)) {
      const [operator = "", , name = ""] = hereDocument.exec(rest) ?? []
      const lineEnd = text.indexOf("\n", at)
      const body = lineEnd < 0 ? "" : text.slice(lineEnd + 1)
      const end = new RegExp(`^[ \\t]*${name}[ \\t]*\\r?$`, "m").exec(body)
      if (end === null) return Either.left(`the curl command has a text that begins with <<${name} and never ends`)
      input = body.slice(0, end.index)
      // What stands behind the operator in its line still belongs to the command.
      const left = shellCommand(text.slice(at + operator.length, lineEnd))
      return Either.map(left, (more) => ({ ...more, words: [...words, ...more.words], input }))
    } else if (word === null && redirection.test(rest)) {
      at += (redirection.exec(rest)?.[0].length ?? 1) - 1
    } else if (ends.test(rest)) {
      behind = text.slice(at)
      break
    } else add(sign)
  }
  return Either.right({ words: word === null ? words : [...words, word], input, rest: behind })
}
