/**
 * Logs, for the operator, which address the egress policy refused: the run itself says only that it was refused. There
 * is at most one line a minute for each provider and address, however many runs end there. It never logs a path, a
 * query or credentials.
 */
import { Clock, Effect } from "effect"
import { setBounded } from "./BoundedMap.js"
import { mayBeOpened } from "./Egress.js"
import { portOf, readUrl } from "../../domain/Url.js"

const quietMillis = 60_000
/**
 * More addresses than manifests name in practice. Beyond this number, the oldest are forgotten and may be logged again.
 */
const remembered = 1_000

/** `host:port` of an address, as `GATEWAY_EGRESS_ALLOW` takes it; null for one that cannot be read. */
export const hostAndPort = (address: string): string | null => {
  const url = readUrl(address)
  return url === null ? null : `${url.hostname}:${portOf(url)}`
}

export interface RefusedTargets {
  /** `range` is the kind of address that was refused. */
  readonly warn: (providerId: string, address: string, range: string) => Effect.Effect<void>
}

export const makeRefusedTargets = (): RefusedTargets => {
  const warnedAt = new Map<string, number>()
  return {
    warn: Effect.fnUntraced(function* (providerId, address, range) {
      const now = yield* Clock.currentTimeMillis
      const target = hostAndPort(address) ?? "unreadable"
      const key = `${providerId} ${target}`
      const before = warnedAt.get(key)
      if (before !== undefined && now - before < quietMillis) return
      setBounded(warnedAt, remembered, key, now)
      yield* Effect.logWarning(
        `The egress policy refuses a provider's address${mayBeOpened(range) ? "; where it is meant to be called, GATEWAY_EGRESS_ALLOW opens it" : ""}`
      ).pipe(Effect.annotateLogs({ providerId, address: target, range }))
    })
  }
}
