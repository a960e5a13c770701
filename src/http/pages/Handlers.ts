/** Serves the pages that need no session. Each is made when somebody first asks for it, and then kept. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, type Layer } from "effect"
import { wantsPage } from "../Accept.js"
import { Api } from "../Api.js"
import type { Open } from "../Auth.js"
import { namesNothing } from "../GivenId.js"
import { readAssets } from "../console/Assets.js"
import { pageHeaders } from "../PageHeaders.js"
import { served, type Served } from "../serving/Endpoints.js"
import { HttpSettings, prefixOf } from "../Settings.js"
import { aboutJson, homePage } from "./About.js"
import { fileAnswer, referenceFiles, schemaAnswer, schemaAnswers } from "./Files.js"
import { publicFrame } from "./Frame.js"
import { guidePage, guides, missingPage } from "./Guides.js"
import type { PublicPage } from "./Page.js"
import { referencePage } from "./ReferencePage.js"
import { startPage } from "./StartPage.js"

export const PagesHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "pages">,
  never,
  HttpSettings | Open | Served
> = HttpApiBuilder.group(Api, "pages", (handlers) =>
  served(
    Effect.gen(function* () {
      const { publicUrl } = yield* HttpSettings
      const assets = yield* readAssets
      const prefix = prefixOf(publicUrl)
      const rendered = (page: PublicPage, headers: { readonly [name: string]: string } = {}, status = 200) =>
        HttpServerResponse.text(publicFrame(assets, page).render({ prefix, csrf: null }), {
          status,
          contentType: "text/html; charset=utf-8",
          headers: { ...pageHeaders, "cache-control": "no-cache", ...headers }
        })

      const files = yield* Effect.cached(referenceFiles)
      const schemas = yield* Effect.cached(Effect.sync(schemaAnswers))
      const varied = { vary: "accept" }
      const about = HttpServerResponse.text(aboutJson(publicUrl), { contentType: "application/json", headers: varied })
      const home = yield* Effect.cached(Effect.sync(() => rendered(homePage, varied)))
      const start = yield* Effect.cached(Effect.sync(() => rendered(startPage(Api))))
      const reference = yield* Effect.cached(Effect.map(files, (found) => rendered(referencePage(found))))

      const shownGuides = new Map<string, Effect.Effect<HttpServerResponse.HttpServerResponse | null>>()
      for (const { name } of guides)
        shownGuides.set(
          name,
          yield* Effect.cached(Effect.map(guidePage(name), (page) => (page === null ? null : rendered(page))))
        )
      const noGuide = yield* Effect.cached(Effect.sync(() => rendered(missingPage, varied, 404)))

      return handlers
        .handle("home", ({ request }) => (wantsPage(request.headers["accept"]) ? home : Effect.succeed(about)))
        .handle("docs", () => start)
        .handle("docsSlashed", () => start)
        .handle("docsReference", () => reference)
        .handle("docsGuide", ({ path: { guide }, request }) =>
          Effect.gen(function* () {
            const shown = yield* shownGuides.get(guide) ?? Effect.succeed(null)
            if (shown !== null) return shown
            if (wantsPage(request.headers["accept"])) return yield* noGuide
            return yield* namesNothing("guide", guide)
          })
        )
        .handle("docsFile", ({ path, request }) =>
          Effect.flatMap(
            path.file.endsWith(".schema.json")
              ? Effect.map(schemas, (found) => schemaAnswer(found, path.file, request.headers["if-none-match"]))
              : Effect.map(files, (found) => fileAnswer(found, path.file, request.headers["if-none-match"])),
            (found) => found ?? namesNothing("file", path.file)
          )
        )
    }),
    Context.pick()
  )
)
