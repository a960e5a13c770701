/**
 * A table of word vectors: for each word of a language, as the analyzer stems it, a few dozen small integers. The sum
 * of the vectors of the words of a text says what the text is about, and texts about one thing have vectors of nearly
 * one direction, whatever words they use. The table is data (`catalog/words.en.bin`, made by `scripts/word-table.mjs`);
 * this module reads the file and finds words in it. Nothing is built for each word.
 */
import { createHash } from "node:crypto"
import { Data, Either } from "effect"
import { u32, u8 } from "../../node/IntegerArrays.js"

/** The file begins with one line of this many bytes, filled up with blanks. */
const headerBytes = 128
const header =
  /^word-table 1 (?<language>[a-z]{2,3}) (?<dimensions>\d+) (?<words>\d+) (?<textBytes>\d+) (?<sha>[0-9a-f]{64}) *\n$/
const newline = 10

/** How many numbers of a vector stand in one place. */
export const perPlace = 4
export const placesOf = (dimensions: number): number => Math.ceil(dimensions / perPlace)

/** Vectors as numbers of four bytes, the first the lowest. The last one of a vector is filled up with zeros. */
const foursOf = (bytes: Uint8Array, from: number, dimensions: number): Int32Array => {
  const places = placesOf(dimensions)
  const fours = new Int32Array(((bytes.length - from) / dimensions) * places)
  for (let at = 0; at < fours.length; at += 1) {
    const column = (at % places) * perPlace
    const start = from + Math.floor(at / places) * dimensions + column
    const end = Math.min(perPlace, dimensions - column)
    let four = 0
    for (let byte = 0; byte < end; byte += 1) four |= u8(bytes, start + byte) << (8 * byte)
    fours[at] = four
  }
  return fours
}

export class WordTableBroken extends Data.TaggedError("WordTableBroken")<{ readonly message: string }> {}

export class WordTable {
  private constructor(
    readonly language: string,
    readonly dimensions: number,
    /** Where each word begins in `texts`. */
    private readonly starts: Uint32Array,
    private readonly texts: Uint8Array,
    /** The vectors, one after the other, in the order of the words: each in `placesOf` its dimensions. */
    readonly fours: Int32Array
  ) {}

  /**
   * The file holds a header, the words in the order of their bytes, each followed by a line break, and the vectors. The
   * header names the version of the format, the language, the dimensions, the number of words, the length of the words
   * in bytes, and the SHA-256 of all that follows it.
   */
  static read(file: Uint8Array): Either.Either<WordTable, WordTableBroken> {
    const broken = (message: string) => Either.left(new WordTableBroken({ message }))
    const said = header.exec(Buffer.from(file.subarray(0, headerBytes)).toString("latin1"))?.groups
    if (said === undefined) return broken("it does not begin with the header of a word table of version 1")
    const [dimensions, words, textBytes] = [
      Number(said["dimensions"]),
      Number(said["words"]),
      Number(said["textBytes"])
    ]
    const body = file.subarray(headerBytes)
    if (body.length !== textBytes + words * dimensions)
      return broken(`it holds ${body.length} bytes after the header and should hold ${textBytes + words * dimensions}`)
    if (createHash("sha256").update(body).digest("hex") !== said["sha"])
      return broken("its bytes do not have the checksum that its header names")
    const texts = body.subarray(0, textBytes)
    const starts = new Uint32Array(words + 1)
    let word = 0
    for (let at = 0; at < textBytes; at += 1) {
      if (u8(texts, at) !== newline) continue
      word += 1
      starts[word] = at + 1
    }
    if (word !== words || u32(starts, words) !== textBytes)
      return broken(`it holds ${word} words and should hold ${words}`)
    // A copy of the words alone, so that the file itself is not kept.
    return Either.right(
      new WordTable(said["language"] ?? "", dimensions, starts, texts.slice(), foursOf(body, textBytes, dimensions))
    )
  }

  /** How many words it has. */
  get size(): number {
    return this.starts.length - 1
  }

  /** All words, in the order of their numbers. */
  words(): ReadonlyArray<string> {
    return Buffer.from(this.texts).toString("latin1").split("\n").slice(0, -1)
  }

  /** The number of a word, which is a stem of the analyzer; -1 when the table does not have it. */
  find(stem: string): number {
    let low = 0
    let high = this.size - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const order = this.compare(stem, middle)
      if (order === 0) return middle
      if (order < 0) high = middle - 1
      else low = middle + 1
    }
    return -1
  }

  /** Below 0 when the text stands before the word, above 0 when behind it. The words are of plain ASCII letters. */
  private compare(text: string, word: number): number {
    const from = u32(this.starts, word)
    const length = u32(this.starts, word + 1) - 1 - from
    const common = Math.min(length, text.length)
    for (let at = 0; at < common; at += 1) {
      const order = text.charCodeAt(at) - u8(this.texts, from + at)
      if (order !== 0) return order
    }
    return text.length - length
  }
}
