/**
 * The terminal of a command, or that there is none. Colours and progress are for terminals only; a question is asked
 * only where a person can answer it.
 */
import { Config, Context, Effect, Layer } from "effect"
import { createInterface } from "node:readline"

export class Screen extends Context.Tag("gateway/cli/Screen")<
  Screen,
  {
    /** Whether standard output is a terminal, and `NO_COLOR` is not set. */
    readonly colours: boolean
    /** Whether a person can be asked: standard input and standard error are a terminal. */
    readonly interactive: boolean
    /** A line on standard error, for a person who waits. */
    readonly note: (words: string) => Effect.Effect<void>
    /** Replaces the last line of the terminal at standard error; an empty text clears it. Elsewhere it does nothing. */
    readonly progress: (words: string) => Effect.Effect<void>
    /** Asks on standard error; false for every answer but y and yes, and where Ctrl-C or Ctrl-D end the question. */
    readonly ask: (question: string) => Effect.Effect<boolean>
  }
>() {}

export const asking = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream) => (question: string) =>
  Effect.async<boolean>((resume) => {
    const lines = createInterface({ input, output })
    // At a question Ctrl-C is a key like any other, and ends the reading. The cursor is still behind the question then.
    const unanswered = Effect.sync(() => {
      output.write("\n")
      return false
    })
    lines.once("close", () => resume(unanswered))
    lines.question(`${question} [y/N] `, (answer) => {
      resume(Effect.succeed(/^y(?:es)?$/i.test(answer.trim())))
      lines.close()
    })
    return Effect.sync(() => lines.close())
  })

export const ScreenOfProcess: Layer.Layer<Screen> = Layer.effect(
  Screen,
  Effect.map(Config.string("NO_COLOR").pipe(Config.withDefault("")), (noColour) => ({
    colours: process.stdout.isTTY && noColour === "",
    interactive: process.stdin.isTTY && process.stderr.isTTY,
    note: (words: string) => Effect.sync(() => void process.stderr.write(`${words}\n`)),
    progress: (words: string) =>
      Effect.sync(() => void (process.stderr.isTTY && process.stderr.write(`\r\u001b[K${words}`))),
    ask: asking(process.stdin, process.stderr)
  }))
).pipe(Layer.orDie)
