/**
 * Standard output and standard error when nobody reads them any more, as after the death of a log collector, or behind
 * `| head`. What is written then is lost, and the process goes on.
 */
import { Effect } from "effect"

const lost = (): void => undefined

/** Without a listener, Node ends the process with the error of the stream. */
export const ignoreClosedOutput = Effect.sync(() => {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners("error").includes(lost)) stream.on("error", lost)
})
