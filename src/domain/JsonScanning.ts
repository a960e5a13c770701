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
