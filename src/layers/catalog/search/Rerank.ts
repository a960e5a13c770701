// A second look at the best rows, at what a sum over terms cannot see: how much of an operation's name the query says,
// whether words that stand together in the query stand together in the text, how near the meaning of both is, whether
// its provider is the one among these rows that speaks most of the subject, and how short the name is.
import type { IndexData } from "./IndexData.js"
import { isNameToken, isParameterNameToken, isProse, termOf } from "./OperationTexts.js"
import { f32, f64, u32 } from "../../node/IntegerArrays.js"
import { impactOf } from "./Postings.js"
import type { Nearness } from "./Meaning.js"
import type { SearchClause } from "./QueryTerms.js"
import type { Tuning } from "./Tuning.js"

/**
 * Puts a row among the `count` before it, which are in order: the higher score first, and of equal ones the lower row.
 */
const insert = (rows: Array<number>, scores: Array<number>, count: number, row: number, score: number): void => {
  let at = count
  for (; at > 0; at -= 1) {
    const before = scores[at - 1] ?? 0
    const rowBefore = rows[at - 1] ?? 0
    if (before > score || (before === score && rowBefore < row)) break
    scores[at] = before
    rows[at] = rowBefore
  }
  rows[at] = row
  scores[at] = score
}

/** What the rows are compared with. */
export interface Asked {
  readonly clauses: ReadonlyArray<SearchClause>
  /** Stems of the words around the request. */
  readonly wrapping: ReadonlySet<string>
  /** Null when meanings are not compared. */
  readonly nearness: Nearness | null
  /** Of each provider, its own score for the query. */
  readonly providerScores: Float32Array
  /** What the score of a row is multiplied by, because of what its job is about; 1 where there is nothing. */
  readonly fit: ReadonlyMap<number, number>
}

export class Reranker {
  /** Of each term, its rarity times the trust in it as an answer to the query, 0 to 1; all 0 between queries. */
  private readonly said: Float64Array
  /** Of each term a bit: whether the query says it. Most are not said, and so small an array stays in the cache. */
  private readonly saidBits: Uint32Array
  /** Nobody reads it. Without it, the engine would leave out the reading ahead, whose result has no other use. */
  protected fetched = 0
  constructor(
    private readonly data: IndexData,
    private readonly tuning: Tuning
  ) {
    this.said = new Float64Array(data.termTexts.length)
    this.saidBits = new Uint32Array(Math.ceil(data.termTexts.length / 32))
  }

