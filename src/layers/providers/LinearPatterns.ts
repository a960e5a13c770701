/**
 * Patterns of schemas, on an engine that never backtracks: the time of a match is bounded by the length of the text
 * times the size of the pattern, and what one input may take of that is bounded as well. JavaScript's own syntax is
 * taken, without look-around, back references and what else only backtracking can do.
 */
import { Either } from "effect"
import { RE2JS } from "re2js"
import { patternWorkMax } from "../../domain/limits/Calls.js"
import { patternCharsMax, patternSizeMax } from "../../domain/limits/Manifests.js"

/** The work that is left for the patterns of one input, in characters times steps of the pattern. */
let left = patternWorkMax

/** Call this before each input is checked. */
export const refillPatternWork = (): void => {
  left = patternWorkMax
}

/** Whether the texts of this input were too long for its patterns: what the last of them said is no answer. */
export const isPatternWorkSpent = (): boolean => left < 0

export interface LinearPattern {
  /** How many steps the pattern has, with its repetitions written out. */
  readonly size: number
  /** Also false when the input's texts are too long for its patterns. */
  readonly test: (text: string) => boolean
}

/** What JavaScript takes for white space, and what it does not. The engine knows those of ASCII only. */
const space = "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
const otherThanSpace =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"
/** The ends of lines, which a dot does not match. */
const lineEnds = "\\n\\r\\x{2028}\\x{2029}"

/** The pattern with white space and dots written out as JavaScript means them. */
const asInJavaScript = (pattern: string): string => {
  let inClass = false
  return pattern.replace(/\\[^]|[[\].]/g, (part) => {
    switch (part) {
      case "\\s":
        return inClass ? space : `[${space}]`
      case "\\S":
        return inClass ? otherThanSpace : `[${otherThanSpace}]`
      case "[":
        inClass = true
        return part
      case "]":
        inClass = false
        return part
      case ".":
        return inClass ? part : `[^${lineEnds}]`
      default:
        return part
    }
  })
}

/** Beyond this size a pattern may leave the engine's fast path. */
const slowSize = 64

/** Left: why the pattern cannot be used, as a sentence about it. */
export const linearPattern = (pattern: string): Either.Either<LinearPattern, string> => {
  if (pattern.length > patternCharsMax) return Either.left(`has more than ${patternCharsMax} characters`)
  return Either.try({
    try: () => RE2JS.compile(asInJavaScript(RE2JS.translateRegExp(pattern))),
    catch: (error) =>
      `is no pattern that can be matched without backtracking (${error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "not a pattern"})`
  }).pipe(
    Either.flatMap((compiled) => {
      const size = compiled.programSize()
      if (size > patternSizeMax) return Either.left("repeats too much; say lengths with minLength and maxLength")
      const cost = size > slowSize ? 4 * size : size
      return Either.right({
        size,
        test: (text: string) => {
          left -= cost * (text.length + 1)
          return left >= 0 && compiled.test(text)
        }
      })
    })
  )
}
