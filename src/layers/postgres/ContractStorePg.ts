/**
 * Contracts in Postgres. A version that is stored already is left alone, so that all nodes may store the same catalog
 * at the same time.
 */
import { Effect, Layer, Schema } from "effect"
import { wellFormed } from "../../domain/Characters.js"
import { Json } from "../../domain/Json.js"
import { ContractStore, type StoredContract } from "../../services/ContractStore.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"

const nameRows = rowsOf(Schema.Struct({ endpointId: Schema.String, contractVersion: Schema.String }))
const contractRow = rowOf(Schema.Struct({ contract: Json }))

/** The rows of one statement. Their texts are made without a pause, which must not keep requests waiting. */
const batchSize = 200

export const ContractStorePg: Layer.Layer<ContractStore, never, Database> = Layer.effect(
  ContractStore,
  Effect.gen(function* () {
    const { query, sql, transact } = yield* Database

    const missingOf = (batch: ReadonlyArray<StoredContract>) =>
      nameRows(
        query(sql`
      select wanted.endpoint_id as "endpointId", wanted.contract_version as "contractVersion"
      from unnest(${batch.map(({ endpointId }) => endpointId)}::text[], ${batch.map(({ contractVersion }) => contractVersion)}::text[]) as wanted (endpoint_id, contract_version)
      where not exists (select from catalog_contracts kept where kept.endpoint_id = wanted.endpoint_id and kept.contract_version = wanted.contract_version)`)
      )

    const insert = (batch: ReadonlyArray<StoredContract>) =>
      transact(sql`
      insert into catalog_contracts (endpoint_id, contract_version, contract)
      select * from unnest(
        ${batch.map(({ endpointId }) => endpointId)}::text[],
        ${batch.map(({ contractVersion }) => contractVersion)}::text[],
        ${batch.map(({ contract }) => contract())}::jsonb[])
      order by 1, 2
      on conflict (endpoint_id, contract_version) do update set contract = excluded.contract where catalog_contracts.contract is distinct from excluded.contract`)

    return ContractStore.of({
      keep: Effect.fn("ContractStore.keep")(function* (contracts, options) {
        for (let start = 0; start < contracts.length; start += batchSize) {
          const batch = contracts.slice(start, start + batchSize)
          if (options?.refresh === true) {
            yield* insert(batch)
            continue
          }
          const missing = new Set(
            (yield* missingOf(batch)).map(({ contractVersion, endpointId }) => `${endpointId} ${contractVersion}`)
          )
          const fresh = batch.filter(({ contractVersion, endpointId }) =>
            missing.has(`${endpointId} ${contractVersion}`)
          )
          if (fresh.length > 0) yield* insert(fresh)
        }
      }),
      find: Effect.fn("ContractStore.find")(function* (endpointId, contractVersion) {
        const row = yield* contractRow(
          query(sql`
          select contract from catalog_contracts where endpoint_id = ${wellFormed(endpointId)} and contract_version = ${contractVersion}`)
        )
        return row?.contract ?? null
      })
    })
  })
)
