/** SHA-256 of bytes of any number, in steps for `runInSlices`: a hundred megabytes take a third of a second. */
import { createHash } from "node:crypto"

/** A step takes about a millisecond. */
const stepBytes = 1_048_576

/** In hex. */
export function* digestSteps(bytes: Uint8Array): Generator<void, string> {
  const hash = createHash("sha256")
  for (let start = 0; start < bytes.length; start += stepBytes) {
    hash.update(bytes.subarray(start, start + stepBytes))
    yield
  }
  return hash.digest("hex")
}
