// The built index as plain data: a term dictionary, postings over operations and over providers, and the tokens of each
// operation in order. Built in steps, so that a server can answer requests between them.
import { type Analyzer, chunksOf, fold } from "./Analyzer.js"
import { fieldNames, fieldTexts, type SearchDocuments } from "./SearchDocument.js"
import { i32, IntegerList, u16, u32 } from "../../node/IntegerArrays.js"
import { fieldOf, OperationTexts, termOf, tokenOf, type Tokens } from "./OperationTexts.js"
import { buildPostings, documentFrequency, inverseFrequency, type Postings, type RowTerms } from "./Postings.js"
import type { Tuning } from "./Tuning.js"

const fieldCount = fieldNames.length
const categoryField = fieldNames.indexOf("category")
const askingField = fieldNames.indexOf("asking")
const longestField = 400

export interface IndexData {
  readonly size: number
  readonly terms: ReadonlyMap<string, number>
  readonly termTexts: ReadonlyArray<string>
  /** Inverse document frequency of each term among the operations. */
  readonly rarity: Float32Array
  readonly operations: Postings
  readonly providers: Postings
  readonly providerOf: Uint32Array
  readonly texts: OperationTexts
  /** The words of the names of providers, in small letters. */
  readonly providerWords: ReadonlySet<string>
  /** Rows of each job, and the job's title. */
  readonly capabilities: ReadonlyMap<string, ReadonlyArray<number>>
  readonly capabilityTitles: ReadonlyMap<string, string>
}

class TermTable {
  readonly numbers = new Map<string, number>()
  readonly texts: Array<string> = []
  numberOf(text: string): number {
    const known = this.numbers.get(text)
    if (known !== undefined) return known
    const fresh = this.texts.length
    this.numbers.set(text, fresh)
    this.texts.push(text)
    return fresh
  }
}

/** Sums weighted term frequencies of the rows it is given, reusing its arrays. */
class RowReader implements RowTerms {
  readonly terms: Array<number> = []
  readonly frequencies: Array<number> = []
  count = 0
  private readonly at: Int32Array
  constructor(termCount: number) {
    this.at = new Int32Array(termCount).fill(-1)
  }

  add(term: number, frequency: number): void {
    const known = i32(this.at, term)
    if (known >= 0) {
      this.frequencies[known] = (this.frequencies[known] ?? 0) + frequency
      return
    }
    this.at[term] = this.count
    this.terms[this.count] = term
    this.frequencies[this.count] = frequency
    this.count += 1
  }

  clear(): void {
    for (let index = 0; index < this.count; index += 1) this.at[this.terms[index] ?? 0] = -1
    this.count = 0
  }
}

const slice = 32

/** The documents as numbers: tokens, lengths of fields, providers and jobs. */
interface ReadDocuments {
  readonly table: TermTable
  readonly tokens: Tokens
  /** Tokens of each field of each row, compounds counted by their parts. */
  readonly lengths: Uint16Array
  readonly providerOf: Uint32Array
  readonly providerCount: number
  /** The words of the names of providers, in small letters. */
  readonly providerWords: ReadonlySet<string>
  readonly capabilities: ReadonlyMap<string, ReadonlyArray<number>>
  readonly capabilityTitles: ReadonlyMap<string, string>
}

/** Reads texts to tokens, which it appends to `items`. */
class TextReader {
  /** Where the tokens of a text stand that is the same in many rows, as the ways of asking of one job are. */
  private readonly shared = new Map<string, { readonly from: number; readonly to: number; readonly length: number }>()
  constructor(
    private readonly analyzer: Analyzer,
    private readonly table: TermTable,
    private readonly items: IntegerList
  ) {}

  /** Appends the tokens of one field and gives their number, compounds counted by their parts. */
  read(text: string, field: number): number {
    let length = 0
    for (const chunk of chunksOf(fold(text))) {
      const { parts, whole } = this.analyzer.read(chunk)
      for (const part of parts) this.items.push(tokenOf(this.table.numberOf(part), field))
      if (whole !== null) this.items.push(tokenOf(this.table.numberOf(whole), field))
      length += parts.length
      if (length >= longestField) break
    }
    return length
  }

  /** The same for a text of many rows: it is analysed once, and copied after that. */
  readShared(text: string, field: number): number {
    const { items, shared } = this
    const known = shared.get(text)
    if (known === undefined) {
      const from = items.length
      const length = this.read(text, field)
      shared.set(text, { from, to: items.length, length })
      return length
    }
    for (let at = known.from; at < known.to; at += 1) items.push(items.get(at))
    return known.length
  }
}

