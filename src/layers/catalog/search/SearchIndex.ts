// The search over one catalog revision, in memory. It ranks operations by relevance only: prices, jobs and preferences
// are ordered by the catalog. Deterministic: the same documents, vocabulary and query give the same answer.
import type { Effect } from "effect"
import { type JobValues, valueFit, type ValueKind } from "../../../domain/JobValues.js"
import { runInSlices } from "../../../services/Slices.js"
import { Analyzer, fold, stemOf } from "./Analyzer.js"
import type { SearchDocuments } from "./SearchDocument.js"
import { buildSteps, type IndexData } from "./IndexData.js"
import { type JobFinder, jobFinder, type JobMatch, type Said } from "./JobRecognition.js"
import { Meanings } from "./Meaning.js"
import { documentFrequency, impactOf } from "./Postings.js"
import { clausesOf, correctedText, type QueryClause } from "./QueryText.js"
import { Reranker } from "./Rerank.js"
import { resolve, type Resolver, type SearchClause } from "./QueryTerms.js"
import { Scorer } from "./Scoring.js"
import { englishOnly, type Languages, type Translation } from "./languages/Languages.js"
import { judgedOnce, type MatchedBy, SearchHits } from "./SearchHits.js"
import { buildSpelling, type Spelling, spellingWords } from "./Spelling.js"
import { TopKSelector } from "./TopKSelection.js"
import { defaultTuning, type Tuning } from "./Tuning.js"
import { type QueryValues, valuesOf } from "./ValueWords.js"
import { compileSteps, dictionaryOf, type SearchVocabulary, type Vocabulary } from "./Vocabulary.js"
import { functionWords, requestWords, weakWords } from "./WordClasses.js"
import type { WordTable } from "./WordTable.js"

export interface SearchOptions {
  /** How many hits to give, from `offset` (default 0) on. */
  readonly limit: number
  readonly offset?: number
  readonly filter?: (doc: number) => boolean
}

export interface SearchAnswer {
  /** Best first; equal scores in document order. */
  readonly hits: SearchHits
  /** All matches that pass the filter. */
  readonly total: number
  /** Jobs the query asks for, the clearest first, whether or not the catalog has operations for them. */
  readonly expandedCapabilities: ReadonlyArray<string>
}

const textShare = 0.5
/** A word that more operations than these say is English, whatever it means in another language. */
const commonFrom = 2
const commonShare = 0.001
const sameTrust = 0.95
const relatedTrust = 0.6

/** What the index knows of words: the compiled vocabulary, words of English, other languages, and what words mean. */
interface Words {
  readonly vocabulary: Vocabulary
  readonly jobValues: ReadonlyMap<string, JobValues>
  readonly english: ReadonlySet<string>
  readonly languages: Languages
  readonly wordTable: WordTable | null
  readonly meanings: Meanings | null
}

/** Words that are read as they stand: those of the catalog, the vocabulary and the word table, and of requests. */
const isKnownIn =
  (data: IndexData, analyzer: Analyzer, { english, vocabulary, wordTable }: Words) =>
  (word: string): boolean => {
    if (english.has(word)) return true
    const { parts, whole } = analyzer.read(word)
    const stem = parts.length === 1 ? parts[0] : (whole ?? undefined)
    if (stem === undefined || parts.length > 1 || data.terms.has(stem) || vocabulary.expansions.has(stem)) return true
    return wordTable !== null && wordTable.find(stem) >= 0
  }

export class SearchIndex {
  private readonly resolver: Resolver
  private readonly scorer: Scorer
  private readonly providerScorer: Scorer
  private readonly topRows: TopKSelector
  private readonly reranker: Reranker
  private readonly jobs: JobFinder
  /** By the kinds of values. */
  private readonly fits = new Map<string, ReadonlyMap<number, number>>()
  /** What the ids of the jobs begin with, such as `youtube`. */
  private readonly networks: ReadonlySet<string>
  private constructor(
    private readonly data: IndexData,
    private readonly analyzer: Analyzer,
    private readonly words: Words,
    private readonly spelling: Spelling,
    private readonly tuning: Tuning
  ) {
    const { jobValues, vocabulary } = words
    this.networks = new Set(Array.from(data.capabilities.keys(), (id) => id.slice(0, id.indexOf("."))))
    this.resolver = { data, vocabulary, tuning }
    this.scorer = new Scorer(data.operations)
    this.providerScorer = new Scorer(data.providers)
    this.topRows = new TopKSelector()
    this.reranker = new Reranker(data, tuning)
    this.jobs = jobFinder({ values: jobValues, vocabulary }, data.capabilityTitles, analyzer)
  }

