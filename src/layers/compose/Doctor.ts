/**
 * Looks at everything that a gateway needs and says what is wrong and what to do about it. It changes nothing: what it
 * writes to see whether the database takes it is rolled back. Without `DATABASE_URL` it starts the embedded Postgres
 * where that was made before. What it finds is about this machine and its settings: a running node says by itself on
 * `/readyz` whether it works.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import { Clock, Context, Effect, Either, Layer, Option, Schema } from "effect"
import { counted } from "../../domain/Counted.js"
import { catalogsDiffer, catalogsInWords, makeCatalogsEqual } from "../../domain/NodeCatalogs.js"
import { lacksWorkers, nobodyWorks, nodesInWords, startAWorker } from "../../domain/NodeRole.js"
import { type Health, Reports } from "../../services/Reports.js"
import { Sealing } from "../../services/Sealing.js"
import { catalogFoldersRead, type GatewayConfig, readConfig } from "../node/Config.js"
import type { SettingsWrong } from "../node/SettingsWrong.js"
import { secret } from "../node/ConfigValues.js"
import { unknownInWords, unknownSettings } from "../node/UnknownSettings.js"
import { Database } from "../postgres/Database.js"
import { databaseNow } from "../postgres/database/Now.js"
import { lookAt, type ServerLook } from "../postgres/database/Pools.js"
import { rowOf } from "../postgres/database/Rows.js"
import { missingMigrations } from "../postgres/Migrations.js"
import { migrations } from "../postgres/migrations/index.js"
import { ReportsPg } from "../postgres/ReportsPg.js"
import { assertNoOther, assertSecretsOpen } from "../postgres/SealingPg.js"
import { SecretRowsPg } from "../postgres/SecretRowsPg.js"
import { aheadMillis, clockProblem, writeRefused } from "../postgres/StorageChecks.js"
import { givenSealingKeys, SealingAesGcm, type SealingKeys, sealingKeys } from "../secrets/SealingAesGcm.js"
import { aboutOf, SecretRows } from "../secrets/SecretRows.js"
import { DatabaseFound } from "./StorageOnPostgres.js"
import { doubtful, type Finding, right, wrong } from "./Finding.js"
import { archiveFinding, catalogOf, diskOf, egressFinding, publicUrlFinding } from "./MachineFindings.js"

const serverRow = rowOf(Schema.Struct({ version: Schema.String, now: Schema.Int }))

const schemaFinding = Effect.match(missingMigrations(migrations), {
  onFailure: (error) =>
    wrong("schema", error, "Start the version of the gateway that migrated this database, or a newer one"),
  onSuccess: (missing) =>
    missing.length === 0
      ? right("schema", `all ${Object.keys(migrations).length} migrations are there`)
      : wrong(
          "schema",
          `${counted(missing.length, "migration")} ${missing.length === 1 ? "is" : "are"} missing, the first is ${missing[0]}`,
          "Run gateway migrate; a start of the gateway does the same"
        )
})

/** Of an address with several servers: one must take writes, and the others must be ready to take over. */
export const standbyFinding = (looks: ReadonlyArray<ServerLook>): Finding => {
  const states = looks
    .map(({ is, name, why }) => `${name} ${is === "away" ? `is away (${why})` : `is a ${is}`}`)
    .join("; ")
  const primaries = looks.filter(({ is }) => is === "primary").length
  if (primaries > 1)
    return wrong(
      "servers",
      states,
      "Stop all but one at once: two servers that take writes drift apart, and money with them"
    )
  if (primaries === 0) return wrong("servers", states, "Promote a standby, or start the primary again")
  return looks.some(({ is }) => is === "away")
    ? wrong("servers", states, "Bring it back as a standby: until then no server can take over from the primary")
    : right("servers", states)
}

/** `refused`: why the storage takes no writes. Without a schema there is nothing to write to. */
const databaseFinding = (version: string, tried: { readonly refused: string | null } | null): Finding => {
  if (tried === null) return right("database", `Postgres ${version} answers`)
  return tried.refused === null
    ? right("database", `Postgres ${version} answers and takes writes`)
    : wrong(
        "database",
        `Postgres ${version} answers, but refuses writes (${tried.refused})`,
        "Make room on the disk of Postgres if it is full; otherwise its log says why. Until then nodes are not ready"
      )
}

