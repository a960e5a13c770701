/** A slow operation whose provider may call back, in a catalog folder of its own. */
import { catalogFolder } from "./folders.js"

const manifest = (port: number) => `
id: local
name: Local
baseUrl: http://127.0.0.1:${port}
operations:
  - id: local-slow
    name: Slow
    summary: Takes its time.
    method: POST
    path: /start
    input: { type: object, properties: { text: { type: string } } }
    price: { basis: per_call, micros: 10 }
    async:
      ticket: body.id
      poll: { path: "/state/{id}" }
      done: "body.state == 'done'"
      intervalMs: 50
      maxIntervalMs: 600000
      callback: { in: json, name: webhook }
`

/** A folder with the operation `local-slow` of a provider on this port. Polls hardly come: a callback ends the wait. */
export const slowOperation = (port: number) => catalogFolder({ providers: { local: manifest(port) } })
