/**
 * The system's lookups of names, so that a name server which does not answer stalls its own names alone. A lookup holds
 * one of the process's few threads until it ends, ten seconds and more, and nothing can end it sooner; the same threads
 * unzip answers, and look up the names of all others. So a name is looked up once for all who ask meanwhile, few names
 * of one domain are looked up at once, and few of all domains. Nothing is remembered: whoever asks after an answer has
 * a lookup of its own, and vets the addresses itself.
 */
export type Answer = (error: Error | null, addresses: ReadonlyArray<string>) => void

export type Resolve = (hostname: string, answer: Answer) => void

/** The gateway is started with 16 threads (`UV_THREADPOOL_SIZE`), of which Node gives lookups at most half. */
const atOnceMax = 6
const atOnceOfDomainMax = 2
/** As long as a connection may take to begin: nobody waits for an older lookup any more. */
const waitMillisMax = 10_000

interface Lookup {
  readonly hostname: string
  readonly domain: string
  readonly askedAt: number
  readonly answers: Array<Answer>
}

/** The names of one domain have the same name servers as a rule. */
const domainOf = (hostname: string): string => hostname.split(".").slice(-2).join(".")

/** One for each process, because its threads are. `now` is a clock in milliseconds that is never set. */
export const sharedLookups = (resolve: Resolve, now: () => number = () => performance.now()): Resolve => {
  /** By name, those that wait among them, in the order in which they were asked for. */
  const open = new Map<string, Lookup>()
  const waiting = new Set<Lookup>()
  const ofDomain = new Map<string, number>()
  let atOnce = 0

  const end = (lookup: Lookup, ...answer: Parameters<Answer>): void => {
    open.delete(lookup.hostname)
    for (const tell of lookup.answers) tell(...answer)
  }
  const begin = (lookup: Lookup): void => {
    const { domain, hostname } = lookup
    waiting.delete(lookup)
    atOnce += 1
    ofDomain.set(domain, (ofDomain.get(domain) ?? 0) + 1)
    resolve(hostname, (...answer) => {
      atOnce -= 1
      const others = (ofDomain.get(domain) ?? 1) - 1
      if (others > 0) ofDomain.set(domain, others)
      else ofDomain.delete(domain)
      end(lookup, ...answer)
      beginNext()
    })
  }
  const beginNext = (): void => {
    for (const lookup of waiting) {
      if (now() - lookup.askedAt > waitMillisMax) {
        waiting.delete(lookup)
        end(lookup, Object.assign(new Error("it has waited for other lookups"), { code: "EAI_AGAIN" }), [])
      } else if (atOnce >= atOnceMax) return
      else if ((ofDomain.get(lookup.domain) ?? 0) < atOnceOfDomainMax) begin(lookup)
    }
  }

  return (hostname, answer) => {
    const present = open.get(hostname)
    if (present !== undefined) return void present.answers.push(answer)
    const lookup: Lookup = { hostname, domain: domainOf(hostname), askedAt: now(), answers: [answer] }
    open.set(hostname, lookup)
    waiting.add(lookup)
    beginNext()
  }
}
