/** What a provider wrote is shown on a terminal, and does not command it. */

/** Signs that would, in any text. The range above ASCII holds them too: U+009B begins a command as ESC [ does. */
// eslint-disable-next-line no-control-regex
const commanding = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

export const withoutCommands = (text: string): string => text.replace(commanding, "\ufffd")

/** JSON that says the same. It escapes the signs of ASCII by itself, but for the last one. */
export const jsonWithoutCommands = (json: string): string =>
  json.replace(/[\u007f-\u009f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)
