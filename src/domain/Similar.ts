// Ids and names of fields that look like a mistyped one: few edits away, or, of ids, made of the same words.
import { cutText } from "./Characters.js"
import { editDistance } from "./EditDistance.js"

const suggestionsMax = 3
const closeEnough = 0.45

const wordsOf = (id: string): ReadonlySet<string> =>
  new Set(
    id
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== "")
  )

const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let count = 0
  for (const word of a) if (b.has(word)) count += 1
  return (2 * count) / Math.max(1, a.size + b.size)
}

/** A name that is looked at; a longer one, or one with odd characters, is no typing error. */
const plainName = /^[\p{L}\p{N}_. -]{1,40}$/u
/** The least letters of a name with one wrong letter, and with two. */
const [oneWrongFrom, twoWrongFrom] = [3, 8]

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")

/** The name of a field that was meant by one that is not known, such as `first_name` by `fristName`; null for none. */
export const meantBy = (written: string, known: Iterable<string>): string | null => {
  if (!plainName.test(written)) return null
  const letters = lettersOf(written)
  if (letters.length < oneWrongFrom) return null
  const edits = letters.length < twoWrongFrom ? 1 : 2
  const near = Array.from(known).flatMap((name) => {
    const away = editDistance(letters, lettersOf(name), edits)
    return away > edits ? [] : [{ name, away }]
  })
  return near.sort((a, b) => a.away - b.away)[0]?.name ?? null
}

/** At most three, the closest first. */
export const similar = (id: string, known: Iterable<string>): ReadonlyArray<string> => {
  // Ids are short. A longer text is not a mistyped id.
  const wanted = cutText(id.toLowerCase(), 100)
  const words = wordsOf(wanted)
  return Array.from(known, (other) => ({
    other,
    likeness: Math.max(
      1 - editDistance(wanted, other, Infinity) / Math.max(1, wanted.length, other.length),
      shared(words, wordsOf(other))
    )
  }))
    .filter(({ likeness }) => likeness >= closeEnough)
    .sort((a, b) => b.likeness - a.likeness || (a.other < b.other ? -1 : 1))
    .slice(0, suggestionsMax)
    .map(({ other }) => other)
}
