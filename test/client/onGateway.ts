/** A client, a relay that spoils what a test says, and a whole gateway behind it, over real sockets. */
import { Effect, ManagedRuntime, Redacted } from "effect"
import { afterAll, assert } from "vitest"
import { type ClientOptions, createClient, type GatewayClient, type LedgerEntry } from "../../src/client/index.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { scopes } from "../../src/domain/Scope.js"
import { Accounts, Address, testGateway, type TestGateway, type TestGatewayOptions, Wallet } from "../../src/testing.js"
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

/** A workspace of its own with money, and a token of it. */
const newCaller = (limits: { readonly inflightLimit?: number }) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { workspaceId } = yield* accounts.createWorkspace(`test ${Math.random()}`, commandLine)
    yield* accounts.setLimits(workspaceId, limits, commandLine)
    yield* (yield* Wallet).credit(
      { workspaceId, kind: "adjustment", micros: 100_000_000, reason: "test", topUpId: null, key: "test" },
      commandLine
    )
    const { token } = yield* accounts.createToken(
      { workspaceId, label: "test", scopes, monthlyLimitMicros: null, expiresAt: null },
      commandLine
    )
    return { token: Redacted.value(token), url: (yield* Address).url }
  })

/**
 * On a gateway that all tests of a file share, each with a workspace and scripts of its own: to start one takes longer
 * than most tests. Not for tests after which the gateway thinks worse of a provider. To be called at the top of a file.
 */
export const gatewayOfFile = () => {
  const gateway = testGateway()
  const runtime = ManagedRuntime.make(gateway.http)
  afterAll(() => runtime.dispose())
  return async (
    { providers = {}, ...limits }: Pick<TestGatewayOptions, "inflightLimit" | "providers">,
    use: Use
  ): Promise<void> => {
    const caller = await runtime.runPromise(newCaller(limits))
    const before = gateway.calls().length
    const calls: TestGateway["calls"] = (endpointId) =>
      gateway
        .calls()
        .slice(before)
        .filter(({ endpoint }) => endpointId === undefined || endpoint.operation.id === endpointId)
    for (const [endpointId, script] of Object.entries(providers)) gateway.script(endpointId, ...[script].flat())
    await onStage({ ...gateway, calls }, caller, use).finally(() => {
      // Without a script an endpoint answers its documented hit.
      for (const endpointId of Object.keys(providers)) gateway.script(endpointId)
    })
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
