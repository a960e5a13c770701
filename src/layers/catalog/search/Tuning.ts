// The numbers of the ranking, in one place. Most stand on a plateau: halving or doubling one changes little on any
// benchmark (bench/search/README.md), which is the best sign that it holds on other catalogs too. The weights of
// parameters are a compromise between the benchmarks: more of them helps people who restate an operation's parameters,
// and harms those who ask a catalog in which the operation that they mean declares none.
import type { FieldName, FieldTuning } from "./SearchDocument.js"

export interface Tuning {
  readonly fields: Readonly<Record<FieldName, FieldTuning>>
  /** Saturation of term frequency. */
  readonly k1: number
  /** Share of the best score added to the best of a clause. */
  readonly bestClause: number
  /** Share of the provider's own score added to each of its operations. */
  readonly provider: number
  /** Weight of words that many operations have, and of bare numbers. */
  readonly weakWord: number
  readonly number: number
  /** Weight of words around the request ("please recommend"), which find nothing by themselves. */
  readonly wrapping: number
  /** Weight of a later repeat of a word. */
  readonly repeat: number
  /** Trust in a word that means the same, and in one that is merely related. */
  readonly synonym: number
  readonly related: number
  /** Factor on the expansions of a word that the catalog itself uses. */
  readonly knownWord: number
  /** Queries of more subject words need less expansion: factor (shortQuery / words) squared beyond this many. */
  readonly shortQuery: number
  /** Factor on an expansion that another word brought already, and on one that the query says itself. */
  readonly repeatedExpansion: number
  readonly saidExpansion: number
  /** Weight of the parts of a compound whose whole is known, and of two neighbours joined. */
  readonly compoundPart: number
  readonly joined: number
  /** How many of the best are looked at again, and what the second look adds. */
  readonly rerank: number
  /**
   * Share of the best score added to a row whose meaning is that of the query, and the number of subject words up to
   * which it is added in full: beyond, factor meaningWords / words, because long queries say enough themselves.
   */
  readonly meaning: number
  readonly meaningWords: number
  /** Share of the best score added to a row of the provider with the best score, to others in proportion. */
  readonly providerFit: number
  /** Share of the best score added for a short name, times the logarithm of how much shorter than so many words. */
  readonly shortName: number
  readonly shortNameWords: number
  readonly nameCoverage: number
  readonly parameterCoverage: number
  readonly proximity: number
  /**
   * Share of the best score given to operations of a job that the query asks for, and the number of subject words up to
   * which it is given in full: beyond, factor capabilityWords / words, because a long query says a phrase by chance.
   */
  readonly capability: number
  readonly capabilityWords: number
  /** The same for a job that takes a value of the query. */
  readonly valueCapability: number
  /** Factor of the score of a row whose job takes a value of the query, and of one that has no use for any. */
  readonly takesValue: number
  readonly noValue: number
}

export const defaultTuning: Tuning = {
  fields: {
    name: { weight: 3, lengthNorm: 0.5 },
    provider: { weight: 1.6, lengthNorm: 0.5 },
    description: { weight: 1, lengthNorm: 0.7 },
    capability: { weight: 3, lengthNorm: 0.3 },
    category: { weight: 0.6, lengthNorm: 0.5 },
    parameterNames: { weight: 1.2, lengthNorm: 0.7 },
    parameterTexts: { weight: 0.75, lengthNorm: 0.7 },
    path: { weight: 0.2, lengthNorm: 0.7 },
    asking: { weight: 0.4, lengthNorm: 0.5 }
  },
  k1: 1.2,
  bestClause: 0.4,
  provider: 0.25,
  weakWord: 0.8,
  number: 0.3,
  wrapping: 0.6,
  repeat: 0.3,
  synonym: 0.7,
  related: 0.6,
  knownWord: 0.7,
  shortQuery: 10,
  repeatedExpansion: 0.6,
  saidExpansion: 0.3,
  compoundPart: 0.4,
  joined: 0.35,
  rerank: 100,
  meaning: 0.85,
  meaningWords: 5,
  providerFit: 0.1,
  shortName: 0.03,
  shortNameWords: 8,
  nameCoverage: 0.15,
  parameterCoverage: 0.35,
  proximity: 0.7,
  capability: 0.35,
  capabilityWords: 3,
  valueCapability: 1,
  takesValue: 1.15,
  noValue: 0.75
}
