/**
 * Finds jobs by whole sentences. "What does stripe.com do" has no word that names a subject, and says a phrase of the
 * job of enriching a company all the same: "what does this company do", with a value in place of the noun.
 */
import type { ValueKind } from "../../../domain/JobValues.js"
import { fold } from "./Analyzer.js"
import { slotOf } from "./ValueWords.js"
import { functionWords, requestWords } from "./WordClasses.js"

/** What phrases call a value of each kind, the longest first. */
const nouns: ReadonlyArray<readonly [noun: string, kind: ValueKind]> = [
  ["email address", "email"],
  ["mail address", "email"],
  ["email", "email"],
  ["mailbox", "email"],
  ["domain name", "web"],
  ["domain", "web"],
  ["web page", "web"],
  ["website", "web"],
  ["site", "web"],
  ["page", "web"],
  ["url", "web"],
  ["link", "web"],
  ["company", "web"],
  ["ip address", "ip"],
  ["ip", "ip"],
  ["phone number", "phone"],
  ["number", "phone"],
  ["address", "street"],
  ["point", "point"],
  ["location", "point"]
]
const noun = new RegExp(`\\b(?:this|a|an|the) (${nouns.map(([name]) => name).join("|")})\\b`, "g")
const kindOfNoun = new Map(nouns)

const wordsOf = (text: string): ReadonlyArray<string> =>
  fold(text)
    .toLowerCase()
    .match(/\{[a-z]+\}|[\p{L}\p{N}']+/gu) ?? []

/** A phrase with one of its nouns as a slot, for each of them. */
const sentencesOf = (phrase: string): ReadonlyArray<string> => {
  const plain = wordsOf(phrase).join(" ")
  return Array.from(plain.matchAll(noun), (match) => {
    const kind = kindOfNoun.get(match[1] ?? "")
    return kind === undefined
      ? plain
      : `${plain.slice(0, match.index)}${slotOf(kind)}${plain.slice(match.index + match[0].length)}`
  })
}

/** A longer question says more than one of these. */
const mostWords = 12
const isAround = (word: string): boolean => functionWords.has(word) || requestWords.has(word)

export interface JobSentences {
  /** The jobs one of whose phrases the question is; words around a request may stand before and behind it. */
  readonly find: (slotted: string) => ReadonlyArray<string>
}

export const jobSentences = (phrases: Iterable<readonly [job: string, phrase: string]>): JobSentences => {
  const jobs = new Map<string, Set<string>>()
  for (const [job, phrase] of phrases)
    for (const sentence of sentencesOf(phrase)) jobs.set(sentence, (jobs.get(sentence) ?? new Set()).add(job))
  return {
    find: (slotted) => {
      const words = slotted === "" ? [] : wordsOf(slotted)
      if (words.length > mostWords) return []
      for (let length = words.length; length > 1; length -= 1)
        for (let at = 0; at + length <= words.length; at += 1) {
          const found = jobs.get(words.slice(at, at + length).join(" "))
          if (
            found !== undefined &&
            words.every((word, place) => (place >= at && place < at + length) || isAround(word))
          )
            return Array.from(found)
        }
      return []
    }
  }
}
