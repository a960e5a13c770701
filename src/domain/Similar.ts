// Ids and names of fields that look like a mistyped one: few edits away, or, of ids, made of the same words.
import { cutText } from "./Characters.js"
import { editDistance } from "./EditDistance.js"
import { oneOf } from "./OneOf.js"

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

/** How many letters of a word may be wrong for a typing error; of a very short one none. */
const wrongLettersMax = (word: string): number => (word.length < 3 ? 0 : word.length < 8 ? 1 : 2)

/**
 * The known id with the fewest wrong letters; null when none is so near. Ids of other lengths cost nothing, so 40,000
 * of them take some milliseconds.
 */
export const nearest = (
  written: string,
  known: Iterable<string>,
  lettersOf = (id: string): string => id
): string | null => {
  const letters = lettersOf(written)
  let found: string | null = null
  let allowed = wrongLettersMax(letters)
  for (const id of known) {
    const wrong = editDistance(letters, lettersOf(id), allowed)
    if (wrong > allowed) continue
    found = id
    allowed = wrong - 1
  }
  return found
}

/** A name of a field; a longer one, or one with odd characters, is no typing error. */
const plainName = /^[\p{L}\p{N}_. -]{1,40}$/u
const withoutMarks = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")

/** The name of a field that was meant by one that is not known, such as `first_name` by `fristName`; null for none. */
export const fieldMeant = (written: string, known: Iterable<string>): string | null =>
  plainName.test(written) ? nearest(written, known, withoutMarks) : null

/** What stands behind a message about a name that is not known: `; did you mean a, b or c?`, or nothing. */
export const didYouMean = (likely: ReadonlyArray<string>): string =>
  likely.length === 0 ? "" : `; did you mean ${oneOf(likely)}?`

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
