// The money of one run as plain SQL under pgbench: what this Postgres can do when nothing but the money is asked of it.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { postgresPrograms } from "../../chaos/stage/PostgresPrograms.js"

const script = (wallets: number): string => `
\\set wallet random(1, ${wallets})
begin;
update bench_wallets set available = available - 5000, reserved = reserved + 5000 where id = :wallet and available >= 5000;
insert into bench_entries (wallet, kind, amount) values (:wallet, 'hold', -5000);
insert into bench_runs (wallet, status, plan) values (:wallet, 'running', '{}');
commit;
begin;
update bench_wallets set available = available + 5000 - 5000, reserved = reserved - 5000 where id = :wallet;
insert into bench_entries (wallet, kind, amount) values (:wallet, 'release', 5000), (:wallet, 'charge', -5000);
update bench_runs set status = 'completed' where id = currval('bench_runs_id_seq');
commit;
`

const schema = `
create table if not exists bench_wallets (id int primary key, available bigint not null, reserved bigint not null default 0) with (fillfactor = 50);
create table if not exists bench_entries (id bigserial primary key, wallet int, kind text, amount bigint);
create table if not exists bench_runs (id bigserial primary key, wallet int, status text, plan text) with (fillfactor = 60);
insert into bench_wallets select g, 1000000000000 from generate_series(1, 1000) g on conflict do nothing;
`

const find = (): string | undefined =>
  ["pgbench", join(postgresPrograms() ?? "", "pgbench")].find(
    (command) => spawnSync(command, ["--version"]).status === 0
  )

export const schemaText = schema

/** Cycles a second over so many wallets; undefined where pgbench is missing or refuses. */
export const moneyCycle = (url: string, wallets: number, clients: number, seconds: number): number | undefined => {
  const pgbench = find()
  if (pgbench === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), "money-cycle-"))
  const file = join(folder, "cycle.sql")
  writeFileSync(file, script(wallets))
  const run = spawnSync(
    pgbench,
    ["-n", "-M", "prepared", "-f", file, "-c", String(clients), "-j", "2", "-T", String(seconds), url],
    { encoding: "utf8" }
  )
  rmSync(folder, { recursive: true })
  const found = /tps = ([0-9.]+)/.exec(run.stdout)?.[1]
  if (found === undefined) console.error(run.stderr.slice(0, 500))
  return found === undefined ? undefined : Number(found)
}
