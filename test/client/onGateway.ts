/** A client, a relay that spoils what a test says, and a whole gateway behind it, over real sockets. */
import { ManagedRuntime } from "effect"
import { afterAll, assert } from "vitest"
import { type ClientOptions, createClient, type GatewayClient, type LedgerEntry } from "../../src/client/index.js"
import { testGateway, type TestGateway, type TestGatewayOptions } from "../../src/testing.js"
import { faultyProxy, type FaultyProxy } from "../support/faultyProxy.js"
import { type CallerOptions, newCaller, scripted } from "../support/newCaller.js"

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

type Use = (stage: Stage) => Promise<void>

const onStage = async (gateway: TestGateway, { token, url }: { token: string; url: string }, use: Use) => {
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
  }
}

/** On a gateway of the test's own. */
export const onGateway = async (options: TestGatewayOptions, use: Use): Promise<void> => {
  const gateway = testGateway(options)
  const { close, ...listening } = await gateway.listen()
  await onStage(gateway, listening, use).finally(close)
}

/**
 * On a gateway that all tests of a file share, each with a workspace and scripts of its own: to start one takes longer
 * than most tests. Not for tests after which the gateway thinks worse of a provider. To be called at the top of a file.
 */
export const gatewayOfFile = () => {
  const gateway = testGateway()
  const runtime = ManagedRuntime.make(gateway.http)
  afterAll(() => runtime.dispose())
  return async (
    { providers, ...options }: CallerOptions & Pick<TestGatewayOptions, "providers">,
    use: Use
  ): Promise<void> => {
    const caller = await runtime.runPromise(newCaller(options))
    const before = gateway.calls().length
    const calls: TestGateway["calls"] = (endpointId) =>
      gateway
        .calls()
        .slice(before)
        .filter(({ endpoint }) => endpointId === undefined || endpoint.operation.id === endpointId)
    const unscript = scripted(gateway, providers)
    await onStage({ ...gateway, calls }, caller, use).finally(unscript)
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
