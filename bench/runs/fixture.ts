// The fixture provider alone in a process: npm run bench starts it, and every peer calls the same one.
import { Effect } from "effect"
import { FixtureProvider } from "../../src/layers/providers/fixture/FixtureProvider.js"

Effect.runFork(Effect.scoped(Effect.zipRight(FixtureProvider.start({ port: Number(process.argv[2]) }), Effect.never)))
process.once("SIGINT", () => process.exit(0))
