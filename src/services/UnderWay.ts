/**
 * A list of what is under way, for things that come and go all the time, such as requests and their fibers. Use it
 * instead of a `Set` of objects that hold much.
 *
 * When members come and go, V8 replaces the table of a `Set` or `Map` again and again. A table that was replaced still
 * refers to what was in it, and to the table that came after it. Once one such table has moved to the old generation of
 * the heap, all that follow live until the next full collection, and so does everything that they refer to. Most of
 * what a request leaves behind was moved to the old generation in that way. A place of this list that was left refers
 * to nothing.
 */
export interface UnderWay<A extends object> extends Iterable<A> {
  /** The answer takes it off the list; a second call does nothing. */
  readonly add: (member: A) => () => void
  readonly size: () => number
  /** Takes the member off the list that was added first, and answers it; null when there is none. */
  readonly takeFirst: () => A | null
}

interface Place<A> {
  member: A | null
  before: Place<A> | null
  after: Place<A> | null
}

export const makeUnderWay = <A extends object>(): UnderWay<A> => {
  let first: Place<A> | null = null
  let last: Place<A> | null = null
  let size = 0

  const leave = (place: Place<A>): void => {
    if (place.member === null) return
    if (place.before === null) first = place.after
    else place.before.after = place.after
    if (place.after === null) last = place.before
    else place.after.before = place.before
    place.member = place.before = place.after = null
    size -= 1
  }

  const members = (): ReadonlyArray<A> => {
    const found: Array<A> = []
    for (let place = first; place !== null; place = place.after) if (place.member !== null) found.push(place.member)
    return found
  }

  return {
    add: (member) => {
      const place: Place<A> = { member, before: last, after: null }
      if (last === null) first = place
      else last.after = place
      last = place
      size += 1
      return () => leave(place)
    },
    size: () => size,
    takeFirst: () => {
      if (first === null) return null
      const { member } = first
      leave(first)
      return member
    },
    // What is on the list now: who goes through it may end members of it meanwhile.
    [Symbol.iterator]: () => members()[Symbol.iterator]()
  }
}
