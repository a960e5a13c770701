/** What an attack found: its figures for the table, and every promise that was broken, in words. */

export interface Row {
  readonly attack: string
  readonly operations: number
  readonly faults: number
  /** Micros that are too many or too few somewhere; must be 0. */
  readonly astrayMicros: number
  /** The longest time until all was well again after a fault; null where nothing was broken. */
  readonly recoveryMillis: number | null
  readonly problems: ReadonlyArray<string>
}

const shownMax = 20

/** Collects broken promises; equal ones are counted, not repeated. */
export const makeFindings = () => {
  const counts = new Map<string, number>()
  const note = (problem: string): void => void counts.set(problem, (counts.get(problem) ?? 0) + 1)
  return {
    note,
    /** Notes the problem unless the promise was kept. */
    hold: (kept: boolean, problem: string): void => {
      if (!kept) note(problem)
    },
    list: (): ReadonlyArray<string> =>
      [...counts].slice(0, shownMax).map(([problem, times]) => (times === 1 ? problem : `${problem} (${times} times)`))
  }
}

export type Findings = ReturnType<typeof makeFindings>

/** Findings of nodes that live through several attacks: each `take` gives what was found since the one before. */
export const makeFindingsInTurns = () => {
  let current = makeFindings()
  const findings: Findings = {
    note: (problem) => current.note(problem),
    hold: (kept, problem) => current.hold(kept, problem),
    list: () => current.list()
  }
  const take = (): ReadonlyArray<string> => {
    const found = current.list()
    current = makeFindings()
    return found
  }
  return { findings, take }
}

const columns = ["attack", "operations", "faults", "money astray", "recovery"] as const

const cells = (row: Row): ReadonlyArray<string> => [
  row.attack,
  String(row.operations),
  String(row.faults),
  `${row.astrayMicros} micros`,
  row.recoveryMillis === null ? "-" : `${(row.recoveryMillis / 1000).toFixed(1)} s`
]

export const table = (rows: ReadonlyArray<Row>): string => {
  const all = [columns, ...rows.map(cells)]
  const widths = columns.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  const lines = all.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  )
  return lines.toSpliced(1, 0, "-".repeat(Math.max(...lines.map((line) => line.length)))).join("\n")
}

export const isClean = (row: Row): boolean => row.problems.length === 0 && row.astrayMicros === 0
