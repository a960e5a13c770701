/** The spellings in which a text is looked for where it must not be. */
export const spellingsOf = (text: string): ReadonlyArray<string> => {
  const percent = encodeURIComponent(text)
  const base64 = [0, 1, 2].map((before) => {
    const whole = Buffer.from(`${"x".repeat(before)}${text}`).toString("base64")
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6))
  })
  return [
    ...new Set([
      text,
      JSON.stringify(text).slice(1, -1),
      text.replaceAll("/", "\\/"),
      percent,
      percent.toLowerCase(),
      ...base64,
      ...base64.map((each) => each.replaceAll("+", "-").replaceAll("/", "_")),
      Buffer.from(text).toString("hex"),
      Buffer.from(text, "utf16le").toString("latin1"),
      Array.from(text, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
    ])
  ]
}
