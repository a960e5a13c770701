// The floor for reads: a bare Node server that answers each path with bytes it was given, and does nothing else.
// `PUT` gives the bytes of a path. Started by npm run bench. Argument: the port.
import { createServer } from "node:http"

const answers = new Map<string, Buffer>()
createServer((request, response) => {
  const path = request.url ?? ""
  if (request.method !== "PUT") {
    response.writeHead(200, { "content-type": "application/json" })
    response.end(answers.get(path))
    return
  }
  const parts: Array<Buffer> = []
  request.on("data", (part: Buffer) => parts.push(part))
  request.on("end", () => {
    answers.set(path, Buffer.concat(parts))
    response.end()
  })
}).listen(Number(process.argv[2]), "127.0.0.1")
process.once("SIGINT", () => process.exit(0))
