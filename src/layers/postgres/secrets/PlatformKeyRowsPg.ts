/** Platform keys as rows of Postgres. */
import { Effect, Schema } from "effect"
import { rowOf, rowsOf } from "../database/Rows.js"
import type { Database } from "../Database.js"
import { givenVariables, type PlatformKeyRow, type SecretRows } from "../../secrets/SecretRows.js"
import { readVariables, variablesText } from "./SecretColumns.js"

const SealedPlatformKey = Schema.Struct({
  providerId: Schema.String,
  sealed: Schema.Uint8ArrayFromSelf,
  keyId: Schema.String,
  createdAt: Schema.Int,
  variables: Schema.NullOr(Schema.String)
})
const sealedPlatformKeyRow = rowOf(SealedPlatformKey)
const sealedPlatformKeyRows = rowsOf(SealedPlatformKey)
const providerRows = rowsOf(SealedPlatformKey.pick("providerId"))

const platformKeyRow = ({
  createdAt,
  keyId,
  providerId,
  sealed,
  variables
}: typeof SealedPlatformKey.Type): PlatformKeyRow => ({
  providerId,
  sealed: { keyId, bytes: sealed },
  createdAt,
  ...givenVariables(readVariables(variables))
})

const keyRow = <E>(answer: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(sealedPlatformKeyRow(answer), (row) => (row === null ? null : platformKeyRow(row)))

export const platformKeyRows = ({ query, sql }: Database["Type"]) => {
  const platform = sql.literal(
    `provider_id as "providerId", sealed, key_id as "keyId", created_at as "createdAt", variables::text as variables`
  )

  return {
    putPlatformKey: ({ createdAt, providerId, sealed, variables }) =>
      Effect.zipLeft(
        keyRow(query(sql`select ${platform} from platform_keys where provider_id = ${providerId} for update`)),
        query(sql`
        insert into platform_keys (provider_id, sealed, key_id, created_at, variables)
        values (${providerId}, ${sealed.bytes}, ${sealed.keyId}, ${createdAt}, ${variablesText(variables)}::jsonb)
        on conflict (provider_id) do update set sealed = excluded.sealed, key_id = excluded.key_id, created_at = excluded.created_at, variables = excluded.variables`)
      ),
    deletePlatformKey: (providerId) =>
      keyRow(query(sql`delete from platform_keys where provider_id = ${providerId} returning ${platform}`)),
    platformKey: (providerId) =>
      keyRow(query(sql`select ${platform} from platform_keys where provider_id = ${providerId}`)),
    platformKeys: Effect.map(
      sealedPlatformKeyRows(query(sql`select ${platform} from platform_keys order by provider_id`)),
      (rows) => rows.map(platformKeyRow)
    ),
    platformProviders: Effect.map(
      providerRows(query(sql`select provider_id as "providerId" from platform_keys`)),
      (rows) => rows.map(({ providerId }) => providerId)
    )
  } satisfies Partial<SecretRows["Type"]>
}
