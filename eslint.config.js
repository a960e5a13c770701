// Lint holds what the compiler cannot: no silenced types, no escapes from Effect, and imports that point one way
// (domain <- services <- layers, http; only layers/compose and the entry points know both sides), between the rooms of
// src/layers as well.
import js from "@eslint/js"
import tseslint from "typescript-eslint"
import openLookup from "./eslint/openLookup.js"
import { chaos, isolated } from "./test/isolated.js"

const noAmbient = (allowed = []) =>
  [
    {
      selector: "MemberExpression[object.name='process'][property.name='env']",
      message: "Read configuration through effect's Config (src/layers/node/Config.ts)."
    },
    {
      selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
      message: "Take time from effect's Clock."
    },
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "Take time from effect's Clock." },
    {
      selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
      message: "Take randomness from effect's Random or the Ids service."
    },
    { selector: "CallExpression[callee.name=/^(setTimeout|setInterval)$/]", message: "Use Effect.sleep or Schedule." },
    { selector: "ThrowStatement", message: "Expected failures are values: return yield* new SomeError()." },
    {
      selector: "MemberExpression[object.name='URL'][property.name='canParse']",
      message: "It is wrong about letters beyond ASCII: use readUrl (src/domain/Url.ts)."
    },
    {
      selector: "TaggedTemplateExpression[typeArguments]",
      message: "Nobody checks a type that a statement is told: check its rows with rowsOf (database/Rows)."
    }
  ].filter((rule) => !allowed.some((word) => rule.selector.includes(word)))

/** What a test would change or judge for all files in its process. */
const processChanges = [
  "CallExpression[callee.object.name='process'][callee.property.name=/^(on|once|addListener|prependListener|chdir|kill|exit|memoryUsage)$/]",
  "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock|stubGlobal|stubEnv|useFakeTimers|setSystemTime|resetModules|setConfig)$/]",
  "CallExpression[callee.name=/^(setGlobalDispatcher|setFlagsFromString|monitorEventLoopDelay)$/]",
  "AssignmentExpression[left.object.object.name='process'][left.object.property.name='env']",
  "AssignmentExpression[left.object.name=/^(process|globalThis|global|Date|Math|console|performance|URL|JSON)$/]",
  "UnaryExpression[operator='delete'][argument.object.object.name='process']",
  "UnaryExpression[operator='delete'][argument.object.name='globalThis']",
  "CallExpression[callee.object.name=/^(Object|Reflect)$/][callee.property.name=/^(assign|defineProperty|set)$/][arguments.0.name=/^(process|globalThis|global|Date|Math|console)$/]"
].map((selector) => ({
  selector,
  message: "This file shares its process with others: do without this, or name the file in test/isolated.js."
}))

/** The client package stands alone: nothing else in src knows it, and it knows nothing else. */
const notTheClient = {
  regex: "^(\\.\\./)+client/",
  message: "src/client is the client package; the gateway does not use it"
}
/** The index of such a package loads all of it, Swagger UI and clusters too: 40 MB and a quarter of a second. */
const notTheIndex = {
  regex: "^@effect/(platform|platform-node|sql|sql-pg|cli)$",
  message: 'import the module alone, like import * as HttpApi from "@effect/platform/HttpApi"'
}
const imports = (...patterns) => ({
  "no-restricted-imports": ["error", { patterns: [notTheClient, notTheIndex, ...patterns] }]
})
/** The rooms of src/layers: each may import those that stand before it. */
const rooms = ["node", "accounts", "providers", "secrets", "catalog", "runs", "memory", "postgres", "compose"]
const up = (folder, message) => ({ group: [`**/${folder}/*`, `**/${folder}/**`], message })

export default tseslint.config(
  { ignores: ["dist/", ".bench/", "node_modules/", ".data/", "coverage/"] },
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
    plugins: { gateway: { rules: { "open-lookup": openLookup } } },
    rules: {
      "gateway/open-lookup": "error",
      // More than five arguments are a record, whose members have names where they are given.
      "max-params": ["error", 5],
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "no-restricted-syntax": ["error", ...noAmbient()]
    }
  },
  { files: ["src/**/*.ts"], rules: imports() },
  { files: ["src/*.ts"], rules: imports({ regex: "^\\./client/", message: notTheClient.message }) },
  {
    files: ["src/client/**/*.ts"],
    rules: {
      ...imports({ regex: "^(?!\\./)", message: "the client has no dependencies, and runs in browsers" }),
      // It has no Effect: it throws, waits and looks at the clock as its callers do.
      "no-restricted-syntax": ["error", ...noAmbient(["Date", "Math", "setTimeout", "ThrowStatement"])]
    }
  },
  // The one place that looks up such names, and does it safely.
  { files: ["src/domain/Members.ts"], rules: { "gateway/open-lookup": "off" } },
  {
    files: ["src/domain/**/*.ts"],
    rules: imports(
      up("services", "domain imports nothing above it"),
      up("layers", "domain imports nothing above it"),
      up("http", "domain imports nothing above it"),
      { group: ["node:*", "@effect/*"], message: "domain is pure: effect only" }
    )
  },
  {
    files: ["src/services/**/*.ts"],
    rules: imports(
      up("layers", "a service is an interface; it cannot know a layer"),
      up("http", "a service cannot know HTTP"),
      {
        group: ["node:*", "@effect/platform*", "@effect/sql*"],
        message: "a service interface names no technology"
      }
    )
  },
  { files: ["src/http/**/*.ts"], rules: imports(up("layers", "http reaches layers only through services")) },
  ...rooms.map((room, at) => ({
    files: [`src/layers/${room}/**/*.ts`],
    rules: imports(
      ...rooms
        .slice(at + 1)
        .map((later) => up(later, `layers/${room} stands below layers/${later} (see eslint.config.js)`)),
      ...(room === "compose" ? [] : [up("http", "only layers/compose composes http")]),
      ...(room === "postgres"
        ? [up("memory", "storages do not know each other; what they share has a home below")]
        : [])
    )
  })),
  {
    files: ["test/**/*.ts", "bench/**/*.ts", "chaos/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "no-restricted-imports": ["error", { patterns: [notTheIndex] }]
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
