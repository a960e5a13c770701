/** The routes of the interface as the boundary, the document and the pages know them. Read from `Api.ts` once. */
import { Api } from "./Api.js"
import { type Route, routesOf } from "./Access.js"

export const apiRoutes: ReadonlyArray<Route> = routesOf(Api)
