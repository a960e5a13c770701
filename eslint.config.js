// Lint holds what the compiler cannot: no silenced types, no escapes from Effect, and imports that point one way
// (domain <- services <- layers, http; only layers/compose and the entry points know both sides), between the rooms of
// src/layers as well.
import js from "@eslint/js"
import { defineConfig } from "eslint/config"
import tseslint from "typescript-eslint"
import importWays from "./eslint/importWays.js"
import openLookup from "./eslint/openLookup.js"
import { chaos, isolated } from "./test/isolated.js"

/** `object.name` in every form: `object["name"]`, `globalThis.object.name`, `{ name } = object`, `x = object`. */
const uses = (object, name) => [
  ...["property.name", "property.value"].map(
    (key) => `MemberExpression:matches([object.name='${object}'],[object.property.name='${object}'])[${key}='${name}']`
  ),
  `:matches(VariableDeclarator[init.name='${object}'],AssignmentExpression[right.name='${object}']) > ObjectPattern > Property[key.name='${name}']`,
  `VariableDeclarator[id.type='Identifier'][init.name='${object}']`
]
const imported = (module, names) =>
  `ImportDeclaration[source.value=/^(node:)?${module}$/] > ImportSpecifier[imported.name=/^(${names})$/]`

const time = "Take time from effect's Clock."
const waiting = "Use Effect.sleep or Schedule."
/** What code of src takes from effect instead. Each is named, so that the client can have some of them. */
const ambient = [
  {
    of: "environment",
    message: "Read configuration through effect's Config (src/layers/node/Config.ts).",
    selectors: [...uses("process", "env"), imported("process", "env")]
  },
  {
    of: "time",
    message: time,
    selectors: [
      ...uses("Date", "now"),
      "CallExpression[callee.name='Date']",
      "NewExpression:matches([callee.name='Date'],[callee.property.name='Date'])[arguments.length=0]"
    ]
  },
  {
    of: "chance",
    message: "Take randomness from effect's Random or the Ids service.",
    selectors: uses("Math", "random")
  },
  { of: "timers", message: waiting, selectors: [imported("timers(.promises)?", "setTimeout|setInterval")] },
  {
    of: "throw",
    message: "Expected failures are values: return yield* new SomeError().",
    selectors: ["ThrowStatement"]
  },
  {
    of: "addresses",
    message: "It is wrong about letters beyond ASCII: use readUrl (src/domain/Url.ts).",
    selectors: uses("URL", "canParse")
  },
  {
    of: "rows",
    message: "Nobody checks a type that a statement is told: check its rows with rowsOf (database/Rows).",
    selectors: ["TaggedTemplateExpression[typeArguments]"]
  }
]
const noAmbient = (...allowed) => ({
  "no-restricted-syntax": [
    "error",
    ...ambient
      .filter(({ of }) => !allowed.includes(of))
      .flatMap(({ message, selectors }) => selectors.map((selector) => ({ selector, message })))
  ],
  // As values too, and behind globalThis.
  "no-restricted-globals": allowed.includes("timers")
    ? "off"
    : [
        "error",
        {
          globals: ["setTimeout", "setInterval"].map((name) => ({ name, message: waiting })),
          checkGlobalObject: true
        }
      ]
})

const ofTheProcess = "process|globalThis|global|Date|Math|console|performance|URL|JSON"
/** What a test would change or judge for all files in its process. */
const processChanges = [
  "CallExpression[callee.object.name='process'][callee.property.name=/^(on|once|addListener|prependListener|chdir|kill|exit|memoryUsage|umask)$/]",
  imported("process", "env|on|once|addListener|prependListener|chdir|kill|exit|memoryUsage|umask"),
  "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock|stubGlobal|stubEnv|useFakeTimers|setSystemTime|resetModules|setConfig)$/]",
  `CallExpression[callee.object.name='vi'][callee.property.name='spyOn'][arguments.0.name=/^(${ofTheProcess})$/]`,
  "CallExpression[callee.object.name='vi'][callee.property.name='spyOn'][arguments.0.object.name=/^(process|globalThis|global)$/]",
  "CallExpression:matches([callee.name=/^(setGlobalDispatcher|setFlagsFromString|monitorEventLoopDelay)$/],[callee.property.name=/^(setGlobalDispatcher|setFlagsFromString|monitorEventLoopDelay)$/])",
  "AssignmentExpression[left.object.object.name='process'][left.object.property.name='env']",
  `AssignmentExpression[left.object.name=/^(${ofTheProcess})$/]`,
  "UnaryExpression[operator='delete'][argument.object.object.name='process']",
  "UnaryExpression[operator='delete'][argument.object.name='globalThis']",
  "CallExpression[callee.object.name=/^(Object|Reflect)$/][callee.property.name=/^(assign|define(Property|Properties)|set|deleteProperty)$/]" +
    `:matches([arguments.0.name=/^(${ofTheProcess})$/],[arguments.0.object.name='process'])`
].map((selector) => ({
  selector,
  message: "This file shares its process with others: do without this, or name the file in test/isolated.js."
}))