  /** Number of documents. */
  get size(): number {
    return this.data.size
  }

  private static *steps(
    documents: SearchDocuments,
    vocabulary: SearchVocabulary,
    tuning: Tuning
  ): Generator<void, SearchIndex> {
    const english = dictionaryOf(vocabulary)
    const analyzer = new Analyzer(english)
    const data = yield* buildSteps(documents, analyzer, tuning)
    const uses = yield* spellingWords(analyzer, data, english)
    const compiled = yield* compileSteps(vocabulary, analyzer)
    analyzer.forget()
    yield
    const { jobValues = new Map(), languages = englishOnly, wordTable = null } = vocabulary
    const meanings = wordTable === null ? null : yield* Meanings.steps(data, wordTable)
    const words = {
      vocabulary: compiled,
      jobValues,
      english: new Set([...english, ...functionWords, ...requestWords, ...weakWords]),
      languages,
      wordTable,
      meanings
    }
    const others = wordTable?.words() ?? []
    const spelling = yield* buildSpelling({ uses, others, isRight: isKnownIn(data, analyzer, words) })
    yield
    return new SearchIndex(data, analyzer, words, spelling, tuning)
  }

  /** Builds at once. A server uses `buildSliced`. */
  static build(documents: SearchDocuments, vocabulary: SearchVocabulary, tuning: Tuning = defaultTuning): SearchIndex {
    const steps = SearchIndex.steps(documents, vocabulary, tuning)
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    return step.value
  }

  /** Builds in slices and lets waiting requests run between them. */
  static buildSliced(
    documents: SearchDocuments,
    vocabulary: SearchVocabulary,
    tuning: Tuning = defaultTuning
  ): Effect.Effect<SearchIndex> {
    return runInSlices(() => SearchIndex.steps(documents, vocabulary, tuning))
  }

  /** The jobs that the words ask for, the likeliest first, whether an operation does them or not. */
  jobsIn(words: string): ReadonlyArray<string> {
    const values = this.valuesOf(words)
    return this.jobs.find(this.meaningOf(values, clausesOf(values.beside, this.analyzer))).map(({ id }) => id)
  }

  search(query: string, options: SearchOptions): SearchAnswer {
    const { tuning } = this
    const values = this.valuesOf(query)
    const beside = this.clausesIn(values.beside)
    const jobs = this.jobs.find(this.meaningOf(values, beside))
    // A query that is nothing but a value is searched for as it is written.
    const isOnlyValue = beside.length === 0 && values.kinds.size > 0 && (jobs.length === 0 || !values.isAsked)
    const searched = isOnlyValue ? query : beside.length === 0 ? values.beside : values.searched
    const parsed = searched === values.beside ? beside : this.clausesIn(searched)
    const clauses = resolve(this.resolver, parsed)
    this.scorer.score(clauses, tuning.bestClause)
    this.addJobs(jobs, values.kinds, parsed)
    // An operation of a provider whose other operations speak of the subject too is the likelier one.
    this.providerScorer.score(clauses, tuning.bestClause)
    const groups = { of: this.data.providerOf, scores: this.providerScorer.total.values, factor: tuning.provider }
    const offset = options.offset ?? 0
    const end = offset + options.limit
    const { rows, scores, total } = this.topRows.pick(
      this.scorer.total,
      groups,
      Math.max(tuning.rerank, end),
      options.filter
    )
    const expandedCapabilities = jobs.map((job) => job.id)
    if (total === 0) return { hits: SearchHits.none, total, expandedCapabilities }
    const wrapping = new Set(parsed.flatMap((clause) => clause.wrapping))
    this.reranker.raise(rows, scores, {
      clauses,
      wrapping,
      nearness: this.words.meanings?.to(parsed, rows.slice(0, tuning.rerank)) ?? null,
      providerScores: groups.scores,
      fit: this.fitOf(values.kinds)
    })
    const judge = judgedOnce((doc) => this.matchedBy(doc, clauses, jobs))
    const hits = new SearchHits(rows.slice(offset, end), scores.slice(offset, end), judge)
    return { hits, total, expandedCapabilities }
  }

  private valuesOf(query: string): QueryValues {
    return valuesOf(query, {
      isNetwork: (name) => this.networks.has(name) || this.data.providerWords.has(name),
      corrected: (text) => correctedText(text, this.spelling.correct)
    })
  }

  private clausesIn(query: string): ReadonlyArray<QueryClause> {
    const translation = this.translationOf(query)
    // Words of another language are not wrongly spelled English.
    return translation === null
      ? clausesOf(query, this.analyzer, undefined, this.spelling.correct)
      : clausesOf(translation.text, this.analyzer, translation.words)
  }

