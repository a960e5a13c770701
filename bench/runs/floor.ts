// The floor for a paid run: Fastify in front of undici, which passes each request on and does nothing else.
// Started by npm run bench. Arguments: the port, and the origin of the provider.
import Fastify from "fastify"
import { Pool } from "undici"

const provider = new Pool(process.argv[3] ?? "", { connections: 256, pipelining: 1 })
const app = Fastify()
// The body stays the text that it is: a proxy has no use for what it says.
app.addContentTypeParser("application/json", { parseAs: "string" }, (_, body, done) => done(null, body))
app.all("/*", async (request, reply) => {
  const answer = await provider.request({
    method: request.method === "POST" ? "POST" : "GET",
    path: request.url,
    headers: { "content-type": "application/json" },
    body: typeof request.body === "string" ? request.body : null
  })
  return reply.code(answer.statusCode).type("application/json").send(answer.body)
})
await app.listen({ port: Number(process.argv[2]), host: "127.0.0.1" })
process.once("SIGINT", () => process.exit(0))
