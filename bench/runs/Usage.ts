// What processes have used so far, as the system counts it: CPU of a process, CPU of a whole Postgres, resident memory.
// From /proc, so on Linux only; elsewhere every figure is NaN and is printed as "-".
import { readdirSync, readFileSync } from "node:fs"

const ticksPerSecond = 100
const pageBytes = 4096

interface Stat {
  readonly parent: number
  readonly own: number
  /** Of children that have ended. */
  readonly ended: number
  readonly residentBytes: number
}

const statOf = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name stands in parentheses and may hold spaces; the fields after it are numbered from 3 in proc(5).
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    const field = (number: number): number => Number(fields[number - 3])
    return {
      parent: field(4),
      own: (field(14) + field(15)) / ticksPerSecond,
      ended: (field(16) + field(17)) / ticksPerSecond,
      residentBytes: field(24) * pageBytes
    }
  } catch {
    return undefined
  }
}

export const cpuSeconds = (pid: number): number => statOf(pid)?.own ?? Number.NaN

export const residentMegabytes = (pid: number): number => (statOf(pid)?.residentBytes ?? Number.NaN) / 1e6

/** The postmaster, told by one of its backends. */
export const postmasterOf = (backend: number): number => statOf(backend)?.parent ?? Number.NaN

/** CPU of a Postgres with all its processes, also those that have ended. */
export const postgresCpuSeconds = (postmaster: number): number => {
  const own = statOf(postmaster)
  if (own === undefined) return Number.NaN
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter(({ parent }) => parent === postmaster)
  return children.reduce((sum, child) => sum + child.own + child.ended, own.own + own.ended)
}
