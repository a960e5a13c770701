// What an address says of TLS, as the driver takes it, and a server whose certificate nobody known has signed.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import Pg from "pg"
import { DatabasePg } from "../../../src/layers/postgres/Database.js"
import { driverAddress } from "../../../src/layers/postgres/database/Tls.js"

const modeAt = (parameters: string) => new Pg.Client(driverAddress(`postgres://u@h/d?${parameters}`)).ssl

describe("the address for the driver", () => {
  it("names the checks that are made, so that the driver has nothing to warn of", () => {
    for (const mode of ["prefer", "require", "verify-ca", "verify-full"])
      assert.strictEqual(
        driverAddress(`postgres://u@h/d?a=b&sslmode=${mode}&c=d`),
        "postgres://u@h/d?a=b&sslmode=verify-full&c=d"
      )
    for (const mode of ["disable", "no-verify"])
      assert.strictEqual(driverAddress(`postgres://u@h/d?sslmode=${mode}`), `postgres://u@h/d?sslmode=${mode}`)
    const asLibpq = "postgres://u@h/d?uselibpqcompat=true&sslmode=require"
    assert.strictEqual(driverAddress(asLibpq), asLibpq)
    assert.deepStrictEqual([modeAt("sslmode=require"), modeAt("sslmode=disable")], [{}, false])
  })
})

/** The server's half of a key and a certificate of its own, which no authority has signed. */
const makeCertificate = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-tls-"))
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject],
      {
        stdio: "ignore"
      }
    )
    return { folder, key: readFileSync(key), cert: readFileSync(cert) }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** Says yes to the request for TLS, as Postgres does, and shows its certificate. Answers its port. */
const serving = (certificate: { readonly key: Buffer; readonly cert: Buffer }) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
        const sockets = new Set<Socket>()
        const server = createServer((socket) => {
          sockets.add(socket)
          socket.on("error", () => undefined)
          socket.once("data", () => {
            socket.write("S")
            new TLSSocket(socket, { isServer: true, ...certificate }).on("error", () => undefined).resume()
          })
        })
        const close = () => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed({ port: typeof address === "object" && address !== null ? address.port : 0, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ port }) => port
  )

describe.runIf(spawnSync("openssl", ["version"]).status === 0)("a server with a certificate of its own", () => {
  it.scoped("is told from one that is not there", () =>
    Effect.gen(function* () {
      const port = yield* serving(yield* makeCertificate)
      const url = Redacted.make(`postgres://u:secret@localhost:${port}/d?sslmode=require`)
      const failure = yield* Effect.flip(Effect.scoped(Layer.build(DatabasePg({ url }))))
      assert.match(failure.message, /^The database answers, but its certificate is not trusted .*sslrootcert=FILE$/)
    })
  )
})
