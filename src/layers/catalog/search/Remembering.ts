/**
 * A pure function of short texts that remembers its answers: words repeat from question to question. What it keeps is
 * bounded, whatever is asked: the answers for the texts seen last, between `textsMax` and twice as many. A long text is
 * worked out anew each time.
 */
const textsMax = 5_000
const longest = 40

/** Shorter parts of a text have memory of their own: V8 copies them. */
const ownMemory = 13

/** The same text in memory of its own: a part of a question would keep the whole question. */
const detached = (text: string): string =>
  text.length < ownMemory ? text : Buffer.from(text, "utf16le").toString("utf16le")

export const remembering = <A>(of: (text: string) => A): ((text: string) => A) => {
  let recent = new Map<string, A>()
  let before = new Map<string, A>()
  return (text) => {
    const known = recent.get(text)
    if (known !== undefined) return known
    if (text.length > longest) return of(text)
    const own = detached(text)
    const answer = before.get(text) ?? of(own)
    if (recent.size >= textsMax) {
      before = recent
      recent = new Map()
    }
    recent.set(own, answer)
    return answer
  }
}
