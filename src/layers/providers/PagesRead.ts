/** The pages of one call as they are read: their results, what each request brought, and the digest of all answers. */
import { createHash } from "node:crypto"
import type { Json } from "../../domain/Json.js"
import type { PageFacts, ProviderAnswer } from "../../domain/ProviderCall.js"
import type { Break } from "../../domain/ProviderFigures.js"
import type { WireAnswer } from "./Transport.js"

export interface Page {
  readonly wire: WireAnswer
  readonly answer: ProviderAnswer
  readonly body: Json
  readonly list: ReadonlyArray<Json>
  /** Tells whether another page has the same list. */
  readonly digest: string
}

/** What was read so far. */
export class PagesRead {
  readonly items: Array<Json> = []
  readonly facts: Array<PageFacts> = []
  /** The page that is asked for was asked for before. */
  isAgain = false
  private readonly digests = new Set<string>()
  private readonly hash = createHash("sha256")
  results = 0
  count = 0
  bytes = 0
  /** Where a page that was refused for it broke the documented schema. */
  undocumented: Break | undefined
  /** Results of the last page were left out. */
  isCut = false
  last: Page

  constructor(
    readonly first: Page,
    private readonly wanted: number
  ) {
    this.last = first
    this.take(first)
  }

  /** What one request for a page brought. */
  note(facts: PageFacts): void {
    this.facts.push(this.isAgain ? { ...facts, again: true } : facts)
  }

  /** False when the same page was read before. */
  take(page: Page): boolean {
    if (this.digests.has(page.digest)) return false
    this.digests.add(page.digest)
    const kept = page.list.slice(0, this.missing())
    for (const item of kept) this.items.push(item)
    this.isCut = kept.length < page.list.length
    const { cost, outcome, resultCount } = page.answer
    const counted =
      resultCount === null || kept.length === page.list.length ? resultCount : Math.min(resultCount, kept.length)
    this.note({ outcome, resultCount: counted, cost })
    this.hash.update(page.wire.bytes)
    this.results += page.list.length
    this.count += 1
    this.bytes += page.wire.bytes.length
    this.last = page
    return true
  }

  missing(): number {
    return this.wanted - this.items.length
  }

  digest(): string {
    return this.hash.copy().digest("hex")
  }
}
