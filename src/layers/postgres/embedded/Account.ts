/**
 * As whom Postgres runs, and what that user can reach. Postgres refuses to run as root, so a root process lends it the
 * identity of the unprivileged user that every system has (65534, "nobody") or, for data that already belongs to an
 * ordinary user, of that user.
 */
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import { unless } from "./Failure.js"

export interface Account {
  readonly uid: number
  readonly gid: number
}

const nobody: Account = { uid: 65534, gid: 65534 }

/** The account to switch to, or undefined where this process runs Postgres as itself. */
export const accountFor = async (cluster: string): Promise<Account | undefined> => {
  if (process.getuid?.() !== 0) return undefined
  const owner = await unless(stat(cluster), ["ENOENT"], undefined)
  return owner === undefined || owner.uid === 0 ? nobody : { uid: owner.uid, gid: owner.gid }
}

const allows =
  (wanted: 1 | 5, account: Account) =>
  async (path: string): Promise<boolean> => {
    const entry = await unless(stat(path), ["ENOENT", "ENOTDIR"], undefined)
    if (entry === undefined) return false
    const shift = entry.uid === account.uid ? 6 : entry.gid === account.gid ? 3 : 0
    return ((entry.mode >> shift) & wanted) === wanted
  }

const ancestors = (path: string): ReadonlyArray<string> =>
  dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))]

const every = async (paths: ReadonlyArray<string>, holds: (path: string) => Promise<boolean>) =>
  (await Promise.all(paths.map(holds))).every((each) => each)

/**
 * Can the account enter this directory, all directories above it included? `directory` must be a real path (no
 * symlinks).
 */
export const canEnter = (account: Account | undefined, directory: string): Promise<boolean> =>
  account === undefined ? Promise.resolve(true) : every(ancestors(directory), allows(1, account))

/** Can the account enter, list and execute each of these, and enter everything above them? */
export const canUse = async (account: Account | undefined, paths: ReadonlyArray<string>): Promise<boolean> =>
  account === undefined ||
  ((await every(paths, allows(5, account))) && (await every(paths, (path) => canEnter(account, dirname(path)))))
