/** Reads a moment as clients and operators write it: a day, or a day and a time, in ISO 8601. */
export const instantExpected = "must be a time in ISO 8601, such as 2026-11-05T12:00:00Z"
const instant =
  /^(\d{4})-(\d\d)-(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))?)?$/

/** A zone can lead beyond the years of four digits, where no time can be written in this form. */
const [firstMillis, lastMillis] = [Date.parse("0000-01-01T00:00:00.000Z"), Date.parse("9999-12-31T23:59:59.999Z")]

/**
 * Milliseconds since the epoch. A day that its month does not have is refused, and a time without a zone is UTC.
 * `Date.parse` decides neither of the two.
 */
export const readInstant = (raw: string): number | undefined => {
  const [
    matched,
    year,
    month,
    day,
    hour = "0",
    minute = "0",
    second = "0",
    fraction = "0",
    sign = "+",
    offsetHours = "0",
    offsetMinutes = "0"
  ] = instant.exec(raw) ?? []
  if (matched === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, "0").slice(0, 3)))
  const offsetMillis = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  const millis = sign === "-" ? date.getTime() + offsetMillis : date.getTime() - offsetMillis
  return millis >= firstMillis && millis <= lastMillis ? millis : undefined
}
