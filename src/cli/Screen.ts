/**
 * The terminal of a command, or that there is none. Colours and progress are for terminals only; a question is asked
 * only where a person can answer it.
 */
import { Config, Context, Effect, Layer } from "effect"
import { createInterface } from "node:readline/promises"

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
    /** Asks on standard error; false for every answer but y and yes. */
    readonly ask: (question: string) => Effect.Effect<boolean>
  }
>() {}

const ask = (question: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => createInterface({ input: process.stdin, output: process.stderr })),
    (lines) => Effect.promise((signal) => lines.question(`${question} [y/N] `, { signal })),
    (lines) => Effect.sync(() => lines.close())
  ).pipe(Effect.map((answer) => /^y(?:es)?$/i.test(answer.trim())))

export const ScreenOfProcess: Layer.Layer<Screen> = Layer.effect(
  Screen,
  Effect.map(Config.string("NO_COLOR").pipe(Config.withDefault("")), (noColour) => ({
    colours: process.stdout.isTTY && noColour === "",
    interactive: process.stdin.isTTY && process.stderr.isTTY,
    note: (words: string) => Effect.sync(() => void process.stderr.write(`${words}\n`)),
    progress: (words: string) =>
      Effect.sync(() => void (process.stderr.isTTY && process.stderr.write(`\r\u001b[K${words}`))),
    ask
  }))
).pipe(Layer.orDie)
