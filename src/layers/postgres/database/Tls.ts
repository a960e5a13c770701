/**
 * What the address of a database says of TLS. The driver takes an unknown `sslmode` without a word, reads files of
 * certificates in the middle of a connection, and checks the certificate with `prefer`, `require` and `verify-ca` as
 * with `verify-full`, of which it warns in words of its own.
 */
import { readFileSync } from "node:fs"
import { whyOf } from "./Failure.js"

const modes: ReadonlySet<string> = new Set(["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"])
/** What the driver treats as `verify-full`. */
const aliases = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/g
const files: ReadonlyArray<string> = ["sslrootcert", "sslcert", "sslkey"]

/** Whether the address asks the driver for the weaker checks of libpq; then each mode is another one. */
const isAsLibpq = (url: string): boolean => /[?&]uselibpqcompat=true(?:[&#]|$)/.test(url)

/** The address as the driver gets it: with the same checks, named by what they are. */
export const driverAddress = (url: string): string => (isAsLibpq(url) ? url : url.replace(aliases, "$1verify-full"))

/** Why the file cannot be read; null when it can. */
const unread = (file: string): string | null => {
  try {
    readFileSync(file)
    return null
  } catch (cause) {
    return whyOf(cause)
  }
}

/** What is wrong with these parameters of an address, in words that go on after its name; null when nothing is. */
export const tlsProblem = (parameters: URLSearchParams): string | null => {
  const unknown = parameters.getAll("sslmode").find((mode) => !modes.has(mode))
  if (unknown !== undefined) return `sslmode is ${JSON.stringify(unknown)}: it must be one of ${[...modes].join(", ")}`
  for (const name of files) {
    const file = parameters.get(name)
    const why = file === null || file === "" ? null : unread(file)
    if (why !== null) return `${name} names a file that this process cannot read (${why})`
  }
  return null
}
