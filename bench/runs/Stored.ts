// What many stored runs cost: the same requests at a gateway whose storage is nearly empty and at one that is full of
// runs, in turn. Half of the stored runs are of the workspace that asks.
import { Effect, Redacted } from "effect"
import Pg from "pg"
import { Database } from "../../src/layers/postgres/Database.js"
import { Reports } from "../../src/services/Reports.js"
import { fill, largest } from "../console/Fill.js"
import { asOperator, gatewayIn, newFolder, payingTokens, remove, type Settings, tokenOf } from "./Gateways.js"
import { type Call, load } from "./Load.js"
import { median } from "../Quantiles.js"
import { bearer, paidRunsWith, settled } from "./PaidRun.js"

/** Fills the storage of a gateway, and gives a token of the workspace that has half of the runs. */
const filled = (runs: number) =>
  Effect.gen(function* () {
    const { direct } = yield* Database
    yield* Effect.promise(async () => {
      const client = new Pg.Client(Redacted.value(direct.next().url))
      await client.connect()
      // An open hold would make each balance longer, whatever else is stored.
      for (const statement of fill({ runs, workspaces: 300, uncertain: 0 })) await client.query(statement)
      await client.query("vacuum analyze")
      await client.query("checkpoint")
      await client.end()
    })
    yield* (yield* Reports).keep
    return yield* tokenOf(largest)
  })

interface StoredRow {
  readonly label: string
  readonly empty: number
  readonly stored: number
}

export const besideStored = async (
  { connections, rounds, runs, seconds }: { [name in "runs" | "connections" | "seconds" | "rounds"]: number },
  settings: Settings
): Promise<ReadonlyArray<StoredRow>> => {
  const folders = { empty: newFolder(), stored: newFolder() }
  const gateways = {
    empty: await gatewayIn(folders.empty, settings),
    stored: await gatewayIn(folders.stored, settings)
  }
  const [token = ""] = await asOperator(gateways.empty.settings)(payingTokens(1))
  const tokens = { empty: token, stored: await asOperator(gateways.stored.settings)(filled(runs)) }
  const sides = ["empty", "stored"] as const
  // The lists have their rows in both.
  for (const side of sides) await load(gateways[side].url, 8, 2, paidRunsWith([tokens[side]]), settled)

  const get = (path: string) => (own: string) => (): Call => ({ path, headers: bearer(own), body: null })
  const answered = (status: number): boolean => status === 200
  const rows = [
    { label: "paid run: admission and settlement", calls: (own: string) => paidRunsWith([own]), ok: settled },
    { label: "GET runs?limit=20", calls: get("/v1/runs?limit=20"), ok: answered },
    { label: "GET ledger?limit=20", calls: get("/v1/ledger?limit=20"), ok: answered },
    { label: "GET balance", calls: get("/v1/balance"), ok: answered }
  ]
  const found = new Map<string, Array<number>>()
  for (let round = 0; round <= rounds; round += 1)
    for (const { calls, label, ok } of rows)
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const { perSecond } = await load(gateways[side].url, connections, seconds, calls(tokens[side]), ok)
        const key = `${side} ${label}`
        // The first round warms up.
        if (round > 0) found.set(key, [...(found.get(key) ?? []), perSecond])
      }
  for (const side of sides) {
    await gateways[side].stop()
    await remove(folders[side])
  }
  const of = (side: (typeof sides)[number], label: string): number => median(found.get(`${side} ${label}`) ?? [])
  return rows.map(({ label }) => ({ label, empty: of("empty", label), stored: of("stored", label) }))
}
