/**
 * Access tokens. The gateway's own are `pgw_`, 26 characters of id, 48 of secret (192 bits), 8 of checksum. The id
 * names the token in its own text, so that a found one can be revoked by anybody who sees it; the checksum lets a
 * typing mistake, and a scan of logs, be told from a token without asking the storage.
 *
 * A client that logs in makes its token itself (completions: section 4, "Login approval"): 43 to 80 characters of `A-Z
 * a-z 0-9 - _`, which hold 256 bits or more when they are random, after `pgw_` or after nothing. So 32 random bytes in
 * base64url or in hex are a token. Knows no digest and no storage.
 */
import { Encoding } from "effect"
import type { FieldProblem } from "./ApiErrors.js"
import { nameProblem } from "./Labels.js"

const shape = /^pgw_[0-9a-hjkmnp-tv-z]{26}[0-9a-f]{48}[0-9a-f]{8}$/
const checksumLength = 8
export const secretBytes = 24

/** The text of a token. `idSuffix` is what follows `tok_` in its id, `secret` is `secretBytes` random bytes. */
export const tokenText = (idSuffix: string, secret: Uint8Array): string => {
  const body = `pgw_${idSuffix}${Encoding.encodeHex(secret)}`
  return body + checksum(body)
}

/** Whether a text is a token that a gateway made. */
export const isTokenText = (text: string): boolean =>
  shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

/**
 * A client's token is never as long as a gateway's own. So a gateway's token with a typing mistake is not a client's
 * token.
 */
const clientShape = /^(?:pgw_|(?!pgw_))[A-Za-z0-9_-]{43,80}$/

/** Whether a text can be a token of a gateway or of a client. A text that cannot needs no lookup. */
export const mayBeToken = (text: string): boolean => isTokenText(text) || clientShape.test(text)

/** The remainder of each byte, because every request with a token asks for a checksum. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  return crc
})

/** CRC-32 (IEEE) of ASCII in hex: catches mistakes, not forgers. */
const checksum = (text: string): string => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) crc = (crc >>> 8) ^ (remainders[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0)
  return (~crc >>> 0).toString(16).padStart(checksumLength, "0")
}

/** What is wrong with the end of a token or connection, if anything; null means that it never ends. */
export const endProblem = (expiresAt: number | null, now: number): FieldProblem | null =>
  expiresAt !== null && expiresAt <= now ? { field: "expiresAt", message: "must lie in the future" } : null

/** The first thing wrong with a token that is to be made, if anything. */
export const newTokenProblem = (
  token: { readonly label: string; readonly scopes: ReadonlyArray<string>; readonly expiresAt?: number | null },
  now: number
): FieldProblem | null => {
  if (token.scopes.length === 0) return { field: "scopes", message: "must name at least one scope" }
  return endProblem(token.expiresAt ?? null, now) ?? nameProblem("label", token.label)
}