const serverFindings = (tried: { readonly refused: string | null } | null) =>
  Effect.gen(function* () {
    const { query, servers, sql } = yield* Database
    const sent = yield* Clock.currentTimeMillis
    const row = yield* serverRow(
      query(sql`select current_setting('server_version') as version, ${sql.literal(yield* databaseNow)} as now`)
    )
    const ahead = aheadMillis(sent, yield* Clock.currentTimeMillis, row?.now ?? sent)
    const problem = clockProblem(ahead)
    return [
      databaseFinding(row?.version ?? "of an unknown version", tried),
      ...(servers.all.length > 1 ? [standbyFinding(yield* lookAt(servers))] : []),
      problem === null
        ? right("clock", `${(Math.abs(ahead) / 1000).toFixed(1)} s from the database's`)
        : wrong("clock", problem, "Set both clocks by a time server (NTP, such as chrony)")
    ]
  })

/** Who works. That no node runs is nothing wrong: nodes may not have been started yet. */
export const nodesFinding = ({ nodes, queued }: Pick<Health, "nodes" | "queued">): Finding => {
  const waiting =
    queued.runs === 0
      ? ""
      : `; ${queued.more ? "more than " : ""}${counted(queued.runs, "run")} ${queued.runs === 1 ? "waits" : "wait"} in the queue`
  return lacksWorkers(nodes)
    ? wrong("nodes", `${nodesInWords(nodes)}${waiting}. ${nobodyWorks}`, startAWorker)
    : right("nodes", `${nodesInWords(nodes)}${waiting}`)
}

/** Nothing where no node says what it serves. */
export const catalogsFinding = ({ nodes }: Pick<Health, "nodes">): ReadonlyArray<Finding> => {
  const catalogs = catalogsInWords(nodes)
  if (catalogs === null) return []
  return [
    catalogs.differ
      ? wrong("catalogs", `${catalogs.words}. ${catalogsDiffer}`, makeCatalogsEqual)
      : right("catalogs", catalogs.words)
  ]
}

/** Opens every stored secret. */
const opened = Effect.gen(function* () {
  const rows = yield* SecretRows
  const { keyIds, open } = yield* Sealing
  const stored = (yield* rows.notSealedWith("")).filter(({ sealed }) => keyIds.has(sealed.keyId))
  const results = yield* Effect.forEach(stored, ({ place, sealed }) => Effect.either(open(sealed, aboutOf(place))))
  return { stored: stored.length, unreadable: results.filter(Either.isLeft).length }
})

const keysAdvice =
  "Give GATEWAY_SEALING_KEYS every key with which secrets are sealed; gateway secrets rotate seals all with the first"

const givenKeysAdvice =
  "Set either GATEWAY_SEALING_KEYS to keys as id:base64 of 32 bytes with commas between them, or GATEWAY_SEALING_KEYS_FILE to a file of such keys that this user may read: those with which secrets are sealed, or for a new gateway one of openssl rand -base64 32"

const keyFileAdvice =
  "Let this user read the file, and put the keys back with which secrets are sealed; where no secret is stored, remove it, and the next start makes one"

/** The keys of this machine, as a start would have them; null where the first start makes one for development. */
const keysHere = (config: GatewayConfig) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const keyFile = config.production ? null : `${config.dataDir}/sealing-keys`
    if (keyFile !== null && Option.isNone(yield* secret("GATEWAY_SEALING_KEYS")) && !(yield* files.exists(keyFile)))
      return null
    return yield* sealingKeys({ keyFile })
  }).pipe(Effect.mapError((error) => wrong("sealing keys", error, keyFileAdvice)))

