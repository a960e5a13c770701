/**
 * The last part of a callback's address: the id of a wait, the time at which it ends, and a signature of both. Any node
 * sees from the token alone whether a node of its storage gave it, so a forged one costs no look at anything. Pure.
 */
import { createHmac, timingSafeEqual } from "node:crypto"

const idBytes = 16
const timeBytes = 6
const tokenBytes = idBytes + timeBytes + 16
const tokenChars = Math.ceil((tokenBytes * 4) / 3)

/** A key of its own, so that nothing else that the secret signs can be taken for a token. */
export const callbackKey = (secret: Uint8Array): Buffer =>
  createHmac("sha256", secret).update("callbacks of providers").digest()

const signatureOf = (key: Uint8Array, signed: Uint8Array): Buffer =>
  createHmac("sha256", key)
    .update(signed)
    .digest()
    .subarray(0, tokenBytes - signed.length)

interface Wait {
  readonly waitId: string
  readonly endsAtMillis: number
}

/** `random` holds 16 bytes. */
export const writeToken = (
  key: Uint8Array,
  random: Buffer,
  endsAtMillis: number
): Wait & { readonly token: string } => {
  const time = Buffer.alloc(timeBytes)
  time.writeUIntBE(endsAtMillis, 0, timeBytes)
  const signed = Buffer.concat([random.subarray(0, idBytes), time])
  const token = Buffer.concat([signed, signatureOf(key, signed)]).toString("base64url")
  return { token, waitId: random.subarray(0, idBytes).toString("base64url"), endsAtMillis }
}

/** Null for what is no token of this key. */
export const readToken = (key: Uint8Array, token: string): Wait | null => {
  if (token.length !== tokenChars) return null
  const bytes = Buffer.from(token, "base64url")
  // Two texts can stand for the same bytes; only the one that was given counts.
  if (bytes.length !== tokenBytes || bytes.toString("base64url") !== token) return null
  const signed = bytes.subarray(0, idBytes + timeBytes)
  if (!timingSafeEqual(signatureOf(key, signed), bytes.subarray(signed.length))) return null
  return {
    waitId: signed.subarray(0, idBytes).toString("base64url"),
    endsAtMillis: signed.readUIntBE(idBytes, timeBytes)
  }
}
