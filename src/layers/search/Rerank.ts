// A second look at the best rows, at what a sum over terms cannot see: how much of an operation's name the query says,
// and whether words that stand together in the query stand together in the text.
import { type IndexData, isNameToken, isProse, termOf } from "./IndexData.js"
import { f32, u32 } from "./Numbers.js"
import type { SearchClause } from "./Resolve.js"
import { byScore, type Candidate } from "./TopRows.js"
import type { Tuning } from "./Tuning.js"

export class Reranker {
  /** Trust in a term as an answer to the query, 0 to 1; all 0 between queries. */
  private readonly trust: Float32Array
  constructor(private readonly data: IndexData, private readonly tuning: Tuning) {
    this.trust = new Float32Array(data.termTexts.length)
  }

  /** The candidates with raised scores, best first. */
  raise(candidates: ReadonlyArray<Candidate>, clauses: ReadonlyArray<SearchClause>): Array<Candidate> {
    const used: Array<number> = []
    const pairs = new Set<number>()
    const termCount = this.data.rarity.length
    for (const { words } of clauses) {
      let before = -1
      for (const word of words) {
        for (const { term, weight } of word.alternatives) {
          const trust = Math.min(1, weight / Math.max(0.1, f32(this.data.rarity, term)))
          if (trust > f32(this.trust, term)) this.trust[term] = trust
          used.push(term)
        }
        const own = word.own ? word.alternatives[0]?.term ?? -1 : -1
        if (own >= 0 && before >= 0 && own !== before) pairs.add(before * termCount + own)
        if (own >= 0) before = own
      }
    }
    const raised = candidates.map(({ doc, score }) => ({ doc, score: score * (1 + this.gain(doc)) + this.closeness(doc, pairs) }))
    for (const term of used) this.trust[term] = 0
    return raised.sort(byScore)
  }

  private gain(row: number): number {
    const { tokens } = this.data
    let name = 0
    let found = 0
    const end = u32(tokens.start, row + 1)
    for (let at = u32(tokens.start, row); at < end; at += 1) {
      const token = u32(tokens.items, at)
      if (!isNameToken(token)) break
      const term = termOf(token)
      const rarity = f32(this.data.rarity, term)
      name += rarity
      found += rarity * f32(this.trust, term)
    }
    return name > 0 ? (this.tuning.nameCoverage * found) / name : 0
  }

  private closeness(row: number, pairs: ReadonlySet<number>): number {
    if (this.tuning.proximity === 0 || pairs.size === 0) return 0
    const { tokens } = this.data
    const termCount = this.data.rarity.length
    let sum = 0
    let before = -1
    const seen = new Set<number>()
    const end = u32(tokens.start, row + 1)
    for (let at = u32(tokens.start, row); at < end; at += 1) {
      const token = u32(tokens.items, at)
      if (!isProse(token)) break
      const term = termOf(token)
      if (f32(this.trust, term) === 0) {
        before = -1
        continue
      }
      const pair = before * termCount + term
      if (before >= 0 && pairs.has(pair) && !seen.has(pair)) {
        seen.add(pair)
        sum += Math.min(f32(this.data.rarity, before), f32(this.data.rarity, term))
      }
      before = term
    }
    return this.tuning.proximity * sum
  }
}
