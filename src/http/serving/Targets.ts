/** What the first line of a request asks for, before a route is looked for. */
import type { FieldProblem } from "../../domain/ApiErrors.js"
import { queryParametersMax } from "../../domain/limits/Requests.js"
import { queryOf } from "./Routes.js"

/** Path and query of a target: one who takes this server for a proxy sends a whole URL (RFC 9112, section 3.2.2). */
export const pathAndQuery = (target: string): string => {
  const own = target.replace(/^https?:\/\/[^/?#]*/i, "")
  return own === target || own.startsWith("/") ? own : `/${own}`
}

/** Why nobody looks for a route. To read thousands of parameters would cost more than most answers do. */
export const targetProblem = (url: string): FieldProblem | null => {
  if (!url.startsWith("/")) return { field: "path", message: "must begin with /" }
  return queryOf(url).split("&", queryParametersMax + 1).length > queryParametersMax
    ? { field: "query", message: `may have at most ${queryParametersMax} parameters` }
    : null
}
