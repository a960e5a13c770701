/** What a manifest must not say about reading in pages. Found when the manifest is read. */
import { isObject } from "../../domain/Json.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { originProblems } from "./FollowUps.js"
import { keyPlaces } from "./KeyPlacement.js"
import type { PlanProblem } from "./RequestPlan.js"

const isJson = (type: string): boolean => /[/+]json\b/.test(type)

export const pageProblems = ({ operation, provider }: Endpoint): ReadonlyArray<PlanProblem> => {
  const { bindings, pages, response, volume } = operation
  if (pages === undefined) return []
  const problems: Array<PlanProblem> = []
  const problem = (path: string, message: string) => problems.push({ path, message })
  const known = isObject(operation.input["properties"]) ? operation.input["properties"] : {}
  const { next } = pages
  if (operation.effect === "effectful")
    problem("pages", "cannot be read of an effectful operation, which is called once")
  if (operation.async !== undefined) problem("pages", "cannot be read of a slow operation (async)")
  if (response.parse !== undefined || !operation.contentTypes.every(isJson))
    problem(
      "pages",
      "can be read of answers in JSON only: let contentTypes be application/json alone, without response.parse"
    )
  if (volume === undefined) problem("volume", "is needed to read in pages: it says how many results are wanted")
  else {
    const field = member(known, volume.field)
    const type = isObject(field) ? field["type"] : undefined
    if (type !== "integer" && type !== "number")
      problem("volume.field", "must be a number of the input, an integer, to read in pages")
    if (volume.max <= pages.size)
      problem("pages.size", `must be below volume.max (${volume.max}): one page serves every input`)
    else if (Math.ceil(volume.max / pages.size) > pages.max)
      problem("pages.max", `must be at least ${Math.ceil(volume.max / pages.size)}, as volume.max takes so many pages`)
    if ("field" in next && next.field === volume.field)
      problem("pages.next.field", "must be another field than that of the volume")
  }
  if ("field" in next && !Object.hasOwn(known, next.field) && !Object.hasOwn(bindings, next.field))
    problem("pages.next.field", `names ${next.field}, which is neither a property of input nor in bindings`)
  if (next.by === "url" || next.by === "link") {
    if (operation.method !== "GET") problem("pages.next.by", `${next.by} is asked by GET, and the operation is not`)
    if (keyPlaces(provider.auth).some((place) => place.in === "path"))
      problem("pages.next.by", `${next.by} has no place for the key, which goes into the path`)
  } else if (pages.origins !== undefined)
    problem("pages.origins", "is for addresses that the provider tells (url, link)")
  problems.push(...originProblems(provider, "pages", pages.origins))
  if (pages.billed === "call" && response.costMicros !== undefined)
    problem("pages.billed", "must be page, as the answer of each page tells its cost (response.costMicros)")
  return problems
}
