// A database for one benchmark, on the server of an address that somebody gave. The database that the address names is
// only connected to: it may hold real money and real runs.
import Pg from "pg"

const addressOf = (url: string): URL => {
  try {
    return new URL(url)
  } catch {
    throw new Error("DATABASE_URL must name one server, like postgres://user:password@host:5432/database")
  }
}

const asked = async (url: string, statement: string): Promise<void> => {
  const client = new Pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * Makes a database, does the work with its address, and drops it, also when the work fails. A benchmark that is killed
 * leaves it behind.
 */
export const inOwnDatabase = async <A>(url: string, work: (own: string) => Promise<A>): Promise<A> => {
  const own = addressOf(url)
  const name = `gateway_bench_${process.pid}_${Date.now()}`
  own.pathname = `/${name}`
  await asked(url, `create database ${name}`)
  try {
    return await work(own.href)
  } finally {
    await asked(url, `drop database ${name} with (force)`)
  }
}
