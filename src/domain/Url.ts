/**
 * Reads an address. It does not ask `URL.canParse`, and nothing else in these sources does: Node 20 answers false for
 * `http://münchen.de/` from the moment when the caller is optimised, which is after some thousand calls.
 */
export const readUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** The same of an address that may be relative to `base`. */
export const readUrlFrom = (base: string, text: string): URL | null => {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
