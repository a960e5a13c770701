/**
 * Which tables are kept by workspace, and what stays out. Every table with a column `workspace_id` is kept by workspace
 * unless it stands here with a reason, so a new table falls under the rule without a word. docs/scaling.md says the
 * same for Citus, and a test compares.
 */

/** Tables with a column `workspace_id` that are not kept by workspace. */
export const notByWorkspace: Readonly<Record<string, string>> = {
  workspaces: "small, found by its name too, and read beside every other table",
  members: "small; operators have no workspace, and a person signs in by an email or identity alone",
  payments: "found by what the processor calls the payment, before its workspace is known",
  connection_authorizations: "lives for minutes, and is found by the digest of a link alone",
  audit_entries: "the operator reads it over all workspaces in the order of time, and has entries of no workspace"
}

/** Tables without a workspace that statements join with those kept by workspace, or that these refer to. */
export const besideEveryWorkspace = ["workspaces", "members", "payments", "storage_identity", "history_months"] as const

/** Hash partitions by workspace of every table that is kept by workspace: as few as show what reads them all. */
const parts = 2

/** Runs one statement, and answers its rows. */
export type RunSql = (text: string) => Promise<ReadonlyArray<Record<string, unknown>>>

/** The tables that are kept by workspace: of those that are partitioned, the whole and not its partitions. */
export const tablesByWorkspace = async (run: RunSql): Promise<ReadonlyArray<string>> => {
  const rows = await run(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`)
  return rows.map(({ name }) => String(name)).filter((name) => !Object.hasOwn(notByWorkspace, name))
}

/**
 * Hash-partitions every table that is kept by workspace, with the keys, checks, references, indexes and triggers that
 * it has. Postgres then refuses what a distributed engine refuses: a unique key without the workspace. Tables of months
 * (migration 0032) stay so where a gateway works on them; with `months` they are partitioned by workspace instead, so
 * that plans show how their statements read them.
 */
export const partitionByWorkspace = async (run: RunSql, { months }: { readonly months: boolean }): Promise<void> => {
  for (const name of await tablesByWorkspace(run)) {
    const [table] = await run(`
      select c.oid::text as oid, c.relkind as kind, coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as options
      from pg_class c where c.oid = '${name}'::regclass`)
    if (table === undefined || (table["kind"] === "p" && !months)) continue
    const texts = async (query: string) => (await run(query)).map(({ text }) => String(text))
    const oid = String(table["oid"])
    const constraints = await texts(`
      select 'alter table ${name} add constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid) as text
      from pg_constraint where conrelid = ${oid} and contype in ('p', 'u', 'f') order by contype <> 'p', conname`)
    const indexes = await texts(`
      select replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as text from pg_index i where indrelid = ${oid}
        and not exists (select from pg_constraint where conindid = i.indexrelid and conrelid = ${oid}) order by 1`)
    const triggers = await texts(
      `select pg_get_triggerdef(oid) as text from pg_trigger where tgrelid = ${oid} and not tgisinternal order by 1`
    )
    const identities = await texts(
      `select quote_ident(attname) as text from pg_attribute where attrelid = ${oid} and attidentity <> '' and not attisdropped`
    )
    const columns = await texts(
      `select quote_ident(attname) as text from pg_attribute where attrelid = ${oid} and attnum > 0 and not attisdropped order by attnum`
    )
    await run(
      `create table ${name}_whole (like ${name} including defaults including constraints including storage) partition by hash (workspace_id)`
    )
    for (let at = 0; at < parts; at++)
      await run(
        `create table ${name}_${at} partition of ${name}_whole for values with (modulus ${parts}, remainder ${at})${String(table["options"])}`
      )
    await run(`insert into ${name}_whole (${columns.join(", ")}) select ${columns.join(", ")} from ${name}`)
    // With it goes a view that only nodes of the version before read.
    await run(`drop table ${name} cascade`)
    await run(`alter table ${name}_whole rename to ${name}`)
    // Before version 17, a partitioned table has no identity columns.
    for (const column of identities) {
      await run(`create sequence ${name}_${column} owned by ${name}.${column}`)
      await run(`select setval('${name}_${column}', coalesce((select max(${column}) from ${name}), 0) + 1, false)`)
      await run(`alter table ${name} alter column ${column} set default nextval('${name}_${column}')`)
    }
    for (const text of [...constraints, ...indexes, ...triggers]) await run(text)
  }
}
