/**
 * The errors of the table that a route can answer: those that its endpoint names, those of every route, and those of
 * its middleware, which depend on the access that the route asks for. A middleware names every error that any of its
 * routes can be refused with. The document lists for each route only its own.
 */
import type { Required } from "./Access.js"

const everywhere: ReadonlyArray<string> = ["validation_error", "internal_error"]
const limited: ReadonlyArray<string> = ["rate_limit_exceeded"]
/** A token is looked up in storage. */
const tokenTaken: ReadonlyArray<string> = [
  ...limited,
  "unauthorized",
  "token_revoked",
  "storage_busy",
  "storage_uncertain",
  "runtime_bridge_timeout"
]

const beforeTheHandler = (access: Required): ReadonlyArray<string> => {
  if (access === "probe") return []
  if (access === "public" || access === "signed") return limited
  return access === "any-token" || access === "optional-token" ? tokenTaken : [...tokenTaken, "forbidden"]
}

export const possibleErrors = ({
  access,
  errors
}: {
  readonly access: Required
  readonly errors: ReadonlySet<string>
}): ReadonlySet<string> => new Set([...everywhere, ...beforeTheHandler(access), ...errors])
