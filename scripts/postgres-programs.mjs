// A whole Postgres on this machine, for what the embedded one lacks programs for, and a port to start something on.
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"

const debian = "/usr/lib/postgresql"

/** The folder of its programs: that of PGBIN, or of the newest version that Debian has put here; null without one. */
export const postgresPrograms = () => {
  const given = process.env.PGBIN
  if (given !== undefined && given !== "") return given
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const [newest] = versions
    .filter((version) => existsSync(join(debian, version, "bin", "initdb")))
    .sort((one, other) => Number(other) - Number(one))
  return newest === undefined ? null : join(debian, newest, "bin")
}

/** A port of this machine that nobody listens on. */
export const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  await once(server, "close")
  return port
}
