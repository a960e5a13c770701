/** The signs of JSON as character codes, and where its strings end, for code that walks over a text. */

export const quote = 0x22
export const backslash = 0x5c
export const comma = 0x2c
export const colon = 0x3a
export const opensObject = 0x7b
export const closesObject = 0x7d
export const opensList = 0x5b
export const closesList = 0x5d

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** The index of the quote that ends the string whose first quote is at `start`; the text's length when none does. */
export const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((at - before) % 2 === 1) return at
  }
  return text.length
}

const otherThanBlank = /[^ \t\n\r]/g

/** The index of the last blank of those that begin at `start`. An indented text is mostly blanks. */
export const lastBlank = (text: string, start: number): number => {
  // Most stand alone or in small numbers, and to begin a search takes as long as to look at some.
  for (let at = start + 1; at < start + 8; at++) if (!isBlank(text.charCodeAt(at))) return at - 1
  otherThanBlank.lastIndex = start + 8
  const found = otherThanBlank.exec(text)
  return (found === null ? text.length : found.index) - 1
}
