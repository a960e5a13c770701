/** The same answer; `end` is called once its body is read to its end, has failed, or is read no further. */
export const whenRead = (answer: Response, end: () => void): Response => {
  if (answer.body === null) {
    end()
    return answer
  }
  const reader = answer.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (failure) {
          controller.error(failure)
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
  return new Response(body, answer)
}