/** The index of such a package loads all of it, Swagger UI and clusters too: 40 MB and a quarter of a second. */
const notTheIndex = {
  regex: "^@effect/(platform|platform-node|sql|sql-pg|cli)$",
  message: 'import the module alone, like import * as HttpApi from "@effect/platform/HttpApi"'
}

/** What the gateway is made of stands in ways of its own; nothing here names src/client, which is a package alone. */
const inSrc = (files, to, why, packages) => {
  const from = files.replace(/\*.*$/, "")
  return {
    files: [files],
    rules: { "gateway/import-ways": ["error", { from, to, why, ...(packages === undefined ? {} : { packages }) }] }
  }
}
/** The rooms of src/layers: each may import those that stand before it. */
const rooms = ["node", "accounts", "providers", "secrets", "catalog", "runs", "memory", "postgres", "compose"]
const domain = ["src/domain/"]
const services = [...domain, "src/services/"]
/** Below everything that reads files of the package. */
const base = [...services, "src/PackagedFiles"]
const ways = [
  inSrc("src/PackagedFiles.ts", [], "it stands below everything"),
  inSrc("src/domain/**/*.ts", domain, "domain is pure and stands below everything: effect only", ["effect"]),
  inSrc("src/services/**/*.ts", services, "a service is an interface and knows no layer, no HTTP and no technology", [
    "effect"
  ]),
  inSrc("src/http/**/*.ts", [...base, "src/http/"], "http reaches layers only through services"),
  ...rooms.map((room, at) =>
    inSrc(
      `src/layers/${room}/**/*.{ts,mjs}`,
      [
        ...base,
        ...rooms
          .slice(0, at + 1)
          // Storages do not know each other; what they share has a home below.
          .filter((below) => !(room === "postgres" && below === "memory"))
          .map((below) => `src/layers/${below}/`),
        ...(room === "compose" ? ["src/http/"] : [])
      ],
      "each room of layers knows those below it, and only layers/compose knows http"
    )
  ),
  inSrc("src/cli/**/*.ts", [...base, "src/layers/", "src/cli/"], "commands reach what they do through layers"),
  inSrc("src/cli.ts", [...base, "src/layers/", "src/cli/"], "it is the command line"),
  inSrc("src/main.ts", ["src/layers/compose/"], "layers/compose makes the gateway"),
  inSrc("src/testing.ts", [...base, "src/layers/", "src/http/"], "it is a gateway without the command line"),
  inSrc("src/client/**/*.ts", ["src/client/"], "the client has no dependencies, and runs in browsers", [])
]

export default defineConfig(
  { ignores: ["dist/", ".bench/", "node_modules/", ".data/", "coverage/"] },
  { plugins: { gateway: { rules: { "import-ways": importWays, "open-lookup": openLookup } } } },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-extraneous-class": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-empty-object-type": "off",
      // The formatter keeps code within this; strings, templates and patterns may be longer, comments may not.
      "max-len": [
        "error",
        { code: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true, ignoreUrls: true }
      ],
      "@typescript-eslint/unified-signatures": "off",
      // Effect says "nothing" with void in type arguments everywhere.
      "@typescript-eslint/no-invalid-void-type": "off",
      "require-yield": "off"
    }
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: {
      globals: {
        Buffer: "readonly",
        performance: "readonly",
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        fetch: "readonly",
        setTimeout: "readonly"
      }
    }
  },
  {
    files: ["src/**/*.ts"],
    languageOptions: { parserOptions: { project: "./tsconfig.json" } },
    rules: {
      "gateway/open-lookup": "error",
      // More than five arguments are a record, whose members have names where they are given.
      "max-params": ["error", 5],
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "no-restricted-imports": ["error", { patterns: [notTheIndex] }],
      ...noAmbient()
    }
  },
  // It has no Effect: it throws, waits and looks at the clock as its callers do.
  { files: ["src/client/**/*.ts"], rules: noAmbient("time", "chance", "timers", "throw") },
  // The one place that looks up such names, and does it safely.
  { files: ["src/domain/Members.ts"], rules: { "gateway/open-lookup": "off" } },
  ...ways,
  {
    files: ["test/**/*.ts", "bench/**/*.ts", "chaos/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "no-restricted-imports": ["error", { patterns: [notTheIndex] }]
    }
  },
  {
    files: ["bench/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "SpreadElement[argument.object.name='process'][argument.property.name='env']",
          message:
            "A benchmark must not find the settings of a gateway: use environmentWith (bench/runs/Environment.ts)."
        }
      ]
    }
  },
  {
    files: ["test/**/*.ts"],
    // The others are not loaded by files that share a process.
    ignores: [
      ...isolated,
      ...chaos,
      "test/support/{closingLine,globalSetup,startPostgres}.ts",
      "test/docs/terminal.ts",
      "test/golden/documentGateway.ts"
    ],
    rules: { "no-restricted-syntax": ["error", ...processChanges] }
  }
)
