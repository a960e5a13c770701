/**
 * The search with the hints of the words (`domain/QuestionHints.ts`): each acts like the parameter that it equals, and
 * its words are no longer searched for. A parameter of the request wins over a hint. Where the hints together leave
 * nothing, as few of them as possible are dropped: their words are searched for again, and the answer says so.
 */
import type { AppliedHint, CatalogFilter, DroppedHint } from "../../domain/CatalogSearch.js"
import {
  type Hint,
  type HintParameter,
  hintsIn,
  type HintSetting,
  type Known,
  questionWithout,
  subjectOf
} from "../../domain/QuestionHints.js"
import type { Keeps } from "./Filtering.js"
import { flags, isFlagged, type Revision } from "./Revision.js"
import { find, type Found, type Narrowing, nothing, type RankedQuery } from "./Searching.js"
import type { Seen } from "./ServedRevision.js"

/** A question with its filters. `hints: false`: nothing is read from the words. */
export interface HintableQuery extends RankedQuery, CatalogFilter {
  readonly hints?: boolean
  readonly preferSaid?: boolean
}

export const everyHint: ReadonlySet<HintParameter> = new Set(["prefer", "maxPriceMicros", "keyless", "provider"])

export interface HintedFound<Q> {
  readonly found: Found
  /** The question as it was searched: without the words of the hints, and with what they equal. */
  readonly query: Q
  readonly appliedHints: ReadonlyArray<AppliedHint>
  readonly dropped: ReadonlyArray<DroppedHint>
}

/** Ordinary words that are also names of services. A name made of such words alone is read as words. */
const ordinary: ReadonlySet<string> = new Set(
  (
    "air api base bolt bolster box bright clay clear company context data demo domain drift email fixture free front images jobs " +
    "linear make maps mock monday music news notion ocean open outreach people person places public scale search segment " +
    "snow square stocks stripe tools translate travel weather web words world"
  ).split(" ")
)
/** A word that more operations of other providers use is a word of the catalog. */
const usesMax = 3

const spelled = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim()

const namesKept = new WeakMap<Revision, ReadonlyMap<string, string | null>>()
/** The id of the provider of each name; null for a name that several have. */
const providerNames = (revision: Revision): ReadonlyMap<string, string | null> => {
  const known = namesKept.get(revision)
  if (known !== undefined) return known
  const names = new Map<string, string | null>()
  for (const { id, name } of revision.providers)
    for (const each of new Set([spelled(id), spelled(name)])) {
      const other = names.get(each)
      names.set(each, other === undefined || other === id ? id : null)
    }
  namesKept.set(revision, names)
  return names
}

const knownIn = (revision: Revision, keeps: Keeps) => ({
  providerNamed: (text: string): string | null => {
    const name = spelled(text)
    const id = providerNames(revision).get(name) ?? null
    const code = id === null ? undefined : revision.provider.codeOf.get(id)
    if (code === undefined) return null
    const words = name.split(" ")
    if (words.every((word) => ordinary.has(word))) return null
    const { codes } = revision.provider
    if (!codes.some((each, number) => each === code && keeps(number))) return null
    if (words.length > 1) return id
    const { hits } = revision.index.search(name, { limit: usesMax + 1, filter: (number) => codes[number] !== code })
    const uses = hits.slice(0).filter(({ matchedBy }) => matchedBy === "text").length
    return uses > usesMax ? null : id
  },
  namesJob: (words: string): boolean =>
    revision.index.jobsIn(words).some((job) => (revision.numbersOfJob.get(job) ?? []).some(keeps))
})

const isSaid = (query: HintableQuery, parameter: HintParameter): boolean =>
  parameter === "prefer" ? query.preferSaid === true : query[parameter] !== null

const settingText = ({ parameter, value }: HintSetting): string => `${parameter}=${value}`

const applied = (question: string, hint: Hint, known: Known): AppliedHint => ({
  parameter: hint.parameter,
  value: hint.value,
  words: hint.words,
  message: `Read "${hint.words}" as ${settingText(hint)}. Put the words in quotation marks to search for them, or send hints=off`,
  undoQuery: questionWithout(question, hint, known)
})

