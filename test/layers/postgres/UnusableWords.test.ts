/** What operators are told of a database that is not there, not well, or not theirs. */
import { assert, it } from "@effect/vitest"
import Pg from "pg"
import { inSentences } from "../../../src/layers/node/StorageWords.js"
import { unusableWords } from "../../../src/layers/postgres/database/UnusableWords.js"

const answered = (code: string, message: string) =>
  Object.assign(new Pg.DatabaseError(message, message.length, "error"), { code })

it("doubts DATABASE_URL only where no answer shows that it is right", () => {
  for (const [cause, words] of [
    [
      answered("28P01", "password authentication failed"),
      /^The database refuses the connection .*\. Check DATABASE_URL$/
    ],
    [answered("3D000", "no such database"), /^The database refuses .*\. Check DATABASE_URL$/],
    [
      answered("53300", "too many clients"),
      /^The database takes no more connections \(too many clients\)\. Set GATEWAY_DATABASE_CONNECTIONS lower, or raise/
    ],
    [answered("57P03", "starting up"), /^The database answers, but cannot be used now \(starting up\)\./],
    [answered("57014", "statement timeout"), /^The database answers, but cannot be used now/],
    [new Error("timeout exceeded when trying to connect"), /^The database did not answer in time .* overloaded/],
    [new Error("Query read timeout"), /^The database did not answer in time .* overloaded/],
    [new Error("connect ECONNREFUSED 127.0.0.1:1"), /^The database cannot be reached .*Check that Postgres runs/]
  ] as const) {
    assert.match(inSentences(unusableWords(cause)), words)
    if (cause instanceof Pg.DatabaseError && !/^(?:28|3D)/.test(cause.code ?? ""))
      assert.notMatch(inSentences(unusableWords(cause)), /\bDATABASE_URL/)
  }
})

const failed = (code: string, message: string) => Object.assign(new Error(message), { code })

it("says of TLS what is to be done in the address", () => {
  for (const [cause, words] of [
    [
      failed("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate"),
      /^The database answers, but its certificate is not trusted \(self-signed certificate\)\. .*sslrootcert=FILE$/
    ],
    [
      failed("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate"),
      /not trusted .*sslmode=verify-full&sslrootcert=FILE$/
    ],
    [failed("CERT_HAS_EXPIRED", "certificate has expired"), /not valid now .*Renew/],
    [failed("ERR_TLS_CERT_ALTNAME_INVALID", "Hostname/IP does not match"), /that of another host .*DATABASE_URL/],
    [failed("ERR_OSSL_PEM_NO_START_LINE", "no start line"), /^No TLS connection .*sslrootcert, sslcert and sslkey/],
    [new Error("The server does not support SSL connections"), /takes no TLS .*leave sslmode out of DATABASE_URL$/],
    [
      answered("28000", 'no pg_hba.conf entry for host "::1", user "u", database "d", no encryption'),
      /^The database refuses the connection .*add sslmode=verify-full to DATABASE_URL/
    ],
    [
      answered("28000", 'no pg_hba.conf entry for host "::1", user "u", database "d", SSL encryption'),
      /^The database refuses the connection .*\. Check DATABASE_URL$/
    ]
  ] as const)
    assert.match(inSentences(unusableWords(cause)), words)
})

it("knows a pooler by what it does not take", () => {
  assert.match(
    inSentences(unusableWords(answered("08P01", "unsupported startup parameter: statement_timeout"))),
    /^DATABASE_URL leads to a pooler .*\. Set GATEWAY_LISTEN_URL to the address of the same database without the pooler/
  )
  assert.match(inSentences(unusableWords(answered("08P01", "no such user"))), /Check DATABASE_URL$/)
})
