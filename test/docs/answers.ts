/** Whether a page shows what really comes: shortened as it likes, but with no field and no value that is not there. */

const opening = { "{": "}", "[": "]" } as const

/** The JSON documents in a text, one behind the other with anything between them. */
export const documentsOf = (text: string): ReadonlyArray<unknown> => {
  const documents: Array<unknown> = []
  let rest = text
  for (let start = rest.search(/[{[]/); start >= 0; start = rest.search(/[{[]/)) {
    let depth = 0
    let inString = false
    let end = start
    for (; end < rest.length; end += 1) {
      const sign = rest[end]
      if (inString) {
        if (sign === "\\") end += 1
        else if (sign === '"') inString = false
      } else if (sign === '"') inString = true
      else if (sign !== undefined && sign in opening) depth += 1
      else if ((sign === "}" || sign === "]") && --depth === 0) break
    }
    documents.push(JSON.parse(rest.slice(start, end + 1)))
    rest = rest.slice(end + 1)
  }
  return documents
}

/** What differs from one gateway to the next stands as its kind: ids, tokens, times, codes that a person compares. */
const plain = (text: string): string =>
  text
    .replaceAll(/\b(run|rcp|ws|tok|req|apr|con|led)_[0-9a-z]{26}\b/g, "$1_ID")
    .replaceAll(/\bpgw_[\w-]{20,}/g, "pgw_SECRET")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b[0-9a-f]{32,64}\b/g, "DIGEST")
    .replaceAll(/\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/g, "CODE")

/** `…` on a page stands for anything. */
export const sameText = (shown: string, real: string): boolean => {
  const parts = plain(shown)
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(`^${parts.join(".*")}$`, "s").test(plain(real))
}

/** Members whose numbers depend on the machine. */
const measured = new Set(["latencyMs"])

/** Where the shown value says something else than the real one; null where it does not. */
export const difference = (shown: unknown, real: unknown, path = ""): string | null => {
  const told = `${path}: the page shows ${JSON.stringify(shown)}, the gateway answers ${JSON.stringify(real)}`
  if (typeof shown === "string") return typeof real === "string" && sameText(shown, real) ? null : told
  if (Array.isArray(shown)) {
    if (!Array.isArray(real)) return told
    return shown.reduce<string | null>(
      (found, item, at) => found ?? difference(item, real[at], `${path}[${at}]`),
      shown.length === 0 && real.length > 0 ? told : null
    )
  }
  if (typeof shown === "object" && shown !== null) {
    if (typeof real !== "object" || real === null) return told
    return Object.entries(shown).reduce<string | null>((found, [name, value]) => {
      if (found !== null) return found
      if (!Object.hasOwn(real, name)) return `${path}.${name}: the gateway answers no such member`
      const there: unknown = Object.getOwnPropertyDescriptor(real, name)?.value
      return measured.has(name) && typeof value === typeof there ? null : difference(value, there, `${path}.${name}`)
    }, null)
  }
  return shown === real ? null : told
}

/** The first shown line that does not come, each behind the one before. */
export const missingLine = (shown: string, real: string): string | undefined => {
  const lines = real.split("\n")
  return shown
    .trim()
    .split("\n")
    .find((line) => {
      const at = lines.findIndex((each) => sameText(line.trimEnd(), each.trimEnd()))
      lines.splice(0, at + 1)
      return at < 0
    })
}
