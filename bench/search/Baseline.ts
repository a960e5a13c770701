// The version before: what a recorded version of this search answered to each question of each set, as gains, in
// bench/search/baseline.json. It holds no text of a question and no id of an operation. `--record` writes it.
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { BenchQuery } from "./Data.js"
import type { Gains } from "./Metrics.js"

const file = "bench/search/baseline.json"

interface Recorded {
  /** Of the operations, the questions and their labels: other ones cannot be compared. */
  readonly fingerprint: string
  /** One word for each question: a digit for each answer up to the last with a label, `-` when none has one. */
  readonly gains: string
}

export type Baseline = Readonly<Record<string, Recorded>>

export const readBaseline = (): Baseline =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Baseline) : {}

export const fingerprintOf = (lines: ReadonlyArray<string>, queries: ReadonlyArray<BenchQuery>): string => {
  const hash = createHash("sha256")
  for (const line of lines) hash.update(line)
  for (const { query, relevant } of queries) hash.update(JSON.stringify([query, ...relevant]))
  return hash.digest("hex").slice(0, 12)
}

const wordOf = (gains: Gains): string => gains.join("").replace(/0+$/, "") || "-"
const gainsOfWord = (word: string): Gains => (word === "-" ? [] : Array.from(word, Number))

export const recordOf = (fingerprint: string, gains: ReadonlyArray<Gains>): Recorded => ({
  fingerprint,
  gains: gains.map(wordOf).join(" ")
})

/** What was recorded of a set; nothing when it is new or has changed since. */
export const recordedGains = (
  baseline: Baseline,
  set: string,
  fingerprint: string
): ReadonlyArray<Gains> | undefined => {
  const recorded = baseline[set]
  return recorded?.fingerprint === fingerprint ? recorded.gains.split(" ").map(gainsOfWord) : undefined
}

/** Adds or replaces the given sets and keeps the others. */
export const record = (fresh: Baseline): void => {
  const all = Object.entries({ ...readBaseline(), ...fresh }).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}