const isFilter = ({ parameter }: Hint): boolean => parameter !== "prefer"

/** Says with what a hint left nothing: as few as possible are dropped, so beside those that are kept it did. */
const dropped = (hint: Hint, kept: ReadonlyArray<Hint>): DroppedHint => {
  const others = kept.filter(isFilter).map(settingText)
  const tried = [settingText(hint), ...others].join(" and ")
  return {
    code: "hint_dropped",
    words: hint.words,
    parameter: hint.parameter,
    message: `Nothing is left with ${tried}${others.length > 0 ? " together" : ""}, so "${hint.words}" was only searched for`
  }
}

/**
 * Whether the hints left what was asked for. Where the question is about jobs, rows that only share words with them are
 * not enough, and fixtures are not, where a real operation does one of the jobs.
 */
const leaves = ({ served: { revision } }: Seen, found: Found, all: Narrowing, kept: Narrowing | null): boolean => {
  if (kept === null || found.unmatched || found.total === 0) return false
  const members = found.expandedCapabilities
    .flatMap((job) => revision.numbersOfJob.get(job) ?? [])
    .filter((number) => all.keeps(number))
  const real = members.filter((number) => !isFlagged(revision, number, flags.mock))
  const wanted = real.length > 0 ? real : members
  return wanted.length === 0 || wanted.some(kept.keeps)
}

/** The filters to try without, the fewest first, and of as many those that were said last. */
const filtersToDrop = (hints: ReadonlyArray<Hint>): ReadonlyArray<ReadonlyArray<Hint>> =>
  hints
    .filter(isFilter)
    .reduceRight<ReadonlyArray<ReadonlyArray<Hint>>>(
      (sets, hint) => [...sets, ...sets.map((set) => [...set, hint])],
      [[]]
    )
    .toSorted((a, b) => a.length - b.length)

/**
 * What to try in turn. An order leaves out nothing, so it stays as long as its words are not needed to find anything.
 */
const attempts = (hints: ReadonlyArray<Hint>): ReadonlyArray<ReadonlyArray<Hint>> => {
  const filters = hints.filter(isFilter)
  return (filters.length === hints.length ? [hints] : [hints, filters])
    .flatMap((from) => filtersToDrop(from).map((without) => from.filter((hint) => !without.includes(hint))))
    .filter((kept) => kept.length > 0)
}

/**
 * Finds with all hints whose parameters are in `allowed`, and with fewer when they leave nothing. `narrow` makes the
 * narrowing of a filter; null when nothing can pass.
 */
export const findHinted = <Q extends HintableQuery>(
  seen: Seen,
  query: Q,
  allowed: ReadonlySet<HintParameter>,
  narrow: (filter: CatalogFilter) => Narrowing | null
): HintedFound<Q> => {
  const { revision } = seen.served
  const all = narrow(query)
  const plain = (): HintedFound<Q> => ({
    found: all === null ? nothing : find(seen, query, all),
    query,
    appliedHints: [],
    dropped: []
  })
  if (all === null || query.hints === false) return plain()
  const known = knownIn(revision, all.keeps)
  const hints = hintsIn(query.q, known).filter(({ parameter }) => allowed.has(parameter) && !isSaid(query, parameter))
  const droppedBeside = (kept: ReadonlyArray<Hint>): ReadonlyArray<DroppedHint> =>
    hints.filter((hint) => isFilter(hint) && !kept.includes(hint)).map((hint) => dropped(hint, kept))
  for (const kept of hints.length === 0 ? [] : attempts(hints)) {
    const hinted = kept.reduce<Q>((made, { parameter, value }) => ({ ...made, [parameter]: value }), {
      ...query,
      q: subjectOf(query.q, kept)
    })
    const narrowing = narrow(hinted)
    const found = narrowing === null || hinted.q === "" ? nothing : find(seen, hinted, narrowing)
    if (leaves(seen, found, all, narrowing))
      return {
        found,
        query: hinted,
        appliedHints: kept.map((hint) => applied(query.q, hint, known)),
        dropped: droppedBeside(kept)
      }
  }
  const answer = plain()
  return answer.found.unmatched ? answer : { ...answer, dropped: droppedBeside([]) }
}
