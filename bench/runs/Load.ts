// A closed loop of so many connections, each sending its next request when it has the answer to the one before.
import { Pool } from "undici"
import { quantile } from "../Quantiles.js"

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
}

/** Fails at the first answer that is not as expected: an error is sent sooner than an answer, and is no request. */
export const load = async (
  origin: string,
  connections: number,
  seconds: number,
  next: () => Call,
  ok: (status: number, text: string) => boolean
): Promise<Measured> => {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000 })
  const times: Array<number> = []
  let failure: string | undefined
  const begin = performance.now()
  const until = begin + seconds * 1000
  const one = async (): Promise<void> => {
    while (performance.now() < until && failure === undefined) {
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
      if (!ok(answer.statusCode, text)) failure ??= `${path} answered ${answer.statusCode} ${text.slice(0, 300)}`
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  const took = performance.now() - begin
  await pool.close()
  if (failure !== undefined) throw new Error(failure)
  const sorted = times.toSorted((a, b) => a - b)
  return {
    requests: times.length,
    perSecond: (1000 * times.length) / took,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99)
  }
}
