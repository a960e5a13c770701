/** What `gateway doctor` finds about this machine and its settings, without the database. */
import { Duration, Effect, Option } from "effect"
import { resolve as absolute } from "node:path"
import { counted } from "../../domain/Counted.js"
import { diskFreeBytesMin } from "../../domain/limits/Nodes.js"
import { readUrl } from "../../domain/Url.js"
import { ArchiveFiles } from "../../services/ArchiveFiles.js"
import { builtInCatalog } from "../catalog/BuiltInCatalog.js"
import { readCatalog } from "../catalog/CatalogFiles.js"
import { ArchiveFilesOnDisk } from "../node/ArchiveFilesOnDisk.js"
import { type GatewayConfig, publicUrlProblem } from "../node/Config.js"
import { dataDisk } from "../node/DataDisk.js"
import { makeEgress, type Resolve, systemResolve, TargetRefused } from "../providers/Egress.js"
import { doubtful, type Finding, right, wrong } from "./Finding.js"

const hostsAsked = 5
const resolveWithin = Duration.seconds(5)

/** Where providers are, those with a key of the gateway first. */
interface ProviderOrigins {
  readonly origins: ReadonlyArray<URL>
  /** Hosts of providers of which the gateway has no key. */
  readonly unkeyed: ReadonlySet<string>
}

const needsNone =
  ". The gateway has no key for these, so nothing is wrong if nobody here runs them; gateway provider state PROVIDER disabled keeps runs away from one"

/**
 * Whether the names of providers resolve to addresses that runs may reach. The first ones are asked. What is true of
 * the `unkeyed` hosts alone, for which the gateway has no key, is only remarked on: a closed network need not reach
 * every provider that is built in.
 */
export const egressFinding = (
  { origins: all, unkeyed }: ProviderOrigins,
  allow: ReadonlyArray<string>,
  resolve: Resolve = systemResolve
): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const origins = all.slice(0, hostsAsked)
    const egress = makeEgress(allow, resolve)
    const asked = yield* Effect.forEach(
      origins,
      (origin) =>
        Effect.async<{ readonly host: string; readonly problem: string | null; readonly refused: boolean }>(
          (resume) => {
            const { hostname: host } = origin
            egress.lookupFor(origin)(host, { all: true }, (error) => {
              const refused = error instanceof TargetRefused
              const problem =
                error === null ? null : refused ? `has an address of the range ${error.range}` : "does not resolve"
              resume(Effect.succeed({ host, problem, refused }))
            })
          }
        ).pipe(
          Effect.timeoutTo({
            duration: resolveWithin,
            onSuccess: (found) => found,
            onTimeout: () => ({ host: origin.hostname, problem: "has no answer after 5 seconds", refused: false })
          })
        ),
      { concurrency: hostsAsked }
    )
    const bad = asked.filter(({ problem }) => problem !== null)
    const names = asked.map(({ host }) => host).join(", ")
    const unasked = all.length - asked.length
    const rest = unasked === 0 ? "" : `; ${unasked} more ${unasked === 1 ? "was" : "were"} not asked`
    if (asked.length === 0) return right("egress", "no provider has a name to resolve")
    if (bad.length === 0) return right("egress", `the names of providers resolve (${names}${rest})`)
    const problems = bad.map(({ host, problem }) => `${host} ${problem}`).join("; ")
    const found =
      bad.length === asked.length
        ? `none of ${counted(asked.length, "name")} can be used: ${problems}${rest}`
        : `${problems}${rest}`
    const advice = bad.some(({ refused }) => refused)
      ? "Runs do not call private addresses: correct the name server, or open host:port with GATEWAY_EGRESS_ALLOW"
      : "Runs cannot reach these providers: check the name servers and the firewall of this machine"
    return bad.every(({ host }) => unkeyed.has(host))
      ? doubtful("egress", found, `${advice}${needsNone}`)
      : wrong("egress", found, advice)
  })

const catalogFinding = ({ catalogFolders }: GatewayConfig, operations: number): Finding =>
  right(
    "catalog",
    `${counted(operations, "operation")}, ${["built in", ...catalogFolders.map((folder) => absolute(folder))].join(" and of ")}`
  )

