// Reads the part of the Dockerfile's language that this project uses, exactly, and refuses everything else by its line:
// what is not understood here would not be checked. The same for .dockerignore.

/** An instruction or a pattern that is not known here. */
export class NotUnderstood extends Error {}

const refuse = (line, why) => {
  throw new NotUnderstood(`line ${line}: ${why}`)
}

const command = (line, text) => {
  try {
    const words = JSON.parse(text)
    if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string")) return words
  } catch {
    // Said below.
  }
  return refuse(line, `must be a list of words, such as ["node", "dist/main.js"], not ${text}`)
}

const readers = {
  FROM: (line, text) => {
    const [, image, name = null] = /^([\w./-]+:[\w.-]+)(?: AS ([a-z]+))?$/.exec(text) ?? refuse(line, `FROM ${text}`)
    return { image, name }
  },
  WORKDIR: (line, text) => (/^\/[\w/]+$/.test(text) ? { path: text } : refuse(line, `WORKDIR ${text}`)),
  COPY: (line, text) => {
    const words = text.split(/\s+/)
    const from = /^--from=([a-z]+)$/.exec(words[0] ?? "")?.[1] ?? null
    const paths = from === null ? words : words.slice(1)
    if (paths.length < 2 || paths.some((path) => !/^[\w./-]+$/.test(path) || path.includes("..")))
      refuse(line, `COPY ${text}`)
    return { from, sources: paths.slice(0, -1), to: paths.at(-1) }
  },
  // Only what stays in the folder of the stage, because it is run in one.
  RUN: (line, text) =>
    /^(?:npm (?:ci|run|prune)|find dist) [\w "*.=:-]+$/.test(text) ? { command: text } : refuse(line, `RUN ${text}`),
  ENV: (line, text) => {
    const pairs = text.split(/\s+/).map((pair) => /^([A-Z][A-Z_]*)=(\S*)$/.exec(pair) ?? refuse(line, `ENV ${text}`))
    return { variables: Object.fromEntries(pairs.map(([, name, value]) => [name, value])) }
  },
  USER: (line, text) => {
    const [, user, group] = /^(\d+):(\d+)$/.exec(text) ?? refuse(line, `USER must be numbers, not ${text}`)
    return { user: Number(user), group: Number(group) }
  },
  EXPOSE: (line, text) => (/^\d+$/.test(text) ? { port: Number(text) } : refuse(line, `EXPOSE ${text}`)),
  STOPSIGNAL: (line, text) => (/^SIG[A-Z]+$/.test(text) ? { signal: text } : refuse(line, `STOPSIGNAL ${text}`)),
  HEALTHCHECK: (line, text) => {
    const [, options = "", words] = /^((?:--[a-z-]+=\w+ )*)CMD (.*)$/.exec(text) ?? refuse(line, `HEALTHCHECK ${text}`)
    return {
      options: Object.fromEntries(
        options
          .trim()
          .split(" ")
          .filter((option) => option !== "")
          .map((option) => option.slice(2).split("="))
      ),
      command: command(line, words)
    }
  },
  CMD: (line, text) => ({ command: command(line, text) })
}

/** The stages of a Dockerfile, each with its image, its name and its instructions in order. */
export const readDockerfile = (text) => {
  const stages = []
  for (const [at, content] of text.split("\n").entries()) {
    const line = at + 1
    if (content.trim() === "" || content.startsWith("#")) {
      if (/^#\s*(?:syntax|escape|check)\s*=/.test(content)) refuse(line, content)
      continue
    }
    if (content.endsWith("\\")) refuse(line, "an instruction must stand in one line")
    const [, kind = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(content) ?? refuse(line, content)
    if (!Object.hasOwn(readers, kind)) refuse(line, `${kind} is not known`)
    const read = { kind, line, ...readers[kind](line, rest.trim()) }
    if (kind === "FROM") stages.push({ image: read.image, name: read.name, instructions: [] })
    else if (stages.length === 0) refuse(line, "FROM must come first")
    else stages.at(-1).instructions.push(read)
  }
  if (stages.length === 0) refuse(1, "there is no stage")
  const names = stages.map(({ name }) => name)
  for (const [at, { instructions }] of stages.entries())
    for (const { from, kind, line } of instructions)
      if (kind === "COPY" && from !== null && !names.slice(0, at).includes(from))
        refuse(line, `no stage ${from} before`)
  return stages
}

/** Which paths of the folder reach the builder: everything is left out, and named paths are taken. */
export const readDockerignore = (text) => {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  if (lines[0] !== "*") throw new NotUnderstood(".dockerignore must begin with *, which leaves everything out")
  const taken = lines.slice(1).map((line) => {
    const [, path] = /^!([\w./-]+)$/.exec(line) ?? []
    if (path === undefined) throw new NotUnderstood(`.dockerignore: ${line} is not known`)
    return path
  })
  return (path) => taken.some((each) => path === each || path.startsWith(`${each}/`) || each.startsWith(`${path}/`))
}