function* readDocuments(documents: SearchDocuments, analyzer: Analyzer): Generator<void, ReadDocuments> {
  const size = documents.length
  const table = new TermTable()
  const items = new IntegerList(size * 64 + 64)
  const start = new Uint32Array(size + 1)
  const lengths = new Uint16Array(size * fieldCount)
  const providerOf = new Uint32Array(size)
  const providerNumbers = new Map<string, number>()
  const providerWords = new Set<string>()
  const capabilities = new Map<string, Array<number>>()
  const capabilityTitles = new Map<string, string>()
  const reader = new TextReader(analyzer, table, items)
  for (let row = 0; row < size; row += 1) {
    start[row] = items.length
    const document = documents.at(row)
    if (document === undefined) continue
    const known = providerNumbers.get(document.provider)
    providerOf[row] = known ?? providerNumbers.size
    if (known === undefined) {
      providerNumbers.set(document.provider, providerNumbers.size)
      for (const word of chunksOf(fold(document.providerName))) providerWords.add(word.toLowerCase())
    }
    if (document.capability !== null) {
      const rows = capabilities.get(document.capability) ?? []
      rows.push(row)
      capabilities.set(document.capability, rows)
      capabilityTitles.set(document.capability, document.capabilityTitle ?? document.capability)
    }
    for (const [field, text] of fieldTexts(document).entries()) {
      if (text === "") continue
      const length = field === askingField ? reader.readShared(text, field) : reader.read(text, field)
      lengths[row * fieldCount + field] = length
    }
    if (row % slice === slice - 1) yield
  }
  start[size] = items.length
  yield
  return {
    table,
    tokens: { start, items: items.seal() },
    lengths,
    providerOf,
    providerCount: providerNumbers.size,
    providerWords,
    capabilities,
    capabilityTitles
  }
}

/** Mean length of each field over the rows that have it: an empty field says nothing about how long it usually is. */
const averageLengths = (lengths: Uint16Array): ReadonlyArray<number> =>
  fieldNames.map((_, field) => {
    let filled = 0
    let total = 0
    for (let at = field; at < lengths.length; at += fieldCount) {
      const length = u16(lengths, at)
      if (length > 0) filled += 1
      total += length
    }
    return filled === 0 ? 1 : total / filled
  })

/** Reads the terms of one operation with their BM25F frequencies. */
const operationReader = (
  { lengths, tokens }: ReadDocuments,
  reader: RowReader,
  tuning: Tuning
): ((row: number) => RowTerms) => {
  const weights = fieldNames.map((name) => tuning.fields[name].weight)
  const norms = fieldNames.map((name) => tuning.fields[name].lengthNorm)
  const averages = averageLengths(lengths)
  return (row) => {
    reader.clear()
    const end = u32(tokens.start, row + 1)
    for (let at = u32(tokens.start, row); at < end; at += 1) {
      const token = u32(tokens.items, at)
      const field = fieldOf(token)
      const norm = norms[field] ?? 0
      const length = u16(lengths, row * fieldCount + field)
      reader.add(termOf(token), (weights[field] ?? 0) / (1 - norm + (norm * length) / (averages[field] ?? 1)))
    }
    return reader
  }
}

/**
 * Reads the terms of all operations of a provider. A provider is about what a good part of its operations say: the mean
 * counts and not the sum, or the largest would win every query.
 */
const providerReader = (
  { providerCount, providerOf, tokens }: ReadDocuments,
  reader: RowReader,
  tuning: Tuning
): ((provider: number) => RowTerms) => {
  const weights = fieldNames.map((name) => tuning.fields[name].weight)
  const rowsOf: ReadonlyArray<Array<number>> = Array.from({ length: providerCount }, () => [])
  for (let row = 0; row < providerOf.length; row += 1) rowsOf[u32(providerOf, row)]?.push(row)
  return (provider) => {
    reader.clear()
    const rows = rowsOf[provider] ?? []
    for (const row of rows) {
      const end = u32(tokens.start, row + 1)
      for (let at = u32(tokens.start, row); at < end; at += 1) {
        const token = u32(tokens.items, at)
        const field = fieldOf(token)
        if (field <= categoryField) reader.add(termOf(token), (weights[field] ?? 0) / rows.length)
      }
    }
    return reader
  }
}

/** Builds the index, yielding after at most a few milliseconds of work. */
export function* buildSteps(
  documents: SearchDocuments,
  analyzer: Analyzer,
  tuning: Tuning
): Generator<void, IndexData> {
  const size = documents.length
  const read = yield* readDocuments(documents, analyzer)
  yield
  const { capabilities, capabilityTitles, providerCount, providerOf, providerWords, table, tokens } = read
  const termCount = table.texts.length
  const reader = new RowReader(termCount)
  const operations = yield* buildPostings(size, termCount, operationReader(read, reader, tuning), tuning.k1, slice)
  yield
  const rarity = new Float32Array(termCount)
  for (let term = 0; term < termCount; term += 1)
    rarity[term] = inverseFrequency(size, documentFrequency(operations, term))
  yield
  const texts = yield* OperationTexts.steps(tokens, rarity)
  yield
  const providers = yield* buildPostings(providerCount, termCount, providerReader(read, reader, tuning), tuning.k1, 1)
  return {
    size,
    terms: table.numbers,
    termTexts: table.texts,
    rarity,
    operations,
    providers,
    providerOf,
    providerWords,
    texts,
    capabilities,
    capabilityTitles
  }
}
