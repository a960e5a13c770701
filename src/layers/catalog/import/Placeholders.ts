/**
 * The signs by which documentation says that something else stands here: `<token>`, `{id}`, `{{id}}`, `$ID`, `${ID}`,
 * `$(command)`, `%ID%`, `YOUR_API_KEY`. Such a text is no value of an example.
 */

const signs =
  /\$\([^)]*\)|\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*|<{1,2}[A-Za-z][\w .:/-]*>{1,2}|\{{1,2}\s*[A-Za-z][\w .-]*\s*\}{1,2}|%[A-Z][A-Z0-9_]*%|(?<![\w-])(?:YOUR|MY)[-_]?[A-Z0-9][A-Z0-9_-]*|(?<![\w-])(?:your|my)[-_][\w-]+|(?<![\w-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w-])/
const anywhere = new RegExp(signs, "g")
const whole = new RegExp(`^(?:${signs.source})$`)
/** Written in place of a secret. */
const hidden = /^(?:[xX*.•…-]{3,}|\.\.\.|…)$/

export const isPlaceholder = (text: string): boolean => whole.test(text.trim()) || hidden.test(text.trim())

/** The parts of a text in order: what stands there, and the placeholders. */
export const partsOf = (text: string): ReadonlyArray<{ readonly text: string; readonly isPlaceholder: boolean }> => {
  const parts: Array<{ readonly text: string; readonly isPlaceholder: boolean }> = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(anywhere)) {
    if (index > end) parts.push({ text: text.slice(end, index), isPlaceholder: false })
    parts.push({ text: found, isPlaceholder: true })
    end = index + found.length
  }
  return end < text.length ? [...parts, { text: text.slice(end), isPlaceholder: false }] : parts
}

/** A name for what a placeholder stands for, such as `account_id` for `YOUR_ACCOUNT_ID`. */
export const nameOf = (placeholder: string): string => {
  const words = placeholder
    .replace(/^\$\([^)]*\)$/, "value")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .replace(/^(?:your|my|the)_?(?=[a-z])/, "")
  return /^[a-z]/.test(words) ? words : `value_${words}`.replace(/_$/, "")
}

/** Whether a placeholder stands for a key. */
export const namesKey = (text: string): boolean =>
  /(?:^|[^a-z])(?:api_?)?(?:key|token|secret|password|credential)s?(?:[^a-z]|$)/i.test(nameOf(text))
