/**
 * An HTTP relay in front of a gateway, for tests of what a client does when the way there fails. It hands every request
 * on, unless its script says what goes wrong with the next ones.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What goes wrong with one request. */
export type Fault =
  /** The connection ends before the gateway sees anything. */
  | { readonly fault: "drop" }
  /** The gateway has answered, and its answer is lost. */
  | { readonly fault: "lose_answer" }
  /** The gateway has answered, and half of its answer arrives. */
  | { readonly fault: "cut_answer"; readonly silently?: boolean }
  /** Somebody else answers, and the gateway sees nothing. */
  | {
      readonly fault: "answer"
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body: string
    }
  /** The gateway has answered, and the client gets this instead. */
  | { readonly fault: "replace_answer"; readonly status: number; readonly body: string }
  /** The gateway's answer comes so many milliseconds late, or never while the client waits. */
  | { readonly fault: "delay"; readonly millis: number }
  | { readonly fault: "none" }

interface Passed {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | null
  readonly body: string
}

export interface FaultyProxy {
  readonly url: string
  /** Every request that came, oldest first. */
  readonly passed: ReadonlyArray<Passed>
  /** For the next requests, one each; then everything works again. */
  readonly next: (...faults: ReadonlyArray<Fault>) => void
  readonly close: () => Promise<void>
}

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

export const faultyProxy = async (target: string): Promise<FaultyProxy> => {
  const faults: Array<Fault> = []
  const passed: Array<Passed> = []

  const relay = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { authorization, "content-type": type, "idempotency-key": key } = incoming.headers
    const { method = "GET", url: path = "/" } = incoming
    const fault = faults.shift() ?? { fault: "none" }
    const body = await bodyOf(incoming)
    passed.push({ method, path, idempotencyKey: typeof key === "string" ? key : null, body })
    if (fault.fault === "drop") return void incoming.socket.destroy()
    if (fault.fault === "answer") return void outgoing.writeHead(fault.status, fault.headers ?? {}).end(fault.body)
    const answer = await fetch(`${target}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(type === undefined ? {} : { "content-type": type }),
        ...(typeof key === "string" ? { "idempotency-key": key } : {})
      },
      ...(body === "" ? {} : { body })
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const headers = Object.fromEntries(
      [...answer.headers].filter(([name]) => !["transfer-encoding", "connection", "content-length"].includes(name))
    )
    const length = { "content-length": String(bytes.length) }
    switch (fault.fault) {
      case "lose_answer":
        return void incoming.socket.destroy()
      case "cut_answer": {
        // Without a length the client cannot know that something is missing.
        outgoing.writeHead(answer.status, {
          ...headers,
          ...(fault.silently === true ? { connection: "close" } : length)
        })
        const half = bytes.subarray(0, Math.floor(bytes.length / 2))
        if (fault.silently === true) return void outgoing.end(half)
        return void outgoing.write(half, () => incoming.socket.destroy())
      }
      case "replace_answer":
        return void outgoing.writeHead(fault.status, { "content-type": "text/html" }).end(fault.body)
      case "delay":
        return void setTimeout(
          () => outgoing.writeHead(answer.status, { ...headers, ...length }).end(bytes),
          fault.millis
        ).unref()
      case "none":
        return void outgoing.writeHead(answer.status, { ...headers, ...length }).end(bytes)
    }
  }
  const server = createServer(
    (incoming, outgoing) => void relay(incoming, outgoing).catch(() => incoming.socket.destroy())
  )
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    next: (...more) => void faults.push(...more),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
