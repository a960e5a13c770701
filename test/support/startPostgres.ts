// A program for tests of the embedded Postgres: starts it, says its url, and leaves it at SIGTERM. Arguments: data dir,
// shelter.
import { Effect, Redacted } from "effect"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.js"

const [dataDir = "", shelter = ""] = process.argv.slice(2)

const asked = Effect.promise(() => new Promise((resolve) => process.once("SIGTERM", resolve)))

const main = EmbeddedPostgres.start({ dataDir, shelter }).pipe(
  Effect.tap(({ url }) => Effect.sync(() => process.stdout.write(`${Redacted.value(url)}\n`))),
  Effect.zipRight(asked),
  Effect.scoped
)
// The end of the file must not wait for more: nothing else keeps the process alive while it waits for the signal.
const alive = setInterval(() => undefined, 60_000)
await Effect.runPromise(main).finally(() => clearInterval(alive))
