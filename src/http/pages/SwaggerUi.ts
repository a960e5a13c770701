/**
 * The script of Swagger UI, which shows the OpenAPI document to people, as the platform library carries it. The library
 * gives it out only inside of a page with everything inline, which our policy refuses; so it is taken out of that page.
 * A test fails when a new version of the library makes its page another way.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServer from "@effect/platform/HttpServer"
import { Effect, Layer } from "effect"

const page: Effect.Effect<string> = Effect.promise(async () => {
  const HttpApiSwagger = await import("@effect/platform/HttpApiSwagger")
  const nothingToShow = HttpApiBuilder.api(HttpApi.make("nothing"))
  const { dispose, handler } = HttpApiBuilder.toWebHandler(
    Layer.mergeAll(Layer.provideMerge(HttpApiSwagger.layer(), nothingToShow), HttpServer.layerContext)
  )
  const answer = await handler(new Request("http://gateway.invalid/docs"))
  const text = await answer.text()
  await dispose()
  return text
})

/** Two megabytes, so it is loaded and made only when somebody looks. */
export const swaggerUi: Effect.Effect<string> = Effect.flatMap(page, (text) => {
  const from = text.indexOf("<script>")
  const to = text.lastIndexOf("window.onload")
  return from === -1 || to < from
    ? Effect.dieMessage("The page of the library has no script of Swagger UI")
    : Effect.succeed(text.slice(from + "<script>".length, to).trim())
})
