/**
 * What is stored of a token: its SHA-256. Tokens carry 192 random bits, so a plain digest cannot be searched backwards.
 */
import { createHash, timingSafeEqual } from "node:crypto"

export const tokenDigest = (token: string): Buffer => createHash("sha256").update(token).digest()

/** Whether two digests are the same, in a time that says nothing about where they differ. */
export const sameDigest = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