/** The catalog of the folders, and the addresses in it; of providers with a key first, because they are used. */
export const catalogOf = (config: GatewayConfig, keyed: ReadonlySet<string>) =>
  Effect.map(readCatalog([builtInCatalog, ...config.catalogFolders]), ({ endpoints }) => {
    const real = endpoints.flatMap(({ provider }) => {
      // An address that depends on a customer is nobody's to look up.
      const origin = provider.mock || provider.variables !== undefined ? null : readUrl(provider.baseUrl)
      return origin === null ? [] : [{ id: provider.id, origin }]
    })
    const used = real.filter(({ id }) => keyed.has(id))
    const inOrder = [...used, ...real.filter(({ id }) => !keyed.has(id))]
    const usedHosts = new Set(used.map(({ origin }) => origin.hostname))
    return {
      found: catalogFinding(config, endpoints.length),
      origins: [...new Map(inOrder.map(({ origin }) => [origin.host, origin])).values()],
      unkeyed: new Set(inOrder.map(({ origin }) => origin.hostname).filter((host) => !usedHosts.has(host)))
    }
  })

const gib = (bytes: number): string => `${(bytes / 1_073_741_824).toFixed(1)} GiB`

export const diskFinding = (place: string, freeBytes: number): Finding =>
  freeBytes >= diskFreeBytesMin
    ? right("disk", `${gib(freeBytes)} are free at ${place}`)
    : wrong(
        "disk",
        `${gib(freeBytes)} are free at ${place}`,
        `Make room for at least ${gib(diskFreeBytesMin)}, or set GATEWAY_DATA_DIR to another disk`
      )

export const diskOf = (config: GatewayConfig): Effect.Effect<Finding> =>
  Effect.match(dataDisk(absolute(config.dataDir)), {
    onFailure: ({ place }) =>
      wrong("disk", `the free space at ${place} cannot be read`, "Check that this user may read it"),
    onSuccess: ({ freeBytes, place }) =>
      Option.isNone(config.databaseUrl)
        ? diskFinding(place, freeBytes)
        : right(
            "disk",
            `${gib(freeBytes)} are free at ${place}, which holds little: the disk of the database is looked at on its own machine`
          )
  })

/** `freeBytes` is null where the system does not tell. */
export const archiveFolderFinding = (folder: string, freeBytes: number | null): Finding =>
  freeBytes === null || freeBytes >= diskFreeBytesMin
    ? right("archive folder", `${folder} can be written${freeBytes === null ? "" : `, ${gib(freeBytes)} are free`}`)
    : wrong(
        "archive folder",
        `${gib(freeBytes)} are free at ${folder}`,
        `Make room for at least ${gib(diskFreeBytesMin)}: a month whose file does not fit stays in the database`
      )

export const archiveFinding = ({
  retention
}: Pick<GatewayConfig, "retention">): Effect.Effect<ReadonlyArray<Finding>> => {
  const folder = Option.getOrNull(retention)?.archiveDir ?? null
  return folder === null
    ? Effect.succeed([])
    : Effect.flatMap(ArchiveFiles, ({ check }) => check).pipe(
        Effect.zipRight(Effect.orElseSucceed(dataDisk(absolute(folder)), () => ({ freeBytes: null }))),
        Effect.match({
          onFailure: (error) =>
            wrong(
              "archive folder",
              error,
              "Let this user write to the folder of GATEWAY_ARCHIVE_DIR: until then no month leaves the database"
            ),
          onSuccess: ({ freeBytes }) => archiveFolderFinding(absolute(folder), freeBytes)
        }),
        Effect.map((found) => [found]),
        Effect.provide(ArchiveFilesOnDisk(folder))
      )
}

const publicAdvice = "Set GATEWAY_PUBLIC_URL to the https address by which people and clients reach this gateway"

export const publicUrlFinding = (config: Pick<GatewayConfig, "production" | "publicUrl">): Finding => {
  const problem = publicUrlProblem(config)
  return problem === null ? right("public address", config.publicUrl) : wrong("public address", problem, publicAdvice)
}
