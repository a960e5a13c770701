/** Why a start or a command does not get its database, as far as it is known, and what there is to do about it. */
import { Predicate } from "effect"
import Pg from "pg"
import type { OperatorWords } from "../../node/StorageWords.js"
import { connectTimedOut, noAnswer } from "./DriverInternals.js"
import { whyOf } from "./Failure.js"

/** User, password or database: also what a pooler says of them, which has one code for all (08P01). */
const isAboutAddress = (state: string): boolean => /^(?:08|28|3D)/.test(state)

const tooManyConnections = "53300"

/** Codes of Node's TLS for a certificate that nobody known has signed. */
const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])
const untimely: ReadonlySet<string> = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"])

/** Trouble with TLS, of which Postgres and the network know nothing; null where it is something else. */
const tlsWords = (cause: unknown, why: string): OperatorWords | null => {
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  if (untrusted.has(code))
    return {
      found: `The database answers, but its certificate is not trusted (${why})`,
      advice:
        "Name the file with the certificate of whoever signed it in DATABASE_URL: sslmode=verify-full&sslrootcert=FILE"
    }
  if (untimely.has(code))
    return {
      found: `The database answers, but its certificate is not valid now (${why})`,
      advice: "Renew the certificate of the server, or set the clock of this machine"
    }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return {
      found: `The database answers, but its certificate is that of another host (${why})`,
      advice: "Name the host in DATABASE_URL as its certificate does"
    }
  if (/^ERR_(?:OSSL|SSL|TLS)/.test(code))
    return {
      found: `No TLS connection to the database can be made (${why})`,
      advice: "Check that the files of sslrootcert, sslcert and sslkey in DATABASE_URL are PEM, and fit the server"
    }
  return cause instanceof Error && cause.message.includes("does not support SSL")
    ? {
        found: `The database answers, but takes no TLS (${why})`,
        advice: "Set ssl = on in postgresql.conf of the server, or leave sslmode out of DATABASE_URL"
      }
    : null
}

/** Why no first connection was had. Only an answer shows that the address is right. */
export const unusableWords = (cause: unknown): OperatorWords => {
  const why = whyOf(cause)
  const tls = tlsWords(cause, why)
  if (tls !== null) return tls
  if (cause instanceof Pg.DatabaseError && cause.code === tooManyConnections)
    return {
      found: `The database takes no more connections (${why})`,
      advice:
        "Set GATEWAY_DATABASE_CONNECTIONS lower, or raise max_connections of the server or the limit of the role: the connections of all nodes and commands must fit"
    }
  if (cause instanceof Pg.DatabaseError && /no pg_hba\.conf entry .*no encryption/.test(why))
    return {
      found: `The database refuses the connection (${why})`,
      advice:
        "Where the server takes connections with TLS only, add sslmode=verify-full to DATABASE_URL; else let this machine in by its pg_hba.conf"
    }
  if (cause instanceof Pg.DatabaseError && why.includes("unsupported startup parameter"))
    return {
      found: `DATABASE_URL leads to a pooler (${why})`,
      advice:
        "Set GATEWAY_LISTEN_URL to the address of the same database without the pooler, and its connect_query as docs/scaling.md says"
    }
  if (cause instanceof Pg.DatabaseError)
    return isAboutAddress(cause.code ?? "")
      ? { found: `The database refuses the connection (${why})`, advice: "Check DATABASE_URL" }
      : { found: `The database answers, but cannot be used now (${why})`, advice: "Try again when it can" }
  if (noAnswer(cause) || connectTimedOut(cause))
    return {
      found: `The database did not answer in time (${why})`,
      advice: "Look whether Postgres is overloaded or stands still; if not, check DATABASE_URL and the network to it"
    }
  return {
    found: `The database cannot be reached (${why})`,
    advice: "Check that Postgres runs, DATABASE_URL and the network to it"
  }
}
