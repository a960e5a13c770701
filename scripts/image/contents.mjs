// What may not be in the last stage of the image, and how large it is.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

/** The packages of the lock file that only building, testing or developing needs. */
const unwanted = (lock) =>
  Object.entries(lock.packages).flatMap(([path, { dev, devOptional, optional }]) =>
    path !== "" && (dev === true || optional === true || devOptional === true) ? [path] : []
  )

/** What is in the folder and should not be, or is missing: none when all is well. */
export const problemsOf = (home, lock) => {
  const ours = filesBelow(home).map((file) => file.slice(home.length + 1))
  const outside = ours.filter((file) => !file.startsWith("node_modules/"))
  return [
    ...unwanted(lock)
      .filter((path) => existsSync(join(home, path)))
      .map((path) => `${path} is there, which only development needs`),
    ...[
      "node_modules/typescript",
      "node_modules/.bin/tsc",
      "node_modules/vitest",
      "src",
      "test",
      "chaos",
      "bench",
      ".git"
    ]
      .filter((path) => existsSync(join(home, path)))
      .map((path) => `${path} is there`),
    ...outside
      .filter(
        (file) => /(?:\.map|\.test\.js|(?<!\.d)\.ts|\.env|\.pem|sealing-keys)$/.test(file) && !/^examples\//.test(file)
      )
      .map((file) => `${file} is there`),
    ...["dist/main.js", "dist/cli.js", "catalog/providers", "assets", "docs/operating.md", "package.json"]
      .filter((path) => !existsSync(join(home, path)))
      .map((path) => `${path} is missing`)
  ]
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

/** The size of the folder and of its parts, the largest first, in a line. */
export const sizesOf = (home) => {
  const sizes = readdirSync(home).map((name) => {
    const path = join(home, name)
    const files = statSync(path).isDirectory() ? filesBelow(path) : [path]
    return [name, files.reduce((sum, file) => sum + statSync(file).size, 0)]
  })
  sizes.sort(([, one], [, other]) => other - one)
  const whole = sizes.reduce((sum, [, size]) => sum + size, 0)
  return `${megabytes(whole)} without the base image: ${sizes
    .slice(0, 5)
    .map(([name, size]) => `${name} ${megabytes(size)}`)
    .join(", ")}`
}

export const lockOf = (root) => JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
