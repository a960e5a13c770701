/** A file that one run returned is the input of another: the whole gateway over HTTP, and providers on a socket. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { createServer } from "node:http"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Accounts } from "../../src/services/Accounts.js"
import { catalogFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, ...Array.from({ length: 600_000 }, (_, at) => (at * 7) % 256)])

const file = `{ type: object, properties: { filename: { type: string }, contentType: { type: string }, base64: { type: string }, media: { type: string } } }`
const taking = (id: string, field: string, more: string) => `
  - id: files-${id}
    name: ${id}
    summary: Takes a file.
    method: POST
    path: /${id}
    input: { type: object, properties: { file: ${field}, note: { type: string } } }
    price: { basis: per_call, micros: 10 }
    ${more}`

const manifest = (port: number) => `
id: files
name: Files
baseUrl: http://127.0.0.1:${port}
operations:
  - id: files-draw
    name: Draw
    summary: Draws a picture.
    method: GET
    path: /draw
    input: { type: object }
    contentTypes: [image/png]
    price: { basis: per_call, micros: 10 }${taking(
      "form",
      file,
      "bindings: { file: { in: multipart, name: image }, note: { in: multipart, name: note } }\n    files: { file: { types: [image/*] } }"
    )}${taking("many", `{ type: array, items: ${file} }`, "bindings: { file: { in: multipart, name: image, style: repeat } }\n    files: { file: { maxBytes: 1000000 } }")}${taking(
      "bytes",
      file,
      "body: { as: bytes, field: file }\n    files: { file: {} }"
    )}${taking(
      "pinned",
      file,
      "body: { as: bytes, field: file }\n    fixed: [{ in: header, name: Content-Type, value: application/octet-stream }]\n    files: { file: {} }"
    )}${taking("json", `{ anyOf: [{ type: string }, ${file}] }`, "files: { file: {} }")}${taking(
      "sound",
      file,
      "bindings: { file: { in: multipart, name: file } }\n    files: { file: { types: [audio/mpeg] } }"
    )}${taking("small", file, "bindings: { file: { in: multipart, name: file } }\n    files: { file: { maxBytes: 1000 } }")}${taking(
      "plain",
      file,
      "bindings: { file: { in: multipart, name: file } }"
    )}
`

it.scopedLive(
  "a file that a run returned goes to a provider by its download path, and only to runs of its own workspace",
  () =>
    Effect.gen(function* () {
      const sent: Array<{ readonly url: string; readonly type: string; readonly body: Buffer }> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          if (request.url === "/draw") {
            const disposition = { "content-disposition": 'attachment; filename="cat.png"' }
            return void response.writeHead(200, { "content-type": "image/png", ...disposition }).end(picture)
          }
          sent.push({
            url: request.url ?? "",
            type: request.headers["content-type"] ?? "",
            body: Buffer.concat(chunks)
          })
          response.writeHead(200, { "content-type": "application/json" }).end('{"seen":true}')
        })
      })
      const port = yield* listenLocally(server, 0)
      const folder = yield* catalogFolder({ providers: { files: manifest(port) } })
      const { call, funded, services } = yield* startGateway({
        catalogFolders: [folder],
        egressAllow: [`127.0.0.1:${port}`]
      })
      const owner = yield* funded(1_000)
      const stranger = yield* funded(1_000)
      let n = 0
      const run = (endpointId: string, input: object, { token }: { readonly token: string } = owner, key = `k${n++}`) =>
        Effect.map(
          call("POST", "/v1/runs?wait=10", { token, headers: { "idempotency-key": key }, body: { endpointId, input } }),
          ({ json }) => json
        )
      const drawn = yield* run("files-draw", {})
      const media: string = drawn.result.media.downloadPath
      const lastSent = () => sent.at(-1) ?? assert.fail("nothing was sent")

      // Multipart, with the name and type that were stored, or those of the input.
      const made = yield* run("files-form", { file: { media }, note: "a cat" })
      assert.deepStrictEqual(
        [made.status, made.pricing.finalChargeMicros],
        ["completed", 10],
        JSON.stringify(made.error)
      )
      const boundary = /boundary=(.+)$/.exec(lastSent().type)?.[1] ?? assert.fail(lastSent().type)
      const part = (disposition: string, type: string) =>
        Buffer.concat([
          Buffer.from(
            `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`
          ),
          picture
        ])
      assert.isTrue(lastSent().body.includes(part('name="image"; filename="cat.png"', "image/png")))
      assert.isTrue(lastSent().body.includes('name="note"\r\n\r\na cat\r\n'))
      yield* run("files-many", {
        file: [
          { media, filename: "a.gif", contentType: "image/gif" },
          { filename: "b", base64: "aGk=" }
        ]
      })
      assert.isTrue(lastSent().body.includes('name="image"; filename="a.gif"\r\nContent-Type: image/gif\r\n'))
      assert.isTrue(lastSent().body.includes('name="image"; filename="b"'))
      // The bytes of the body, and base64 inside of JSON.
      yield* run("files-bytes", { file: { media } })
      assert.deepStrictEqual([lastSent().type, lastSent().body.equals(picture)], ["image/png", true])
      yield* run("files-pinned", { file: { media, contentType: "image/gif" } })
      assert.deepStrictEqual([lastSent().type, lastSent().body.equals(picture)], ["application/octet-stream", true])
      yield* run("files-json", { file: { media } })
      assert.deepStrictEqual(JSON.parse(lastSent().body.toString()), { file: picture.toString("base64") })

      // The key decides by the path, and the file is not read again.
      const first = yield* run("files-bytes", { file: { media } }, owner, "same")
      const sentBefore = sent.length
      const replay = yield* run("files-bytes", { file: { media } }, owner, "same")
      assert.deepStrictEqual([replay.runId, replay.replayed, sent.length], [first.runId, true, sentBefore])

      const other = media.replace(/med_.*/, `med_${"0".repeat(26)}`)
      for (const [endpointId, reference, caller, said] of [
        ["files-form", media, stranger, /input\.file: there is no such file/],
        ["files-form", other, owner, /input\.file: there is no such file/],
        ["files-sound", media, owner, /the file is image\/png, and this operation takes audio\/mpeg/],
        ["files-small", media, owner, /a file of 600004 bytes is larger than the 1000 that the operation takes/]
      ] as const) {
        const refused = yield* run(endpointId, { file: { media: reference } }, caller)
        assert.deepStrictEqual(
          [refused.status, refused.error.code, refused.error.whoseError, refused.pricing.finalChargeMicros],
          ["failed", "validation_error", "customer", 0],
          JSON.stringify(refused)
        )
        assert.match(refused.error.message, said)
      }
      // What the input itself tells is refused before anything is held.
      const base64 = picture.subarray(0, 9).toString("base64")
      const noPath = "input.file: media must be the downloadPath of a result, such as /v1/runs/run_…/media/med_…"
      for (const [endpointId, given, said] of [
        ["files-form", { media, base64 }, "input.file: has both media and base64: send one of them"],
        ["files-form", { media: "" }, noPath],
        ["files-form", { media: "https://example.com/cat.png" }, noPath],
        ["files-bytes", { media: media.replace("/v1/", "/v1/../v1/") }, noPath],
        ["files-bytes", { media: "", base64 }, "input.file: has both media and base64: send one of them"],
        ["files-many", [{ base64 }, { media, base64 }], "input.file.1: has both media and base64: send one of them"]
      ] as const) {
        const refused = yield* run(endpointId, { file: given })
        assert.deepStrictEqual(
          [refused.status, refused.startedAt, refused.pricing.finalChargeMicros, refused.error.message],
          ["failed", null, 0, said],
          JSON.stringify(refused)
        )
      }
      assert.strictEqual(sent.length, sentBefore, "nothing was sent")
      for (const { token } of [owner, stranger])
        assert.strictEqual((yield* call("GET", "/v1/balance", { token })).json.reservedMicros, 0)

      const together = yield* run("files-many", { file: [{ media }, { media }] })
      assert.include(
        together.error.message,
        "files of 1200008 bytes together are larger than the 1000000 that the operation takes"
      )

      // A token that may not read files may not have them sent either.
      const { token: executing } = yield* Context.get(services, Accounts).createToken(
        {
          workspaceId: owner.workspaceId,
          label: "executes",
          scopes: ["runs:execute"],
          monthlyLimitMicros: null,
          expiresAt: null
        },
        commandLine
      )
      const limited = { token: Redacted.value(executing) }
      const runsOf = Effect.map(call("GET", "/v1/runs?limit=100", owner), ({ json }) => json.runs.length)
      const runsBefore = yield* runsOf
      for (const path of ["/v1/runs", "/v1/runs/quote"])
        for (const [endpointId, file] of [
          ["files-form", { media }],
          ["files-many", [{ base64 }, { media }]]
        ] as const) {
          const refused = yield* call("POST", path, {
            ...limited,
            headers: { "idempotency-key": `limited-${endpointId}` },
            body: { endpointId, input: { file } }
          })
          assert.deepStrictEqual([refused.status, refused.json.error.code], [403, "forbidden"])
          assert.include(refused.json.error.message, "runs:read")
        }
      assert.deepStrictEqual([yield* runsOf, sent.length], [runsBefore, sentBefore])
      // Without a stored file the same token runs it.
      assert.strictEqual(
        (yield* run("files-form", { file: { base64, filename: "a.png" } }, limited)).status,
        "completed"
      )

      // An operation that does not list the field sends what it was given, as ever.
      yield* run("files-plain", { file: { media } })
      assert.isTrue(lastSent().body.includes(JSON.stringify({ media })))
    }),
  60_000
)
