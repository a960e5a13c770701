// A closed loop of so many connections, each sending its next request when it has the answer to the one before.
import { Pool } from "undici"

export interface Call {
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  /** Null for a GET. */
  readonly body: string | null
}

export interface Measured {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failures: number
}

const at = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export const load = async (
  origin: string,
  connections: number,
  seconds: number,
  next: () => Call,
  ok: (status: number, text: string) => boolean
): Promise<Measured> => {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000 })
  const times: Array<number> = []
  let failures = 0
  const begin = performance.now()
  const until = begin + seconds * 1000
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const { body, headers, path } = next()
      const start = performance.now()
      const answer = await pool.request({
        method: body === null ? "GET" : "POST",
        path,
        headers: body === null ? headers : { "content-type": "application/json", ...headers },
        body
      })
      const text = await answer.body.text()
      times.push(performance.now() - start)
      if (!ok(answer.statusCode, text)) {
        failures += 1
        if (failures === 1) console.error(`first failure: ${answer.statusCode} ${text.slice(0, 300)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  const took = performance.now() - begin
  await pool.close()
  const sorted = times.toSorted((a, b) => a - b)
  return {
    requests: times.length,
    perSecond: (1000 * times.length) / took,
    p50: at(sorted, 0.5),
    p99: at(sorted, 0.99),
    failures
  }
}

export const median = (values: ReadonlyArray<number>): number =>
  at(
    values.toSorted((a, b) => a - b),
    0.5
  )
