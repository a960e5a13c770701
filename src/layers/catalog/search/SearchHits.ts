// What a search found, best first, as numbers: hundreds are ranked and kept for the next page, and few are shown.

/**
 * How a hit came about: by the words asked for, by the job they describe, or by single stems, relations and guesses.
 */
export type MatchedBy = "text" | "capability" | "tokens"

export interface SearchHit {
  /** The position of the document in the list the index was built from. */
  readonly doc: number
  readonly score: number
  readonly matchedBy: MatchedBy
}

/** Judges each document once: answers are kept, and shown again. */
export const judgedOnce = (judge: (doc: number) => MatchedBy): ((doc: number) => MatchedBy) => {
  const judged = new Map<number, MatchedBy>()
  return (doc) => {
    const known = judged.get(doc)
    if (known !== undefined) return known
    const found = judge(doc)
    judged.set(doc, found)
    return found
  }
}

export class SearchHits {
  readonly #judge: (doc: number) => MatchedBy
  /** The score of each document stands at the same place; how a document matched is found out when it is shown. */
  constructor(
    readonly docs: ReadonlyArray<number>,
    private readonly scores: ReadonlyArray<number>,
    judge: (doc: number) => MatchedBy
  ) {
    this.#judge = judge
  }

  static readonly none: SearchHits = new SearchHits([], [], () => "tokens")

  get length(): number {
    return this.docs.length
  }

  slice(from: number, to: number = this.length): ReadonlyArray<SearchHit> {
    return this.docs
      .slice(from, to)
      .map((doc, at) => ({ doc, score: this.scores[from + at] ?? 0, matchedBy: this.#judge(doc) }))
  }

  /** The same hits with `raise` of the best score added to each of the first `count`, which are put in order again. */
  raised(count: number, raise: (doc: number) => number): SearchHits {
    const best = this.scores[0] ?? 0
    const scores = this.scores.map((score, at) => (at < count ? score + best * raise(this.docs[at] ?? 0) : score))
    const places = scores.map((_, at) => at)
    const scoreOf = (place: number): number => scores[place] ?? 0
    const order = [...places.slice(0, count).sort((a, b) => scoreOf(b) - scoreOf(a) || a - b), ...places.slice(count)]
    return new SearchHits(this.docs, scores, this.#judge).inOrder(order)
  }

  /** The same hits in another order: places of this list. */
  inOrder(places: ReadonlyArray<number>): SearchHits {
    return new SearchHits(
      places.map((place) => this.docs[place] ?? 0),
      places.map((place) => this.scores[place] ?? 0),
      this.#judge
    )
  }
}
