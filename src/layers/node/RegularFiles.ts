/** Reads files in folders that others may write to, where anything may have the name of a file. */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"

/** Of a failure of the file system, such as `ENOENT`. */
export const codeOf = (cause: unknown): unknown => (cause instanceof Error && "code" in cause ? cause.code : undefined)

/** How a socket, or a device that is not there, refuses to be opened. */
const unopened: ReadonlySet<unknown> = new Set(["ENXIO", "ENODEV", "EOPNOTSUPP", "ENOTSUP"])

/**
 * A file to be read; null where something else has its name. To open a pipe would wait for a writer, without end and in
 * one of the few threads that open files, so nothing is waited for. What it is, is asked of what was opened: the name
 * may be another's a moment later.
 */
export const openedToRead = async (path: string): Promise<FileHandle | null> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) =>
    unopened.has(codeOf(cause)) ? null : Promise.reject(cause)
  )
  const isFile = await file?.stat().then(
    (found) => found.isFile(),
    () => false
  )
  if (isFile === true) return file
  await file?.close()
  return null
}

/** The text of a file; null where something else has its name. */
export const textOf = async (path: string): Promise<string | null> => {
  const file = await openedToRead(path)
  return file === null ? null : file.readFile("utf8").finally(() => file.close())
}
