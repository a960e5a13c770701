/**
 * Says, before a catalog is put in force, which of its providers the egress policy will refuse by their address alone.
 * It asks no name server: `gateway doctor` does.
 */
import { Either } from "effect"
import type { CatalogContent } from "../../services/CatalogPublisher.js"
import { makeEgress, mayBeOpened } from "../providers/Egress.js"
import { hostAndPort } from "../providers/RefusedTargets.js"

/**
 * A sentence for each such provider. `allow` holds what `GATEWAY_EGRESS_ALLOW` opens here; the gateway's own setting,
 * which decides, may be another.
 */
export const refusedAddressWords = (
  { endpoints }: Pick<CatalogContent, "endpoints">,
  allow: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const egress = makeEgress(allow)
  const addresses = new Map(endpoints.map(({ provider: { baseUrl, id } }) => [id, baseUrl]))
  return Array.from(addresses).flatMap(([id, baseUrl]) => {
    const vetted = egress.vetOrigin(baseUrl)
    const target = hostAndPort(baseUrl)
    return Either.isLeft(vetted) && mayBeOpened(vetted.left.range) && target !== null
      ? [`Runs of ${id} will be refused (route_denied) unless the gateway's GATEWAY_EGRESS_ALLOW names ${target}`]
      : []
  })
}
