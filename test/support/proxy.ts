/**
 * A TCP relay in front of a Postgres, for tests of what happens when the network fails: it can refuse all connections,
 * cut one the moment a given text passes from client to server (before it is handed on, or after it was carried out),
 * spoil a text, or swallow everything.
 */
import { Effect, type Scope } from "effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Proxy {
  readonly port: number
  /**
   * Cuts when `text` is sent by a client: `before` keeps it from the server, `after` lets it be carried out and
   * withholds the answer.
   */
  readonly cutAt: (text: string, when: "before" | "after") => void
  /**
   * Overwrites `text` the next time that a client sends it. The server answers with an error and keeps the connection.
   */
  readonly spoil: (text: string) => void
  /** Cuts all connections and takes no more, until `accept`. */
  readonly refuse: () => void
  /** Takes connections again, on the same port. */
  readonly accept: Effect.Effect<void>
  /** While true nothing passes in either direction, and the connections stay open. */
  readonly swallow: (swallowing: boolean) => void
}

export const makeProxy = (target: {
  readonly host: string
  readonly port: number
  /** Asks the server for another database than the client does; both names are as long. */
  readonly instead?: { readonly of: string; readonly take: string }
}): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let cut: { readonly text: string; readonly when: "before" | "after" } | undefined
    let spoilt: string | undefined
    let swallowing = false
    const cutAll = () => sockets.forEach((socket) => socket.destroy())
    const server = createServer((client) => {
      const upstream = connect(
        target.host.startsWith("/") ? { path: `${target.host}/.s.PGSQL.${target.port}` } : target
      )
      for (const socket of [client, upstream]) {
        sockets.add(socket)
        socket.on("error", () => undefined)
      }
      client.on("close", () => upstream.destroy())
      upstream.on("close", () => client.destroy())
      let done: string | undefined
      let started = false
      client.on("data", (bytes) => {
        if (swallowing) return
        if (!started && target.instead !== undefined && bytes.includes(target.instead.of))
          bytes.write(target.instead.take, bytes.indexOf(target.instead.of))
        started = true
        if (spoilt !== undefined && bytes.includes(spoilt)) {
          bytes.fill("?", bytes.indexOf(spoilt), bytes.indexOf(spoilt) + spoilt.length)
          spoilt = undefined
        }
        if (cut !== undefined && bytes.includes(cut.text)) {
          const { when } = cut
          // After: the server's answer names the command that was carried out; only then is the client cut off.
          if (when === "after") done = cut.text.split(" ")[0]?.toUpperCase()
          else client.destroy()
          cut = undefined
        }
        if (!client.destroyed) upstream.write(bytes)
      })
      upstream.on("data", (bytes) => {
        if (done === undefined) {
          if (!swallowing) client.write(bytes)
        } else if (bytes.includes(`${done}\0`) || bytes.includes(`${done} `)) client.destroy()
      })
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))),
      () =>
        Effect.promise(() => {
          cutAll()
          return new Promise((resolve) => server.close(resolve))
        })
    )
    const { port } = server.address() as AddressInfo
    return {
      port,
      accept: Effect.promise(
        () => new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)))
      ),
      cutAt: (text, when) => {
        cut = { text, when }
      },
      spoil: (text) => {
        spoilt = text
      },
      refuse: () => {
        server.close()
        cutAll()
      },
      swallow: (now) => {
        swallowing = now
      }
    }
  })
