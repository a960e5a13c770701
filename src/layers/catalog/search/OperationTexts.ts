/**
 * The words of each operation in reading order, as the second look and the comparison of meanings read them. What is
 * known of one operation stands together, because memory is read in lines: of a hundred operations far apart, each line
 * is waited for.
 */
import { f32, f64, u32 } from "../../node/IntegerArrays.js"
import { fieldNames } from "./SearchDocument.js"

const fieldBits = 4
const fieldMask = (1 << fieldBits) - 1
const nameField = fieldNames.indexOf("name")
const descriptionField = fieldNames.indexOf("description")
const capabilityField = fieldNames.indexOf("capability")
const parameterNameField = fieldNames.indexOf("parameterNames")
const askingField = fieldNames.indexOf("asking")

/** A token is the number of a term, shifted left, with the field in the low bits. */
export const tokenOf = (term: number, field: number): number => (term << fieldBits) | field
export const termOf = (token: number): number => token >>> fieldBits
export const fieldOf = (token: number): number => token & fieldMask
export const isNameToken = (token: number): boolean => fieldOf(token) === nameField
export const isParameterNameToken = (token: number): boolean => fieldOf(token) === parameterNameField

/** Of the name, the provider or the description. A row's tokens begin with these. */
export const isAbout = (token: number): boolean => fieldOf(token) <= descriptionField

/** Of the name, the provider, the description or the job: the fields that come first. */
export const isProse = (token: number): boolean => fieldOf(token) <= capabilityField

/** The tokens of each operation: those of row r are `items[start[r]] … items[start[r + 1] - 1]`. */
export interface Tokens {
  readonly start: Uint32Array
  readonly items: Uint32Array
}

/** For each row 24 bytes: two numbers of 4 bytes, the place of its tokens and of the names of its parameters … */
const wholes = 6
const parametersAt = 1
/** … and two of 8 bytes behind them: how rare the words of its name, and of these names, are, added up. */
const fractions = 3
const nameRarity = 1
const parameterRarity = 2
const slice = 512

export class OperationTexts {
  private readonly places: Uint32Array
  /** The same memory. */
  private readonly rarities: Float64Array
  private constructor(
    readonly items: Uint32Array,
    size: number
  ) {
    this.rarities = new Float64Array((size + 1) * fractions)
    this.places = new Uint32Array(this.rarities.buffer)
  }

  /** `rarity` is of each term. Yields after at most a few milliseconds of work. */
  static *steps({ items, start }: Tokens, rarity: Float32Array): Generator<void, OperationTexts> {
    const size = start.length - 1
    const texts = new OperationTexts(items, size)
    const { places, rarities } = texts
    for (let row = 0; row <= size; row += 1) {
      places[row * wholes] = u32(start, row)
      if (row === size) break
      const end = u32(start, row + 1)
      let at = u32(start, row)
      let sum = 0
      for (; at < end && isNameToken(u32(items, at)); at += 1) sum += f32(rarity, termOf(u32(items, at)))
      rarities[row * fractions + nameRarity] = sum
      while (at < end && fieldOf(u32(items, at)) < parameterNameField) at += 1
      places[row * wholes + parametersAt] = at
      sum = 0
      for (; at < end && isParameterNameToken(u32(items, at)); at += 1) sum += f32(rarity, termOf(u32(items, at)))
      rarities[row * fractions + parameterRarity] = sum
      if (row % slice === 0) yield
    }
    return texts
  }

  /** Whether the operation itself says the term: how people ask for its job does not count. */
  says(row: number, term: number): boolean {
    const end = this.endOf(row)
    for (let at = this.startOf(row); at < end; at += 1) {
      const token = u32(this.items, at)
      if (fieldOf(token) === askingField) return false
      if (termOf(token) === term) return true
    }
    return false
  }

  startOf(row: number): number {
    return u32(this.places, row * wholes)
  }

  endOf(row: number): number {
    return u32(this.places, (row + 1) * wholes)
  }

  parametersOf(row: number): number {
    return u32(this.places, row * wholes + parametersAt)
  }

  nameRarityOf(row: number): number {
    return f64(this.rarities, row * fractions + nameRarity)
  }

  parameterRarityOf(row: number): number {
    return f64(this.rarities, row * fractions + parameterRarity)
  }
}
