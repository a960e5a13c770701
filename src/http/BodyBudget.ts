/**
 * What a JSON body may cost, looked at before it is parsed: how many values it holds, how deep it nests, how long its
 * names and numbers are. One pass over the text, which allocates next to nothing and takes about a millisecond for the
 * largest body, so that no shape of a body can hold up the event loop. Does not say whether the text is JSON;
 * `JsonText.ts` does.
 */
import type { FieldProblem } from "../domain/ApiErrors.js"
import { cutText } from "../domain/Characters.js"
import {
  backslash,
  closesList,
  closesObject,
  colon,
  comma,
  endOfString,
  isBlank,
  lastBlank,
  opensList,
  opensObject,
  quote
} from "../domain/JsonScanning.js"
import {
  bodyDepthMax,
  bodyNameCharsMax,
  bodyNumberCharsMax,
  bodyValuesMax,
  inputValuesMax,
  publicInputValuesMax
} from "../domain/limits/Requests.js"

export interface BodyBudget {
  /** Values outside of `input`. */
  readonly values: number
  /** Values in `input`, which is the client's own. */
  readonly inputValues: number
}

/** For routes that know their caller. */
export const callerBudget: BodyBudget = { values: bodyValuesMax, inputValues: inputValuesMax }
/** For messages that hold the input somewhere below their own fields. */
export const messageBudget: BodyBudget = {
  values: bodyValuesMax + inputValuesMax,
  inputValues: inputValuesMax
}
/** For routes that anybody may call. */
export const publicBudget: BodyBudget = { values: bodyValuesMax, inputValues: publicInputValuesMax }

const nameShownChars = 200
const u = 0x75

/** How many characters the string between two quotes means. */
const charsOf = (text: string, start: number, end: number): number => {
  let chars = 0
  for (let i = start + 1; i < end; i++) {
    if (text.charCodeAt(i) === backslash) i += text.charCodeAt(i + 1) === u ? 5 : 1
    chars++
  }
  return chars
}

const isName = (text: string, end: number): boolean => {
  let next = end + 1
  while (isBlank(text.charCodeAt(next))) next++
  return text.charCodeAt(next) === colon
}

/** The first thing that is over the budget, under the name of the body's field that it is in; null when nothing is. */
export const overBudget = (text: string, budget: BodyBudget): FieldProblem | null => {
  let depth = 0
  /** Whether the container that was just opened may still turn out to be empty. */
  let opened = false
  let field = "body"
  let values = 0
  let inputValues = 0
  let numberChars = 0

  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isBlank(code)) {
      numberChars = 0
      i = lastBlank(text, i)
      continue
    }
    const closes = code === closesObject || code === closesList
    if (code === comma || (opened && !closes)) {
      if (depth === 1) field = "body"
      const max = field === "input" ? budget.inputValues : budget.values
      if ((field === "input" ? ++inputValues : ++values) > max)
        return { field, message: `may hold at most ${max} values, counted at every depth` }
    }
    opened = false
    if (code === quote) {
      const end = endOfString(text, i)
      const long = end - i - 1 > bodyNameCharsMax
      if ((long || depth === 1) && isName(text, end)) {
        if (long && charsOf(text, i, end) > bodyNameCharsMax)
          return {
            field: depth === 1 ? "body" : field,
            message: `has a name of more than ${bodyNameCharsMax} characters`
          }
        if (depth === 1) field = cutText(text.slice(i + 1, end), nameShownChars)
      }
      i = end
      numberChars = 0
    } else if (code === opensObject || code === opensList) {
      if (depth === bodyDepthMax) return { field, message: `is nested deeper than ${bodyDepthMax} levels` }
      depth++
      opened = true
      numberChars = 0
    } else if (closes) {
      depth--
      numberChars = 0
    } else if (code === comma || code === colon) {
      numberChars = 0
    } else if (++numberChars > bodyNumberCharsMax) {
      return { field, message: `has a number of more than ${bodyNumberCharsMax} characters` }
    }
  }
  return null
}
