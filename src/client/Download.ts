import type { FetchAnswer } from "./Settings.js"

/**
 * A file as it comes, with each piece for as long as `within` lets it; `end` is called once it is read to its end, has
 * failed, or is read no further.
 */
export const download = (
  answer: FetchAnswer,
  { end, within }: { readonly end: () => void; readonly within: <A>(work: Promise<A>) => Promise<A> }
): Response => {
  const headers = new Headers()
  answer.headers.forEach((value, name) => headers.append(name, value))
  const about = { status: answer.status, headers }
  const reader = answer.body?.getReader()
  if (reader === undefined) {
    end()
    return new Response(null, about)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await within(reader.read())
          if (!done && value !== undefined) return controller.enqueue(value)
          controller.close()
        } catch (failure) {
          controller.error(failure)
          // Whoever sends it need not go on. That it has failed already is no news.
          reader.cancel(failure).catch(() => undefined)
        }
        end()
      },
      cancel: (reason) => {
        end()
        return reader.cancel(reason)
      }
    },
    // Nothing is read before somebody asks for it.
    { highWaterMark: 0 }
  )
  return new Response(body, about)
}