  private translationOf(query: string): Translation | null {
    const { english, languages } = this.words
    const { operations, providerWords, size, terms } = this.data
    return languages.translate(query, {
      english,
      isCommon: (word) => {
        const term = terms.get(stemOf(word))
        // A word of another language may have the stem of an English one: "calle" is no form of "call".
        return (
          term !== undefined &&
          documentFrequency(operations, term) > commonFrom + commonShare * size &&
          this.spelling.isWritten(word)
        )
      },
      isProvider: (word) => providerWords.has(fold(word).toLowerCase())
    })
  }

  /**
   * What the query says and means, for recognising jobs: its stems, their synonyms, and with less trust what is
   * related.
   */
  private meaningOf(values: QueryValues, clauses: ReadonlyArray<QueryClause>): Said {
    const stems = new Map<string, number>()
    const raise = (stem: string, trust: number): void => {
      if (trust > (stems.get(stem) ?? 0)) stems.set(stem, trust)
    }
    const say = (stem: string, trust: number): void => {
      raise(stem, trust)
      for (const other of this.resolver.vocabulary.expansions.get(stem) ?? []) {
        for (const meant of other.stems) raise(meant, trust * (other.same ? sameTrust : relatedTrust))
      }
    }
    for (const { words } of clauses) {
      for (const { reading, respellings } of words) {
        const trust = respellings[0]?.trust ?? 1
        if (reading.whole !== null) say(reading.whole, trust)
        for (const part of reading.parts) say(part, trust)
      }
    }
    for (const word of values.asked) raise(stemOf(word), relatedTrust)
    const ofValues = new Set(Array.from(values.words, stemOf).filter((stem) => !stems.has(stem)))
    for (const word of values.words) raise(stemOf(word), sameTrust)
    return { stems, ofValues, values }
  }

  /** Operations of a job that is asked for are found even when they share no word with the query. */
  private addJobs(
    jobs: ReadonlyArray<JobMatch>,
    kinds: ReadonlySet<ValueKind>,
    clauses: ReadonlyArray<QueryClause>
  ): void {
    if (jobs.length === 0) return
    const { total } = this.scorer
    const { capability, capabilityWords, valueCapability } = this.tuning
    const words = clauses.reduce((sum, clause) => sum + clause.words.length, 0)
    const byWords = capability * Math.min(1, capabilityWords / Math.max(1, words))
    const best = Math.max(1, total.highest())
    const takesValue = (id: string): boolean => {
      const job = kinds.size === 0 ? undefined : this.words.jobValues.get(id)
      return job !== undefined && valueFit(job, kinds) === "takes"
    }
    for (const { id, match } of jobs) {
      const share = match * (takesValue(id) ? valueCapability : byWords) * best
      for (const row of this.data.capabilities.get(id) ?? []) total.add(row, share)
    }
  }

  /** Of each row whose job takes these values, or has no use for them, what its score is multiplied by. */
  private fitOf(kinds: ReadonlySet<ValueKind>): ReadonlyMap<number, number> {
    const key = Array.from(kinds).sort().join(" ")
    const known = this.fits.get(key)
    if (known !== undefined) return known
    const made = new Map<number, number>()
    for (const [id, rows] of kinds.size === 0 ? [] : this.data.capabilities) {
      const job = this.words.jobValues.get(id)
      const fit = job === undefined ? "words" : valueFit(job, kinds)
      if (fit === "takes" || fit === "refuses")
        for (const row of rows) made.set(row, this.tuning[fit === "takes" ? "takesValue" : "noValue"])
    }
    this.fits.set(key, made)
    return made
  }

  private matchedBy(doc: number, clauses: ReadonlyArray<SearchClause>, jobs: ReadonlyArray<JobMatch>): MatchedBy {
    let asked = 0
    let found = 0
    /** Of how people ask for its job. */
    let asking = 0
    for (const { words } of clauses) {
      for (const word of words) {
        const [own] = word.alternatives
        if (own === undefined) continue
        asked += own.weight
        if (impactOf(this.data.operations, own.term, doc) === 0) continue
        if (!this.data.texts.says(doc, own.term)) asking += own.weight
        else if (word.own && !word.translated) found += own.weight
      }
    }
    if (found >= textShare * asked && found > 0) return "text"
    if (asking > 0 && found + asking >= textShare * asked) return "capability"
    return jobs.some(({ id }) => this.data.capabilities.get(id)?.includes(doc)) ? "capability" : "tokens"
  }
}
