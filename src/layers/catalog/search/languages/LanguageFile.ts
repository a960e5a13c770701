/**
 * The vocabulary of one language, `catalog/vocabulary/<language>.yaml`: the words of the trades in that language, and
 * the English words that the catalog uses for them. It describes a language and never a provider.
 */
import { Schema } from "effect"

/** Words with blanks or line breaks between them. */
const WordList = Schema.optionalWith(Schema.String, { default: () => "" })

export const LanguageFile = Schema.Struct({
  /** The code of the language, such as de. */
  language: Schema.String,
  name: Schema.String,
  /** True when the language is written without blanks between words. */
  unspaced: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  /** Letters that are written in two ways: each key is read as its value, in this file and in questions. */
  spellings: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) }),
  /** Endings that a word may have or lack. The longest that leaves four letters is taken off. */
  endings: WordList,
  /** What may stand between the parts of a compound, `-` for nothing. Without it words are not split. */
  compounds: WordList,
  /** Words without a subject. They show which language a question is in, and are not searched for. */
  drop: WordList,
  /** Words of this file that are English words too, so that they do not show the language. */
  alsoEnglish: WordList,
  /** For words or a phrase of English, the words and phrases of this language that mean it. */
  words: Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) })
})
export type LanguageFile = typeof LanguageFile.Type

export const wordsIn = (list: string): ReadonlyArray<string> => list.split(/\s+/).filter((word) => word !== "")

/** Reads letters that are written in two ways as one of them. */
export const speller = ({ spellings }: LanguageFile): ((text: string) => string) => {
  const read = new Map(Object.entries(spellings).map(([way, as]) => [way.normalize("NFC"), as.normalize("NFC")]))
  const ways = Array.from(read.keys())
  if (ways.length === 0) return (text) => text
  const found = new RegExp(ways.toSorted((a, b) => b.length - a.length).join("|"), "g")
  return (text) => text.replace(found, (way) => read.get(way) ?? way)
}
