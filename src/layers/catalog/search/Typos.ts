// How likely it is that somebody who meant one word typed another. Words are in plain lower-case letters.
import { editDistance } from "../../../domain/EditDistance.js"

/** Keys beside each letter of a keyboard. */
const keyRows = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
const beside = (a: string, b: string): boolean => {
  const rowOfA = keyRows.findIndex((row) => row.includes(a))
  const rowOfB = keyRows.findIndex((row) => row.includes(b))
  const from = keyRows[rowOfA]?.indexOf(a) ?? -9
  const to = keyRows[rowOfB]?.indexOf(b) ?? -9
  if (rowOfA === rowOfB) return Math.abs(from - to) === 1
  // Each row stands half a key to the right of the one above it.
  const shift = rowOfA < rowOfB ? from - to : to - from
  return Math.abs(rowOfA - rowOfB) === 1 && (shift === 0 || shift === 1)
}

const twoEdits = 0.02
const shortestForTwo = 8
/** Short words that differ in one letter are mostly two words. */
const shortestForOther = 6
const wrongFirstLetter = 0.6

/** One letter more in `longer`, at the place where the words part. */
const isOneMore = (longer: string, shorter: string, at: number): boolean => longer.slice(at + 1) === shorter.slice(at)

/** 1 for the commonest slips, less for rarer ones, 0 for what is no typo. */
export const typoLikelihood = (typed: string, meant: string): number => {
  const longer = typed.length - meant.length
  let at = 0
  while (at < typed.length && typed[at] === meant[at]) at += 1
  const first = at === 0 ? wrongFirstLetter : 1
  if (longer === 0) {
    const [a, b] = [typed[at] ?? "", meant[at] ?? ""]
    if (typed.slice(at + 1) === meant.slice(at + 1))
      return first * (beside(a, b) ? 0.5 : typed.length >= shortestForOther ? 0.15 : 0)
    if (a === meant[at + 1] && b === typed[at + 1] && typed.slice(at + 2) === meant.slice(at + 2)) return first
  }
  // Where a letter is doubled or left out of a double, the words part one letter later: the first is no wrong one.
  if (longer === 1 && isOneMore(typed, meant, at))
    return typed[at] === typed[at - 1] ? 1 : first * (typed.length >= shortestForOther ? 0.3 : 0.1)
  if (longer === -1 && isOneMore(meant, typed, at)) return first
  return Math.min(typed.length, meant.length) >= shortestForTwo && editDistance(typed, meant, 2) <= 2
    ? first * twoEdits
    : 0
}