  /**
   * Raises the scores of the best rows, each at the place of its row, and brings these rows into the new order; the
   * others stay.
   */
  raise(
    rows: Array<number>,
    scores: Array<number>,
    { clauses, fit: fitting, nearness, providerScores, wrapping }: Asked
  ): void {
    const used: Array<number> = []
    let ownWords = 0
    const pairs = new Set<number>()
    const termCount = this.data.rarity.length
    for (const { words } of clauses) {
      let before = -1
      for (const word of words) {
        for (const { term, weight } of word.alternatives) {
          const rarity = f32(this.data.rarity, term)
          const said = rarity * Math.min(1, weight / Math.max(0.1, rarity))
          if (said > f64(this.said, term)) this.said[term] = said
          this.saidBits[term >>> 5] = u32(this.saidBits, term >>> 5) | (1 << (term & 31))
          used.push(term)
        }
        if (word.said > 0) ownWords += 1
        const own = word.said > 0 ? (word.alternatives[0]?.term ?? -1) : -1
        if (own >= 0 && before >= 0 && own !== before) pairs.add(before * termCount + own)
        if (own >= 0) before = own
      }
    }
    const count = Math.min(rows.length, this.tuning.rerank)
    const around = [...wrapping].map((stem) => this.data.terms.get(stem)).filter((term) => term !== undefined)
    const { providerOf } = this.data
    let best = 0
    let bestProvider = 0
    this.fetch(rows, count)
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0
      bestProvider = Math.max(bestProvider, f32(providerScores, u32(providerOf, row)))
      const said = (scores[at] ?? 0) + this.wrapped(row, around)
      const score = said * (1 + this.gain(row)) + this.closeness(row, pairs)
      scores[at] = score
      if (score > best) best = score
    }
    const { meaning, meaningWords, providerFit } = this.tuning
    const meant = meaning * Math.min(1, meaningWords / Math.max(1, ownWords))
    const fit = bestProvider === 0 ? 0 : providerFit / bestProvider
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0
      const share =
        (nearness === null ? 0 : meant * nearness(row)) +
        fit * f32(providerScores, u32(providerOf, row)) +
        this.shortness(row)
      insert(rows, scores, at, row, ((scores[at] ?? 0) + best * share) * (fitting.get(row) ?? 1))
    }
    for (const term of used) {
      this.said[term] = 0
      this.saidBits[term >>> 5] = 0
    }
  }

  /** Texts are far apart in memory. Asked for one after the other, each would be waited for. */
  private fetch(rows: ReadonlyArray<number>, count: number): void {
    const { texts } = this.data
    let fetched = 0
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0
      fetched ^= u32(texts.items, texts.startOf(row)) ^ u32(texts.items, texts.parametersOf(row))
    }
    this.fetched = fetched
  }

  private isSaid(term: number): boolean {
    return ((u32(this.saidBits, term >>> 5) >>> (term & 31)) & 1) === 1
  }

  /** Of two names that fit equally well the shorter one is meant: a long one says more than was asked for. */
  private shortness(row: number): number {
    const { shortName, shortNameWords } = this.tuning
    const { texts } = this.data
    const start = texts.startOf(row)
    const end = Math.min(texts.endOf(row), start + shortNameWords)
    let at = start
    while (at < end && isNameToken(u32(texts.items, at))) at += 1
    return shortName * Math.log((1 + shortNameWords) / (1 + at - start))
  }

  /** What words around the request would add if they named its subject, toned down. */
  private wrapped(row: number, terms: ReadonlyArray<number>): number {
    let sum = 0
    for (const term of terms) sum += f32(this.data.rarity, term) * impactOf(this.data.operations, term, row)
    return this.tuning.wrapping * sum
  }

  /**
   * How much of an operation's name, and of the names of its parameters, the query says: of each the share of its
   * words, rare words counting more.
   */
  private gain(row: number): number {
    const { texts } = this.data
    const { items } = texts
    const end = texts.endOf(row)
    let nameSaid = 0
    for (let at = texts.startOf(row); at < end; at += 1) {
      const token = u32(items, at)
      if (!isNameToken(token)) break
      if (this.isSaid(termOf(token))) nameSaid += f64(this.said, termOf(token))
    }
    let parametersSaid = 0
    for (let at = texts.parametersOf(row); at < end; at += 1) {
      const token = u32(items, at)
      if (!isParameterNameToken(token)) break
      if (this.isSaid(termOf(token))) parametersSaid += f64(this.said, termOf(token))
    }
    const { nameCoverage, parameterCoverage } = this.tuning
    return (
      (nameSaid > 0 ? nameCoverage * (nameSaid / texts.nameRarityOf(row)) : 0) +
      (parametersSaid > 0 ? parameterCoverage * (parametersSaid / texts.parameterRarityOf(row)) : 0)
    )
  }

  private closeness(row: number, pairs: ReadonlySet<number>): number {
    if (this.tuning.proximity === 0 || pairs.size === 0) return 0
    const { texts } = this.data
    const termCount = this.data.rarity.length
    let sum = 0
    let before = -1
    // Few at most, and mostly none.
    const seen: Array<number> = []
    const end = texts.endOf(row)
    for (let at = texts.startOf(row); at < end; at += 1) {
      const token = u32(texts.items, at)
      if (!isProse(token)) break
      const term = termOf(token)
      if (!this.isSaid(term)) {
        before = -1
        continue
      }
      const pair = before * termCount + term
      if (before >= 0 && pairs.has(pair) && !seen.includes(pair)) {
        seen.push(pair)
        sum += Math.min(f32(this.data.rarity, before), f32(this.data.rarity, term))
      }
      before = term
    }
    return this.tuning.proximity * sum
  }
}
