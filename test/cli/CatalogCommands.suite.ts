/** Commands that import, check, publish and withdraw manifests. */
import { assert } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { fileURLToPath } from "node:url"
import Pg from "pg"
import { CatalogFollowing } from "../../src/layers/catalog/CatalogFollowing.js"
import { CatalogServed } from "../../src/layers/catalog/CatalogServed.js"
import { ContractStorePg } from "../../src/layers/postgres/ContractStorePg.js"
import { listenerName } from "../../src/layers/postgres/database/Listen.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { Catalog } from "../../src/services/Catalog.js"
import { CatalogRevisions } from "../../src/services/CatalogRevisions.js"
import { newWorld, noVocabulary, worldServices } from "../support/catalog.js"
import { cli, CommandLine, json } from "./commandLine.js"
import { type CommandTests, temporary, batManifest } from "./CommandStage.js"
import { eventually } from "../support/eventually.js"

export const catalogCommands = (it: CommandTests): void => {
  it.effect("imports OpenAPI documents and flat operations into manifests that pass the lint's reading", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        const document = join(place, "pets.yaml")
        writeFileSync(
          document,
          [
            "openapi: 3.0.3",
            "info: { title: Pets, version: '1' }",
            "servers: [{ url: https://api.pets.example }]",
            "paths:",
            "  /pets:",
            "    get:",
            "      operationId: listPets",
            "      summary: Lists pets",
            "      parameters: [{ name: limit, in: query, schema: { type: integer } }]",
            "      responses: { '200': { description: ok } }"
          ].join("\n")
        )
        const flat = join(place, "flat.jsonl")
        writeFileSync(
          flat,
          `${JSON.stringify({ endpointId: "birds.list", providerId: "birds", providerName: "Birds", name: "List birds", description: "Lists birds.", method: "GET", baseUrl: "https://api.birds.example", path: "/birds", parameters: [], category: "nature" })}\nno json\n`
        )
        const openApi = yield* json(["catalog", "import-openapi", document, "--to", join(place, "drafts")])
        assert.deepInclude(openApi, { read: 1, imported: 1, files: 1 })
        const [imported = ""] = openApi["operationIds"]
        assert.match(imported, /^pets-example\./)
        assert.include(
          (yield* cli(["catalog", "import-openapi", document])).out.join("\n"),
          `\n  pets.example: ${imported}\n`
        )
        const own = yield* json(["catalog", "import-openapi", document, "--id", "zoo", "--to", join(place, "own")])
        assert.match(String(own["operationIds"]), /^zoo\./)
        assert.deepStrictEqual(readdirSync(join(place, "own", "providers")), ["zoo.yaml"])
        for (const wrong of [
          ["--id", "zoo", document, document],
          ["--id", "Not An Id", document]
        ]) {
          const { code, err } = yield* cli(["catalog", "import-openapi", ...wrong])
          assert.strictEqual(code, 2)
          assert.match(err.join("\n"), /--id/)
        }
        const dry = yield* cli(["catalog", "import-jsonl", flat, "--to", join(place, "dry"), "--dry-run"])
        assert.strictEqual(dry.code, 0)
        for (const said of [
          "1 of 2 operations imported\n",
          "a line that is not JSON",
          "Writes 1 manifest below",
          "--dry-run"
        ])
          assert.include(dry.out.join("\n"), said)
        const jsonl = yield* json(["catalog", "import-jsonl", flat, "--to", join(place, "drafts")])
        assert.deepInclude(jsonl, { imported: 1, files: 1 })
        assert.isNotEmpty(jsonl["notes"])
        assert.lengthOf(readdirSync(join(place, "drafts", "providers")), 2)
        for (const [command, file] of [
          ["import-openapi", document],
          ["import-jsonl", flat]
        ] as const) {
          assert.match(
            (yield* cli(["catalog", command, file])).out.join("\n"),
            /\nNothing was written or published: --to FOLDER/
          )
          assert.notMatch(
            (yield* cli(["catalog", command, file, "--to", join(place, "drafts")])).out.join("\n"),
            /Nothing was written/
          )
        }
        const edited = join(place, "drafts", "providers", "pets.example.yaml")
        const text = readFileSync(edited, "utf8")
        assert.match(text, /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:8080\/docs\/files\/provider/)
        writeFileSync(edited, `${text}# edited\n`)
        const again = ["catalog", "import-openapi", document, "--to", join(place, "drafts")]
        const kept = yield* cli(again)
        assert.strictEqual(kept.code, 1)
        assert.match(kept.err.join("\n"), /pets\.example\.yaml exists already with another content/)
        assert.strictEqual(readFileSync(edited, "utf8"), `${text}# edited\n`)
        yield* json([...again, "--overwrite"])
        assert.strictEqual(readFileSync(edited, "utf8"), text)
        const notPacked = join(place, "flat.jsonl.gz")
        writeFileSync(notPacked, "{}\n")
        const cutOff = join(place, "cut.jsonl.gz")
        writeFileSync(cutOff, gzipSync("{}\n").subarray(0, 15))
        for (const [file, words] of [
          [notPacked, "a file that is not gzip although its name ends in .gz: pack it with gzip, or rename it"],
          [cutOff, "a gzip file that is cut off or damaged: pack it again"]
        ] as const) {
          const none = yield* cli(["catalog", "import-jsonl", file, "--to", join(place, "none")])
          assert.strictEqual(none.code, 1)
          assert.include(none.out.join("\n"), words)
          assert.isFalse(existsSync(join(place, "none")))
        }
        const nothing = yield* cli(["catalog", "import-jsonl", document, "--to", join(place, "empty"), "--json"])
        assert.strictEqual(nothing.code, 1)
        assert.strictEqual(JSON.parse(nothing.out.join("")).imported, 0)
        assert.isFalse(existsSync(join(place, "empty")))
      })
    )
  )

  it.effect(
    "publishes imports and folders, adds to them, replaces them and takes them back",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* temporary
          const flat = (name: string, job?: string) => {
            const file = join(place, `${name}.jsonl`)
            const operation = {
              endpointId: `${name}.list`,
              providerId: name,
              providerName: name,
              name: `List ${name}`,
              description: `Lists ${name}.`,
              method: "GET",
              baseUrl: `https://api.${name}.example`,
              path: `/${name}`,
              parameters: [],
              category: "nature"
            }
            writeFileSync(file, `${JSON.stringify({ ...operation, ...(job === undefined ? {} : { job }) })}\n`)
            return file
          }
          const inForce = Effect.map(
            Effect.provide(
              Effect.flatMap(CatalogRevisions, ({ latest }) => latest),
              (yield* CommandLine).services
            ),
            ({ content }) => content.endpoints.map(({ operation }) => operation.id).sort()
          )
          assert.deepInclude(yield* json(["catalog", "import-jsonl", flat("birds"), "--publish", "add"]), {
            imported: 1,
            published: true,
            sequence: 1,
            publishedOperations: 1
          })
          assert.deepInclude(
            yield* json(["catalog", "import-jsonl", flat("bees"), "--to", join(place, "drafts"), "--publish", "add"]),
            { files: 1, publishedOperations: 2 }
          )
          assert.deepStrictEqual(yield* inForce, ["bees.list", "birds.list"])

          const bad = join(place, "bad")
          mkdirSync(join(bad, "jobs"), { recursive: true })
          writeFileSync(join(bad, "jobs", "nobody.yaml"), "id: nobody.does.this\nname: Nobody\n")
          const refused = yield* cli(["catalog", "publish", bad])
          assert.strictEqual(refused.code, 1)
          assert.match([...refused.out, ...refused.err].join("\n"), /nobody/)
          assert.deepStrictEqual(yield* inForce, ["bees.list", "birds.list"])

          for (const wrong of [join(place, "drafts", "providers"), place]) {
            const { code, err } = yield* cli(["catalog", "publish", "--replace", wrong])
            assert.strictEqual(code, 1)
            assert.match(err.join("\n"), /holds neither providers\/ nor jobs\//)
            assert.include(err.join("\n"), wrong)
            assert.deepStrictEqual(yield* inForce, ["bees.list", "birds.list"])
          }

          assert.deepInclude(yield* json(["catalog", "publish", join(place, "drafts"), "--replace"]), {
            published: true,
            publishedOperations: 1
          })
          assert.deepStrictEqual(yield* inForce, ["bees.list"])
          assert.deepInclude(yield* json("catalog published"), {
            sequence: 3,
            operations: 1,
            operationIds: ["bees.list"],
            jobIds: []
          })
          yield* json(["catalog", "import-jsonl", flat("birds"), "--publish", "add"])
          assert.strictEqual((yield* cli(["catalog", "import-jsonl", flat("wasps"), "--publish", "add"])).code, 0)
          assert.deepStrictEqual((yield* cli("catalog published")).out, [
            "Publication 5: 3 operations, 0 jobs\n  bees: bees.list\n  birds: birds.list\n  wasps: wasps.list"
          ])
          const unknown = yield* cli("catalog withdraw birds cats")
          assert.deepStrictEqual(
            [unknown.code, unknown.err],
            [1, ["Nothing that is published has the id cats; gateway catalog published shows what has one"]]
          )
          const some = yield* cli("catalog withdraw birds wasps.list")
          assert.deepStrictEqual(
            [some.code, some.err.join("\n")],
            [0, "Withdraws 2 operations and 0 jobs from every node:\n  birds: birds.list\n  wasps: wasps.list"]
          )
          assert.deepStrictEqual(yield* inForce, ["bees.list"])
          const all = yield* cli("catalog withdraw --dry-run")
          assert.include(all.out.join("\n"), "Withdraws 1 operation and 0 jobs from every node:\n  bees: bees.list")
          assert.deepInclude(yield* json("catalog withdraw"), { published: true, publishedOperations: 0 })
          assert.deepStrictEqual((yield* cli("catalog published")).out, [
            "Nothing is published beside the built-in catalog"
          ])
          assert.strictEqual((yield* cli(["catalog", "import-jsonl", flat("ants"), "--publish", "now"])).code, 2)
        })
      ),
    60_000
  )

  it.effect("publishes nothing that the check refuses, and names the file and the path", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        writeFileSync(join(place, "providers", "bats.yaml"), `${batManifest}\n    response: { success: body.bats }`)
        const { code, out } = yield* cli(["catalog", "publish", place])
        assert.strictEqual(code, 1)
        assert.include(
          out.join("\n"),
          "bats.yaml at operations.0.samples: a documented hit is missing: it shows what the rules and the price make of an answer. gateway catalog try with --save-sample hit prints one\n1 problem; nothing was published"
        )
      })
    )
  )

  it.effect("publishes no job without the fields that operations outside of the folder fill in", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "jobs"))
        const builtIn = new URL("../../catalog/jobs/people.email.find.yaml", import.meta.url)
        const job = readFileSync(builtIn, "utf8")
        const write = (text: string) => writeFileSync(join(place, "jobs", "people.email.find.yaml"), text)
        write(job)
        const same = yield* cli(["catalog", "publish", place, "--dry-run"])
        assert.strictEqual(same.code, 0, [...same.out, ...same.err].join("\n"))
        write(job.replace(/^ {2}email:/m, "  address:"))
        for (const more of [[], ["--dry-run"], ["--replace"]]) {
          const { code, out } = yield* cli(["catalog", "publish", place, ...more])
          assert.strictEqual(code, 1)
          assert.include(
            out.join("\n"),
            "operation mock-email-find at output.fields.email: the job people.email.find has no such field"
          )
        }
      })
    )
  )

  it.effect("neither checks nor publishes a folder without a manifest, and withdraws nothing for it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        writeFileSync(join(place, "providers", "bats.json"), "{}")
        for (const command of [
          ["lint", place],
          ["publish", place],
          ["publish", place, "--replace"]
        ]) {
          const { code, err, out } = yield* cli(["catalog", ...command])
          assert.strictEqual(code, 1)
          assert.include([...out, ...err].join("\n"), "holds no manifest: manifests stand in providers/*.yaml")
        }
      })
    )
  )

  it.effect("names what a publication replaces, says which prices it changes, and keeps both in the audit trail", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        const example = readFileSync("examples/provider.yaml", "utf8")
        const publish = (micros: number) => {
          const price = `{ basis: per_call, micros: ${micros}, source: https://bats.example/prices }`
          writeFileSync(join(place, "providers", "own.yaml"), example.replace("{ basis: free, micros: 0 }", price))
          return (...more: ReadonlyArray<string>) => cli(["catalog", "publish", place, ...more])
        }
        assert.strictEqual((yield* publish(25_000)()).code, 0)
        const told = [
          "Publishes 1 operation and 0 jobs on every node",
          "Replaces 1 operation of the same id that was published before: catfacts-fact",
          "Changes the price of catfacts-fact: $0.025 a call → $0.03 a call"
        ]
        const dear = publish(30_000)
        assert.deepStrictEqual((yield* dear("--dry-run")).out, [
          [...told, "Nothing was changed (--dry-run)"].join("\n")
        ])
        assert.deepStrictEqual((yield* dear()).err, told)
        const { services } = yield* CommandLine
        const { items } = yield* Effect.flatMap(AuditTrail, (trail) =>
          trail.list({ action: "catalog.published" }, { limit: 1, after: null })
        ).pipe(Effect.provide(services))
        assert.deepInclude(items[0]?.before, { prices: ["catfacts-fact: $0.025 a call"] })
        assert.deepInclude(items[0]?.after, { published: ["catfacts-fact"], prices: ["catfacts-fact: $0.03 a call"] })
        assert.strictEqual((yield* cli("catalog withdraw")).code, 0)
      })
    )
  )

  it.effect("knows providers of GATEWAY_CATALOG, whose operations do jobs of the built-in catalog", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        const builtIn = readFileSync("catalog/providers/kickbox.yaml", "utf8")
        writeFileSync(join(place, "providers", "own.yaml"), builtIn.replaceAll("kickbox", "own"))
        const settings = { GATEWAY_CATALOG: place }
        const told = yield* cli("provider state own disabled", { settings })
        assert.deepStrictEqual([told.code, told.out.length], [0, 1], told.err.join())
      })
    )
  )

  it.effect("keeps in the audit trail which prices a withdrawal brings back", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        const builtIn = readFileSync("catalog/providers/kickbox.yaml", "utf8")
        writeFileSync(join(place, "providers", "kickbox.yaml"), builtIn.replace(/micros: 10000/g, "micros: 12000"))
        assert.strictEqual((yield* cli(["catalog", "publish", place])).code, 0)
        assert.strictEqual((yield* cli("catalog withdraw")).code, 0)
        const { services } = yield* CommandLine
        const { items } = yield* Effect.flatMap(AuditTrail, (trail) =>
          trail.list({ action: "catalog.published" }, { limit: 1, after: null })
        ).pipe(Effect.provide(services))
        assert.deepInclude(items[0]?.before, { prices: ["kickbox-verify: $0.012 a call"] })
        assert.deepInclude(items[0]?.after, { prices: ["kickbox-verify: $0.01 a call"] })
      })
    )
  )

  it.effect(
    "publishes and withdraws when every running node has it in force, and says when none runs",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* temporary
          mkdirSync(join(place, "providers"))
          writeFileSync(join(place, "providers", "bats.yaml"), batManifest)
          assert.deepInclude(yield* json(["catalog", "publish", place]), { nodes: 0, nodesInForce: 0 })
          assert.match(
            (yield* cli("catalog withdraw")).out.join("\n"),
            /no gateway runs on this database now; the next one that starts serves it/
          )

          const node = CatalogFollowing({ jobs: [], endpoints: [] }).pipe(
            Layer.provideMerge(CatalogServed({ jobsMayPickFixtures: false, vocabulary: noVocabulary })),
            Layer.provide(worldServices(newWorld()))
          )
          const { services } = yield* CommandLine
          const start = Layer.build(
            Layer.fresh(node.pipe(Layer.provide(ContractStorePg), Layer.provideMerge(services)))
          )
          const nodes = [yield* start, yield* start]
          const seen = Effect.forEach(nodes, (context) =>
            Effect.map(Context.get(context, Catalog).endpoint("bats-list"), (found) => found !== null)
          )
          // The connection that listens is made a moment after the first catalog is served.
          const reached = yield* Context.get(nodes[0]!, CatalogRevisions).watch
          yield* eventually(reached(0, 0), ({ nodes: running }) => running === 2)
          for (let round = 0; round < 2; round += 1) {
            assert.deepInclude(yield* json(["catalog", "publish", place]), {
              published: true,
              nodes: 2,
              nodesInForce: 2
            })
            assert.deepStrictEqual(yield* seen, [true, true])
            assert.match((yield* cli("catalog withdraw")).out.join("\n"), /in force on all 2 nodes/)
            assert.deepStrictEqual(yield* seen, [false, false])
          }
        })
      ),
    60_000
  )

  it.effect(
    "says what it waits for where a node does not put a publication in force",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* CommandLine
          const place = yield* temporary
          mkdirSync(join(place, "providers"))
          writeFileSync(join(place, "providers", "bats.yaml"), batManifest)
          // What is left of a frozen node: its connection.
          const frozen = new Pg.Client({
            connectionString: Redacted.value(url),
            application_name: listenerName("catalog_revisions")
          })
          yield* Effect.promise(() => frozen.connect())
          const told = yield* Deferred.make<string>()
          const hears = (words: string) =>
            void (words.includes("Waiting") && Deferred.unsafeDone(told, Effect.succeed(words)))
          const publishing = yield* Effect.fork(cli(["catalog", "publish", place, "--json"], { hears }))
          assert.strictEqual(
            yield* Deferred.await(told).pipe(
              Effect.timeout("20 seconds"),
              Effect.ensuring(Effect.promise(() => frozen.end()))
            ),
            "Published. Waiting up to two minutes for 1 of 1 node to put it in force, also for one that is frozen"
          )
          const { code, out } = yield* Fiber.join(publishing)
          assert.deepInclude(JSON.parse(out.join("")), { published: true, nodes: 0 })
          assert.strictEqual(code, 0)
          const withdrawn = (yield* cli("catalog withdraw")).err.join("\n")
          assert.match(withdrawn, /^Withdraws 1 operation and 0 jobs from every node:/)
        })
      ),
    60_000
  )

  it.effect("lints the built-in catalog together with a folder, and names file and path of what is wrong", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        writeFileSync(
          join(place, "providers", "broken.yaml"),
          "id: broken\nname: Broken\nbaseUrl: ftp://x\noperations: []\n"
        )
        const { code, out } = yield* cli(["catalog", "lint", place, "--json"])
        assert.strictEqual(code, 1)
        const found = JSON.parse(out.join(""))
        assert.isFalse(found.ok)
        assert.sameMembers(
          found.problems.map(({ path }: { path: string }) => path.split(".")[0]),
          ["baseUrl", "operations"]
        )
        assert.isTrue(found.problems.every(({ subject }: { subject: string }) => subject.endsWith("broken.yaml")))
        const whole = yield* json("catalog lint")
        assert.deepInclude(whole, { ok: true, folders: [], problems: [] })
        assert.isAbove(whole["samples"], whole["endpoints"])

        const wrong = yield* cli(["catalog", "lint", join(place, "providers")])
        assert.strictEqual(wrong.code, 1)
        assert.match(wrong.out.join("\n"), /providers: holds neither providers\/ nor jobs\//)
        writeFileSync(join(place, "providers", "broken.yaml"), `mock: true\n${batManifest}`)
        assert.deepInclude(yield* json(["catalog", "lint", place]), {
          endpoints: whole["endpoints"] + 1,
          // The folder has none, and those of the built-in operations come out as without it.
          samples: 0,
          folders: [{ folder: place, endpoints: 1, jobs: 0, overrides: { jobs: [], operations: [] } }]
        })

        writeFileSync(
          join(place, "providers", "broken.yaml"),
          batManifest.replace("verified: false", 'verified: true, verifiedOn: "2020-01-01"')
        )
        const aged = yield* cli(["catalog", "lint", place])
        assert.strictEqual(aged.code, 0)
        assert.include(aged.out.join("\n"), `from ${place}: 1 operation, 0 jobs`)
        assert.match(
          aged.out.join("\n"),
          /Warning: .*broken\.yaml at operations\.0\.provenance\.verifiedOn: is \d+ days ago/
        )

        const builtIn = fileURLToPath(new URL("../../catalog/providers/rubygems.yaml", import.meta.url))
        rmSync(join(place, "providers", "broken.yaml"))
        writeFileSync(join(place, "providers", "rubygems.yaml"), readFileSync(builtIn))
        const words =
          "Replaces 2 operations of the same id that are built in or in GATEWAY_CATALOG: rubygems-gem, rubygems-search"
        const job = fileURLToPath(new URL("../../catalog/jobs/dns.lookup.yaml", import.meta.url))
        mkdirSync(join(place, "jobs"))
        writeFileSync(join(place, "jobs", "dns.yaml"), readFileSync(job))
        const same = yield* cli(["catalog", "lint", place])
        assert.strictEqual(same.code, 0)
        assert.include(same.out.join("\n"), words)
        assert.match(same.out.join("\n"), /; [1-9]\d? samples replayed$/m)
        assert.match(
          same.out.join("\n"),
          /Warning: .*\/jobs\/dns\.yaml at id: is dns\.lookup: the file of this job should be called dns\.lookup\.yaml/
        )
        assert.include((yield* cli(["catalog", "publish", place, "--dry-run"])).out.join("\n"), words)
      })
    )
  )
}
