/**
 * Cuts texts to a length without leaving half a character. Half of a surrogate pair is not valid text: Postgres and
 * most readers refuse it.
 */

/**
 * For a character class of a pattern: signs that turn the direction of the text after them. With one in it, a name
 * reads as another.
 */
export const directionSigns = "\\u202a-\\u202e\\u2066-\\u2069"

/** For a character class of a pattern with the flag `u`: what cannot be printed on one line. */
export const notOnOneLine = "\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}"

/** The text without what shows nothing, such as a space of no width: texts that differ in it alone look the same. */
export const withoutInvisible = (text: string): string => text.replace(/\p{Default_Ignorable_Code_Point}+/gu, "")

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isSecondHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** At most `unitsMax` UTF-16 units of the text, and one fewer where the cut would go through a character. */
export const cutText = (text: string, unitsMax: number): string => {
  if (text.length <= unitsMax) return text
  const parts = unitsMax > 0 && isFirstHalf(text.charCodeAt(unitsMax - 1)) && isSecondHalf(text.charCodeAt(unitsMax))
  return text.slice(0, parts ? unitsMax - 1 : unitsMax)
}

/** Whether a text holds no half of a surrogate pair, so that it can stand in an address. */
export const isWellFormed = (text: string): boolean => text.isWellFormed()

/**
 * The text with half characters and NUL replaced, for places that take valid text only: messages and columns. Results
 * are kept unchanged.
 */
export const wellFormed = (text: string): string =>
  (text.includes("\u0000") ? text.replaceAll("\u0000", "\ufffd") : text).toWellFormed()

/** How many characters people and JSON Schema count: code points, and not the halves of those that take two units. */
export const characterCount = (text: string): number => [...text].length