const sealingFinding = (keys: SealingKeys | null) =>
  Effect.gen(function* () {
    if (keys === null) return right("sealing keys", "there is none yet; the first start makes one for development")
    return yield* Effect.gen(function* () {
      yield* assertNoOther(keys)
      yield* assertSecretsOpen
      const { stored, unreadable } = yield* opened
      return unreadable === 0
        ? right(
            "sealing keys",
            `${keys.byId.size} here; ${counted(stored, "stored secret")} ${stored === 1 ? "opens" : "open"}`
          )
        : wrong(
            "sealing keys",
            `${unreadable} of ${counted(stored, "stored secret")} ${unreadable === 1 ? "does" : "do"} not open`,
            keysAdvice
          )
    }).pipe(Effect.provide(Layer.merge(SealingAesGcm(keys), SecretRowsPg)))
  }).pipe(Effect.catchAll((error) => Effect.succeed(wrong("sealing keys", error, keysAdvice))))

/** What needs the database, and the providers that have a key. Sealing keys that cannot be read are told elsewhere. */
const overDatabase = (config: GatewayConfig, keysRead: Either.Either<SealingKeys | null, Finding>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(DatabaseFound({ ...config, databaseConnections: 4 }))
    return yield* Effect.gen(function* () {
      const schema = yield* schemaFinding
      const server = yield* serverFindings(schema.ok ? { refused: yield* writeRefused } : null)
      if (!schema.ok) return { findings: [...server, schema], keyed: new Set<string>() }
      const platformKeys = yield* Effect.flatMap(SecretRows, (rows) => rows.platformKeys)
      const keyed = new Set(platformKeys.map(({ providerId }) => providerId))
      const health = yield* (yield* Reports).health
      const nodes = [nodesFinding(health), ...catalogsFinding(health)]
      const sealing = Either.isRight(keysRead) ? [yield* sealingFinding(keysRead.right)] : []
      return { findings: [...server, schema, ...nodes, ...sealing], keyed }
    }).pipe(
      Effect.provide(
        Context.merge(context, yield* Effect.provide(Layer.build(Layer.merge(ReportsPg, SecretRowsPg)), context))
      )
    )
  }).pipe(
    Effect.scoped,
    Effect.catchAll((error) =>
      Effect.succeed({
        findings: [
          error._tag === "NoGatewayHere" || error._tag === "DatabaseUnusable"
            ? wrong("database", error.found, error.advice)
            : wrong("database", error, "Look why the embedded Postgres does not start, or set DATABASE_URL to another")
        ],
        keyed: new Set<string>()
      })
    )
  )

/** All findings, in the order in which a start would meet them. */
export const examine = Effect.gen(function* () {
  const read = yield* Effect.either(readConfig)
  const unknown = yield* unknownSettings
  const named = unknown.map((setting) =>
    doubtful("settings", unknownInWords(setting), "Correct the name, or leave it where another program reads it")
  )
  const folders = yield* Effect.either(catalogFoldersRead)
  const needed = Either.isRight(read) && read.right.production
  const keysGiven = yield* Effect.either(givenSealingKeys({ needed }))
  const linesOf = (wrong: Either.Either<unknown, SettingsWrong>) => (Either.isLeft(wrong) ? wrong.left.lines : [])
  const lines = [...linesOf(read), ...linesOf(folders)]
  const keyLines = linesOf(keysGiven)
  if (Either.isLeft(read) || lines.length + keyLines.length > 0)
    return [
      ...lines.map((line) =>
        wrong("settings", line, "Correct this variable; docs/configuration.md lists every setting and what it takes")
      ),
      ...keyLines.map((line) => wrong("settings", line, givenKeysAdvice)),
      ...named
    ]
  const config = read.right
  const settings = right("settings", `all can be used, for ${config.production ? "production" : "development"}`)
  const keysRead = yield* Effect.either(keysHere(config))
  const { findings, keyed } = yield* overDatabase(config, keysRead)
  const catalog = yield* catalogOf(config, keyed).pipe(
    Effect.flatMap(({ found, ...origins }) =>
      Effect.map(egressFinding(origins, config.egressAllow), (egress) => [found, egress])
    ),
    Effect.catchAll((error) =>
      Effect.succeed([wrong("catalog", error, "Run gateway catalog lint, which names every problem")])
    )
  )
  return [
    settings,
    ...named,
    ...findings,
    ...(Either.isLeft(keysRead) ? [keysRead.left] : []),
    ...catalog,
    yield* diskOf(config),
    ...(yield* archiveFinding(config)),
    publicUrlFinding(config)
  ]
})
