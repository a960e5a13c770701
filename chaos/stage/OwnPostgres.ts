/**
 * A Postgres of an attack's own, under a directory of its own, which can be stopped and started under the gateways'
 * feet.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Option, Redacted, Ref, Scope } from "effect"
import { recorded } from "../../src/layers/postgres/embedded/Place.js"
import * as Postmaster from "../../src/layers/postgres/embedded/Postmaster.js"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.js"

export interface OwnPostgres {
  readonly url: string
  /** A fast shutdown: every connection is cut, everything committed is kept. */
  readonly stop: Effect.Effect<void>
  readonly start: Effect.Effect<void>
  /** The end of its server without any shutdown; the next start recovers from its log. */
  readonly crash: Effect.Effect<void>
  /** Sets a copy of its files aside, in a moment while it is stopped. */
  readonly copy: Effect.Effect<void>
  /** Goes on from the copy: what was written since is gone. */
  readonly restore: Effect.Effect<void>
}

const settings = { max_connections: "200" }

export const acquireOwnPostgres: Effect.Effect<OwnPostgres, EmbeddedPostgres.EmbeddedPostgresError, Scope.Scope> =
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = mkdtempSync(join(tmpdir(), "provider-gateway-chaos-"))
        // Root's Postgres runs as another user, who must pass.
        chmodSync(made, 0o711)
        return made
      }),
      (made) =>
        Effect.zipRight(
          Effect.ignore(EmbeddedPostgres.destroy(made)),
          Effect.sync(() => rmSync(made, { recursive: true, force: true }))
        )
    )
    const running = yield* Ref.make(Option.none<Scope.CloseableScope>())
    const launch = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { url } = yield* Scope.extend(
        EmbeddedPostgres.start({ dataDir: directory, settings, restart: false }),
        scope
      )
      yield* Ref.set(running, Option.some(scope))
      return Redacted.value(url)
    })
    const leave = Effect.flatMap(
      Ref.getAndSet(running, Option.none()),
      Option.match({
        onNone: () => Effect.void,
        onSome: (scope) => Scope.close(scope, Exit.void)
      })
    )
    const url = yield* Effect.acquireRelease(launch, () => leave)
    const place = yield* Effect.flatMap(recorded(directory), Effect.orDie)
    const stop = Effect.zipRight(Effect.orDie(Postmaster.stop(place)), leave)
    const start = Effect.asVoid(Effect.orDie(launch))
    const aside = `${place.cluster}.copy`
    const files = (from: string, to: string) => Effect.sync(() => void execFileSync("cp", ["-a", from, to]))
    return {
      url,
      stop,
      start,
      copy: stop.pipe(Effect.zipRight(files(place.cluster, aside)), Effect.zipRight(start)),
      restore: stop.pipe(
        Effect.zipRight(Effect.sync(() => rmSync(place.cluster, { recursive: true }))),
        Effect.zipRight(files(aside, place.cluster)),
        Effect.zipRight(start)
      ),
      crash: Effect.gen(function* () {
        const server = yield* Effect.orDie(Postmaster.running(place))
        // The postmaster's children notice by themselves that it is gone, and go too.
        if (Option.isSome(server)) yield* Effect.sync(() => process.kill(server.value.pid, "SIGKILL"))
        yield* leave
      })
    }
  })
