// What a command of the benchmarks was given. An option that it does not know, a word where it takes none, and a number
// that is none end it at once: a measurement that ran for minutes with other settings than were asked for is worse than
// none.
import { parseArgs } from "node:util"

export interface Known<Value extends string, Flag extends string> {
  /** Given as `--name value` or `--name=value`. */
  readonly values?: ReadonlyArray<Value>
  /** Given as `--name`. */
  readonly flags?: ReadonlyArray<Flag>
  /** Whether words without a name mean something. */
  readonly words?: boolean
}

export interface Options<Value extends string, Flag extends string> {
  readonly text: (name: Value) => string | undefined
  /** A whole number, at least one unless the command says otherwise. */
  readonly count: (name: Value, otherwise: number, least?: number) => number
  /** Any number above zero, such as seconds. */
  readonly amount: (name: Value, otherwise: number) => number
  readonly has: (name: Flag) => boolean
  readonly words: ReadonlyArray<string>
}

/** Throws what is wrong with them. */
export const readOptions = <Value extends string = never, Flag extends string = never>(
  { flags = [], values = [], words = false }: Known<Value, Flag>,
  args: ReadonlyArray<string>
): Options<Value, Flag> => {
  const given = parseArgs({
    args: [...args],
    options: Object.fromEntries([
      ...values.map((name) => [name, { type: "string" as const }] as const),
      ...flags.map((name) => [name, { type: "boolean" as const }] as const)
    ]),
    allowPositionals: words
  })
  const found = new Map(Object.entries(given.values))
  const text = (name: Value): string | undefined => {
    const value = found.get(name)
    return typeof value === "string" ? value : undefined
  }
  const number = (name: Value, otherwise: number, wanted: string, isWanted: (value: number) => boolean): number => {
    const written = text(name)
    if (written === undefined) return otherwise
    const value = written.trim() === "" ? Number.NaN : Number(written)
    if (!isWanted(value)) throw new Error(`--${name} is ${JSON.stringify(written)}, and must be ${wanted}`)
    return value
  }
  return {
    text,
    count: (name, otherwise, least = 1) =>
      number(
        name,
        otherwise,
        `a whole number, at least ${least}`,
        (value) => Number.isSafeInteger(value) && value >= least
      ),
    amount: (name, otherwise) =>
      number(name, otherwise, "a number above 0", (value) => Number.isFinite(value) && value > 0),
    has: (name) => found.get(name) === true,
    words: given.positionals
  }
}

const orEnd = <A>(read: () => A): A => {
  try {
    return read()
  } catch (problem) {
    console.error(problem instanceof Error ? problem.message : problem)
    return process.exit(2)
  }
}

/** Those of this command, which ends when they are wrong. */
export const optionsOf = <Value extends string = never, Flag extends string = never>(
  known: Known<Value, Flag>
): Options<Value, Flag> => {
  const found = orEnd(() => readOptions(known, process.argv.slice(2)))
  return {
    ...found,
    count: (...asked) => orEnd(() => found.count(...asked)),
    amount: (...asked) => orEnd(() => found.amount(...asked))
  }
}
