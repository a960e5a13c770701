/**
 * The storage holds the SHA-256 of a token and not the token. A token has 192 random bits, so nobody can find it by
 * trying tokens, and the digest needs no salt.
 */
import { createHash, timingSafeEqual } from "node:crypto"

export const tokenDigest = (token: string): Buffer => createHash("sha256").update(token).digest()

/** Whether two digests are the same, in a time that says nothing about where they differ. */
export const sameDigest = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
