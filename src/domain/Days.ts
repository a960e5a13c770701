/** Calendar days, as numbers of days since 1970 (UTC), and the spans of days that reports cover. */
import { Either } from "effect"
import { ValidationError } from "./ApiErrors.js"
import { reportDaysMax } from "./limits/Lists.js"

export const hourMillis = 3_600_000
export const dayMillis = 24 * hourMillis
export const hourSeconds = hourMillis / 1_000
export const daySeconds = dayMillis / 1_000
export const dayOf = (millis: number): number => Math.floor(millis / dayMillis)
/** When a day begins. */
export const dayStart = (day: number): number => day * dayMillis

/** Both days are included. */
export interface DaySpan {
  readonly firstDay: number
  readonly lastDay: number
}

/** So many days, the last of which is this one. */
export const daysUpTo = (lastDay: number, days: number): DaySpan => ({ firstDay: lastDay - days + 1, lastDay })

export const checkedSpan = (span: DaySpan): Either.Either<DaySpan, ValidationError> => {
  const days = span.lastDay - span.firstDay + 1
  return days >= 1 && days <= reportDaysMax
    ? Either.right(span)
    : Either.left(ValidationError.of("days", `must span 1 to ${reportDaysMax} days, the last one not before the first`))
}
