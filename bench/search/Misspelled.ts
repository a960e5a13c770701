// Questions as people type them in a hurry: in every third word of four letters and more, one typo of the commonest
// kinds. Seeded by the question, so that each run and each machine reads the same.
import { numbers } from "../catalog/Generated.js"
import type { BenchQuery } from "./Data.js"

const everyWord = /[A-Za-z]{4,}/g
const spacing = 3

/** Keys beside each letter on a keyboard. */
const neighbours: Readonly<Record<string, string>> = {
  q: "wa", w: "qes", e: "wrd", r: "etf", t: "ryg", y: "tuh", u: "yij", i: "uok", o: "ipl", p: "ol",
  a: "qsz", s: "awdx", d: "sefc", f: "drgv", g: "fthb", h: "gyjn", j: "hukm", k: "jil", l: "kop",
  z: "asx", x: "zsc", c: "xdv", v: "cfb", b: "vgn", n: "bhm", m: "njk"
} // prettier-ignore

const typos: ReadonlyArray<(word: string, at: number, share: number) => string> = [
  // Two letters change places. At the end of the word, the last two.
  (word, at) => {
    const from = Math.min(at, word.length - 2)
    return `${word.slice(0, from)}${word[from + 1]!}${word[from]!}${word.slice(from + 2)}`
  },
  // One is left out.
  (word, at) => word.slice(0, at) + word.slice(at + 1),
  // One is typed twice.
  (word, at) => word.slice(0, at + 1) + word.slice(at),
  // The key beside it is hit.
  (word, at, share) => {
    const letter = word[at]!
    const keys = neighbours[letter.toLowerCase()]!
    const key = keys[Math.floor(share * keys.length)]!
    return word.slice(0, at) + (letter === letter.toLowerCase() ? key : key.toUpperCase()) + word.slice(at + 1)
  }
]

/** The word with one typo; a swap of two equal letters is none, so it is drawn again. */
const mistyped = (word: string, next: () => number): string => {
  const typo = typos[Math.floor(next() * typos.length)]!
  const wrong = typo(word, Math.floor(next() * word.length), next())
  return wrong === word ? mistyped(word, next) : wrong
}

const seedOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** With which of the first three words the typos begin is drawn too: short questions get their share of them. */
export const misspelled = (query: BenchQuery): BenchQuery => {
  const next = numbers(seedOf(query.query))
  let until = Math.floor(next() * spacing)
  const text = query.query.replace(everyWord, (word) => {
    until -= 1
    if (until >= 0) return word
    until = spacing - 1
    return mistyped(word, next)
  })
  return { ...query, query: text }
}
