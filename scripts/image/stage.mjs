// Builds the file system of an image in folders, stage by stage, as an engine would: the same files in the same order,
// and each RUN in the folder of its stage. What the base image brings is not there; the programs of this machine are
// used in its place.
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, statSync } from "node:fs"
import { basename, join, relative } from "node:path"

// The mode of whoever runs this is not that of the build.
const { NODE_ENV: _, ...withoutMode } = process.env

const run = (cwd, line, env) => {
  const { status } = spawnSync("sh", ["-c", line], { cwd, env, stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) throw new Error(`RUN ${line} ended with ${status}`)
}

/** Copies one source as COPY does: the content of a folder, or a file under its own name into a folder. */
const copied = (source, destination, intoFolder, filter) => {
  if (!existsSync(source)) throw new Error(`COPY: there is no ${source}`)
  const to = intoFolder && !statSync(source).isDirectory() ? join(destination, basename(source)) : destination
  cpSync(source, to, { recursive: true, filter, verbatimSymlinks: true })
}

/**
 * Answers with the last stage: its folder, the folder in it where its command runs, and the variables that it sets.
 * `reaches` says which paths of the context reach the builder.
 */
export const buildStages = (stages, { context, place, reaches, say }) => {
  const roots = new Map()
  let built = null
  for (const [at, { instructions, name }] of stages.entries()) {
    const root = join(place, name ?? `stage-${at}`)
    let workdir = "/"
    let env = {}
    mkdirSync(root, { recursive: true })
    for (const instruction of instructions) {
      const here = join(root, workdir)
      switch (instruction.kind) {
        case "WORKDIR":
          workdir = instruction.path
          mkdirSync(join(root, workdir), { recursive: true })
          break
        case "ENV":
          env = { ...env, ...instruction.variables }
          break
        case "COPY": {
          const { from, sources, to } = instruction
          const destination = join(to.startsWith("/") ? root : here, to)
          for (const source of sources)
            if (from === null)
              copied(join(context, source), destination, to.endsWith("/"), (path) => {
                const inContext = relative(context, path)
                return reaches(inContext)
              })
            else copied(join(roots.get(from), source), destination, to.endsWith("/"), () => true)
          break
        }
        case "RUN":
          say(`RUN ${instruction.command}`)
          run(here, instruction.command, { ...withoutMode, ...env })
          break
      }
    }
    if (name !== null) roots.set(name, root)
    built = { root, home: join(root, workdir), env }
  }
  return built
}
