/** An answer of a provider, or what came of one that broke off, with the keys taken out of its headers. */
import type { Blot } from "./Blotting.js"
import { type WireAnswer, WireFailure } from "./Transport.js"

/** No key holds a line feed, so that one blotting does for all headers. */
const blotted = (headers: WireAnswer["headers"], blot: Blot): WireAnswer["headers"] => {
  const values = blot(Buffer.from(Object.values(headers).join("\n"), "latin1"))
    .toString("latin1")
    .split("\n")
  return Object.fromEntries(Object.keys(headers).map((name, at) => [name, values[at] ?? ""]))
}

export const withBlottedHeaders = ({ bytes, headers, status }: WireAnswer, blot: Blot): WireAnswer => ({
  status,
  bytes,
  headers: blotted(headers, blot)
})

export const withBlottedHead = ({ headers, reason, sent, status, word }: WireFailure, blot: Blot): WireFailure =>
  new WireFailure({ reason, sent, status, word, headers: blotted(headers, blot) })
