/**
 * Swagger UI, which shows the OpenAPI document to people: its script and its stylesheet, as the platform library
 * carries them. The library gives them out only inside of a page with everything inline, which our policy refuses; so
 * they are taken out of that page. A test fails when a new version of the library makes its page another way.
 */
import { HttpApi, HttpApiBuilder, HttpApiSwagger, HttpServer } from "@effect/platform"
import { Effect, Layer } from "effect"

export interface SwaggerUi {
  readonly script: string
  readonly style: string
}

const page: Effect.Effect<string> = Effect.promise(async () => {
  const nothingToShow = HttpApiBuilder.api(HttpApi.make("nothing"))
  const { dispose, handler } = HttpApiBuilder.toWebHandler(
    Layer.mergeAll(Layer.provideMerge(HttpApiSwagger.layer(), nothingToShow), HttpServer.layerContext)
  )
  const answer = await handler(new Request("http://gateway.invalid/docs"))
  const text = await answer.text()
  await dispose()
  return text
})

const between = (text: string, start: string, end: string): Effect.Effect<string> => {
  const from = text.indexOf(start)
  const to = text.lastIndexOf(end)
  return from === -1 || to < from
    ? Effect.dieMessage(`Swagger UI has no ${start} in the page of the library`)
    : Effect.succeed(text.slice(from + start.length, to).trim())
}

/** Two megabytes, so they are made only when somebody looks. */
export const swaggerUi: Effect.Effect<SwaggerUi> = Effect.flatMap(page, (text) =>
  Effect.all({
    script: between(text, "<script>", "window.onload"),
    style: between(text, "<style>", "</style>")
  })
)
