/**
 * A TCP relay in front of a Postgres, for tests of what happens when the network fails: it can refuse all connections, cut one the
 * moment a given text passes from client to server (before or after handing it on), or swallow everything.
 */
import { Effect, type Scope } from "effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Proxy {
  readonly port: number
  /** Cuts when `text` is sent by a client: `before` keeps it from the server, `after` lets it through and withholds the answer. */
  readonly cutAt: (text: string, when: "before" | "after") => void
  /** Cuts all connections and takes no more. */
  readonly refuse: () => void
  /** While true nothing passes in either direction, and the connections stay open. */
  readonly swallow: (swallowing: boolean) => void
}

export const makeProxy = (target: { readonly host: string; readonly port: number }): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets = new Set<Socket>()
    let cut: { readonly text: string; readonly when: "before" | "after" } | undefined
    let swallowing = false
    const cutAll = () => sockets.forEach((socket) => socket.destroy())
    const server = createServer((client) => {
      const upstream = connect(target.host.startsWith("/") ? { path: `${target.host}/.s.PGSQL.${target.port}` } : target)
      for (const socket of [client, upstream]) {
        sockets.add(socket)
        socket.on("error", () => undefined)
      }
      client.on("close", () => upstream.destroy())
      upstream.on("close", () => client.destroy())
      let deaf = false
      client.on("data", (bytes) => {
        if (swallowing) return
        if (cut !== undefined && bytes.includes(cut.text)) {
          const { when } = cut
          cut = undefined
          // After: the server's answer to these bytes proves that they were carried out; only then is the client cut off.
          if (when === "after") deaf = true
          else client.destroy()
        }
        if (!client.destroyed) upstream.write(bytes)
      })
      upstream.on("data", (bytes) => {
        if (deaf) client.destroy()
        else if (!swallowing) client.write(bytes)
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
    return {
      port: (server.address() as AddressInfo).port,
      cutAt: (text, when) => {
        cut = { text, when }
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
