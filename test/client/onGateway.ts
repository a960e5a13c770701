/** A client, a relay that spoils what a test says, and a whole gateway behind it, over real sockets. */
import { assert } from "vitest"
import { type ClientOptions, createClient, type GatewayClient, type LedgerEntry } from "../../src/client/index.js"
import { testGateway, type TestGateway, type TestGatewayOptions } from "../../src/testing.js"
import { faultyProxy, type FaultyProxy } from "../support/faultyProxy.js"

export interface Stage {
  /** Over the relay. */
  readonly client: GatewayClient
  /** Past the relay. */
  readonly direct: GatewayClient
  readonly proxy: FaultyProxy
  readonly gateway: TestGateway
  readonly token: string
  readonly clientWith: (options: Partial<ClientOptions>) => GatewayClient
}

export const onGateway = async (options: TestGatewayOptions, use: (stage: Stage) => Promise<void>): Promise<void> => {
  const gateway = testGateway(options)
  const { close, token, url } = await gateway.listen()
  const proxy = await faultyProxy(url)
  const clientWith: Stage["clientWith"] = (more) => createClient({ baseUrl: proxy.url, token, ...more })
  try {
    await use({
      gateway,
      proxy,
      token,
      clientWith,
      client: clientWith({}),
      direct: createClient({ baseUrl: url, token })
    })
  } finally {
    await proxy.close()
    await close()
  }
}

/** What the work rejects with. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => assert.fail(`it did not fail: ${JSON.stringify(value)}`),
    (error: unknown) => error
  )

export const all = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const list: Array<A> = []
  for await (const item of items) list.push(item)
  return list
}

/** The entries of the ledger without the credit that a test gateway begins with, oldest first. */
export const ledgerOf = async (client: GatewayClient): Promise<ReadonlyArray<LedgerEntry>> =>
  (await all(client.ledger({ limit: 100 }))).filter(({ kind }) => kind !== "adjustment").reverse()

export const kindsOf = async (client: GatewayClient) => (await ledgerOf(client)).map(({ kind }) => kind)

export const request = {
  endpointId: "mock-email-find",
  input: { name: "Ada Example", domain: "example.com" }
}
