/** Keys of no account that fit a provider's kind of key: for replaying samples and for scripted providers. */
import { generateKeyPairSync } from "node:crypto"
import type { Auth } from "../../domain/Manifest.js"
import { hasId } from "./HmacSigning.js"
import { type JwtAuth, namesOf } from "./JsonWebTokens.js"

/** Made once for each algorithm, because a new RSA key takes a tenth of a second. */
const made = new Map<JwtAuth["algorithm"], string>()

const privateKeyOf = (algorithm: JwtAuth["algorithm"]): string => {
  const known = made.get(algorithm)
  if (known !== undefined) return known
  const { privateKey } =
    algorithm === "RS256"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" })
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  made.set(algorithm, pem)
  return pem
}

/** `plain` is the key where any text does. */
export const inventedKey = (auth: Auth, user: string, password: string, plain: string): string => {
  switch (auth.type) {
    case "basic":
    case "header_pair":
    case "oauth2_client_credentials":
    case "pair":
    case "aws_sigv4":
      return `${user}:${password}`
    case "hmac": {
      const secret = auth.secretEncoding === "text" ? password : Buffer.from(password).toString(auth.secretEncoding)
      return hasId(auth) ? `${user}:${secret}` : secret
    }
    case "jwt":
      return JSON.stringify({
        ...Object.fromEntries(namesOf(auth).map((name) => [name, user])),
        private_key: privateKeyOf(auth.algorithm)
      })
    default:
      return plain
  }
}
