/**
 * Numbers of the messages that an agent's host writes. The SDK reads each line by `JSON.parse`, which changes a number
 * that JavaScript cannot hold. So the arguments of a call are taken out of its line before the SDK reads it, with a
 * mark in their place, and are given for the mark when the call is made.
 */
import { Either } from "effect"
import { randomUUID } from "node:crypto"
import { StringDecoder } from "node:string_decoder"
import { Transform, type TransformCallback } from "node:stream"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { bodyBytesMax } from "../../domain/limits/Requests.js"
import { readJson, writeJson } from "../../domain/LosslessJson.js"

/** A longer line goes on as it came: the gateway takes no body of that size. */
const lineCharsMax = 2 * bodyBytesMax

export interface ExactLines {
  /** Takes what the host writes, and gives what the SDK reads. */
  readonly lines: Transform
  /** The arguments of a call, with every digit that the host wrote. */
  readonly argumentsFor: (read: Json | undefined) => Json | undefined
}

export const makeExactLines = (): ExactLines => {
  const taken = new Map<string, JsonObject>()
  const mark = "gateway-arguments"

  const withMark = (line: string): string => {
    const message = Either.getOrNull(readJson(line))
    if (!isObject(message) || message["method"] !== "tools/call" || !isObject(message["params"])) return line
    const given = message["params"]["arguments"]
    if (!isObject(given)) return line
    const id = randomUUID()
    taken.set(id, given)
    return writeJson({ ...message, params: { ...message["params"], arguments: { [mark]: id } } })
  }

  const decoder = new StringDecoder("utf8")
  let begun = ""
  let isTooLong = false
  const take = (text: string, out: (text: string) => void): void => {
    const [last = "", ...whole] = text.split("\n").reverse()
    for (const line of whole.reverse()) {
      out(`${isTooLong ? line : withMark(begun + line)}\n`)
      begun = ""
      isTooLong = false
    }
    if (isTooLong || begun.length + last.length > lineCharsMax) {
      out(begun + last)
      begun = ""
      isTooLong = true
    } else begun += last
  }
  const lines = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      take(decoder.write(chunk), (text) => this.push(text))
      done()
    },
    // The last line may lack its end.
    flush(done) {
      take(decoder.end(), (text) => this.push(text))
      if (begun !== "") this.push(withMark(begun))
      done()
    }
  })
  return {
    lines,
    argumentsFor: (read) => {
      const id = isObject(read) ? read[mark] : undefined
      const given = typeof id === "string" ? taken.get(id) : undefined
      if (given === undefined || typeof id !== "string") return read
      taken.delete(id)
      return given
    }
  }
}
