/**
 * Texts cut to a length without leaving half a character: half of a surrogate pair is no text, and neither Postgres nor
 * most readers take it.
 */

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isSecondHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** At most `unitsMax` UTF-16 units of the text, and one fewer where the cut would go through a character. */
export const cutText = (text: string, unitsMax: number): string => {
  if (text.length <= unitsMax) return text
  const parts = unitsMax > 0 && isFirstHalf(text.charCodeAt(unitsMax - 1)) && isSecondHalf(text.charCodeAt(unitsMax))
  return text.slice(0, parts ? unitsMax - 1 : unitsMax)
}

/**
 * The text with half characters and NUL replaced, for where only text may stand: messages and columns. Results keep
 * theirs.
 */
export const wellFormed = (text: string): string =>
  (text.includes("\u0000") ? text.replaceAll("\u0000", "\ufffd") : text).toWellFormed()
