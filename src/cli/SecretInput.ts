/** Where a command takes a secret from: never an argument, which every process of the machine could read. */
import { Context, Effect, Layer, Redacted } from "effect"

export class SecretInput extends Context.Tag("gateway/cli/SecretInput")<
  SecretInput,
  {
    /** All of it, without the line break at its end. */
    readonly read: Effect.Effect<Redacted.Redacted<string>>
  }
>() {}

const readAll = async (): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

export const SecretInputStdin: Layer.Layer<SecretInput> = Layer.succeed(SecretInput, {
  read: Effect.sync(() => {
    if (process.stdin.isTTY) process.stderr.write("Paste the secret, then press Enter and Ctrl-D:\n")
  }).pipe(
    Effect.zipRight(Effect.promise(readAll)),
    Effect.map((text) => Redacted.make(text.replace(/\r?\n$/, "")))
  )
})
