/**
 * What a catalog says that is allowed and does nothing, or not what it seems to: names that nothing has. `catalog lint`
 * warns of it. Nothing is refused for it, because a schema need not name every field that an operation takes.
 */
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import type { Endpoint, JobManifest, Operation } from "../../domain/Manifest.js"
import { pathAndQuery } from "../../domain/manifest/Address.js"
import { member } from "../../domain/Members.js"
import { inputFields, neededSets } from "../../domain/OperationInput.js"
import { didYouMean, fieldMeant } from "../../domain/Similar.js"
import type { ContentProblem } from "../../services/CatalogPublisher.js"
import type { LintProblem } from "./CatalogLint.js"
import { keyPlaces } from "../providers/KeyPlacement.js"
import { fieldsIn } from "../providers/PriceByInput.js"
import { placeholdersOf } from "../providers/Variables.js"
import { likelyCosts, likelyPrices, likelyLosses } from "./LikelyCosts.js"
import { likelyKeys } from "./LikelyKeys.js"
import { likelyRules } from "./LikelyRules.js"
import { wrongExamples } from "./ShownValues.js"
import { type CatalogProblem, idOfFile, type ReadContent } from "./ManifestReading.js"

/** Keywords whose schemas speak of the same object. */
const branches = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "$defs"]

/** The names of properties anywhere in a schema, but for those of other objects. */
const namesIn = (schema: Json): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (!isObject(schema)) return []
  const { properties } = schema
  return [
    ...(isObject(properties) ? Object.keys(properties) : []),
    ...branches.flatMap((keyword) => {
      const inner = member(schema, keyword) ?? null
      return keyword === "$defs" || keyword === "dependentSchemas"
        ? Object.values(isObject(inner) ? inner : {}).flatMap(namesIn)
        : namesIn(inner)
    })
  ]
}

/** Whether the schema says that there are fields which it does not name. */
const isOpen = ({ additionalProperties, patternProperties }: JsonObject): boolean =>
  patternProperties !== undefined || (additionalProperties !== undefined && additionalProperties !== false)

interface Fields {
  /** Those that have a name. */
  readonly named: ReadonlySet<string>
  readonly open: boolean
}

/** The fields that an operation takes. */
const fieldsOf = (operation: Operation): Fields => ({
  named: new Set([...namesIn(operation.input), ...(operation.extras ?? []), ...pageFields(operation)]),
  open: isOpen(operation.input)
})

/** The field that the gateway fills in while it goes from page to page. */
const pageFields = ({ pages }: Operation): ReadonlyArray<string> =>
  pages !== undefined && "field" in pages.next ? [pages.next.field] : []

/** What is wrong with naming this field; nothing where it may be one of those that have no name. */
const noField = (path: string, name: string, { named, open }: Fields) => {
  const meant = named.has(name) ? null : fieldMeant(name, named)
  return named.has(name) || (open && meant === null)
    ? []
    : [{ path, message: `the input has no field ${name}${didYouMean(meant === null ? [] : [meant])}` }]
}

const ofBindings = (operation: Operation, fields: Fields) =>
  Object.keys(operation.bindings).flatMap((name) => noField(`bindings.${name}`, name, fields))

/** What the path asks of the input, and what looks like a placeholder of another language. */
const ofPath = ({ operation, provider }: Endpoint, fields: Fields) => {
  const { bindings, fixed, path } = operation
  const [template] = pathAndQuery(path)
  const given = new Set([
    ...Object.keys(provider.variables ?? {}),
    ...keyPlaces(provider.auth).map(({ name }) => name),
    ...[...Object.values(bindings), ...fixed, ...provider.fixed].flatMap((each) =>
      each.in === "path" ? [each.name] : []
    )
  ])
  const foreign = [
    ...Array.from(template.matchAll(/\/:([A-Za-z_]\w*)(?=\/|$)/g), ([text, name = ""]) => ({
      text: text.slice(1),
      name
    })),
    ...Array.from(template.matchAll(/\$\{([^{}]+)\}/g), ([text, name = ""]) => ({ text, name }))
  ].filter(({ name }) => fields.named.has(name))
  const asked = placeholdersOf(template).filter((name) => !given.has(name))
  const sets = neededSets(operation.input)
  const preset = new Set(inputFields(operation).flatMap(([name, schema]) => ("default" in schema ? [name] : [])))
  /** The fields that fill a placeholder, where an input may leave out all of them. */
  const leavable = placeholdersOf(template).flatMap((placeholder) => {
    const bound = Object.entries(bindings).filter(([, each]) => each.in === "path" && each.name === placeholder)
    const fillers = bound.length > 0 ? bound.map(([field]) => field) : asked.filter((name) => name === placeholder)
    const isSure = fillers.some((name) => preset.has(name) || !fields.named.has(name))
    return fillers.length === 0 || isSure || sets.every((set) => fillers.some((name) => set.includes(name)))
      ? []
      : [fillers.join(" or ")]
  })
  return [
    ...asked.flatMap((name) => noField("path", name, fields)),
    // What a condition requires is not known without an input.
    ...("if" in operation.input ? [] : leavable).map((names) => ({
      path: "input",
      message: `the path needs ${names}: name it under required, or give it a default`
    })),
    ...foreign.map(({ name, text }) => ({
      path: "path",
      message: `a placeholder is written {${name}}, and not ${text}`
    }))
  ]
}

const ofAccepts = ({ accepts }: Operation, fields: Fields, job: JobManifest | undefined) => {
  const common = new Set(job === undefined ? [] : [...job.needs.flat(), ...Object.keys(job.exampleInput)])
  return Object.entries(accepts).flatMap(([name, field]) => {
    const path = `accepts.${name}`
    const likely = common.has(name) ? null : fieldMeant(name, common)
    // Beside the job's own name, a second spelling is meant for people.
    const meant = likely === null || Object.hasOwn(accepts, likely) || fields.named.has(likely) ? null : likely
    return [
      ...noField(path, field, fields),
      ...(meant === null ? [] : [{ path, message: `the job has no field ${name}${didYouMean([meant])}` }])
    ]
  })
}

/** The fields that decide the price. Several operations may share an expression, so one may name a field of another. */
const ofPriced = ({ price, volume }: Operation, fields: Fields) => [
  ...fieldsIn(price.byInput ?? "").flatMap((name) =>
    fieldMeant(name, fields.named) === null ? [] : noField("price.byInput", name, fields)
  ),
  ...(volume === undefined ? [] : noField("volume.field", volume.field, fields))
]

const ofOwnKeyOnly = ({ ownKeyOnly = [] }: Operation, fields: Fields) =>
  ownKeyOnly.flatMap((name) => noField("ownKeyOnly", name, fields))

/** Rules for fields of the output that it does not fill in. */
const ofOutput = ({ output }: Operation) => {
  if (output === undefined) return []
  const known = Object.keys(output.fields)
  return [
    ...Object.keys(output.values).map((name) => ({ path: `output.values.${name}`, name })),
    ...output.single.map((name) => ({ path: "output.single", name }))
  ].flatMap(({ name, path }) => {
    if (known.includes(name)) return []
    const meant = fieldMeant(name, known)
    return [{ path, message: `output.fields has no ${name}${didYouMean(meant === null ? [] : [meant])}` }]
  })
}

/** A division by what is multiplied further: JMESPath works out the product first, unlike most people. */
const dividedByProduct = /\/\s*((?:`[^`]*`|[\w.]+)\s*\*\s*(?:`[^`]*`|[\w.]+))/

const rawText = /'(?:[^'\\]|\\.)*'/g

const ofDivisions = ({ output, price, response }: Operation) =>
  [
    ["price.byInput", price.byInput] as const,
    ["response.costMicros", response.costMicros] as const,
    ["response.resultCount", response.resultCount] as const,
    ...Object.entries(output?.fields ?? {}).map(([name, source]) => [`output.fields.${name}`, source] as const)
  ].flatMap(([path, expression]) => {
    const product = dividedByProduct.exec(expression?.replaceAll(rawText, "''") ?? "")?.[1]
    return product === undefined
      ? []
      : [{ path, message: `divides by ${product}, because a product is worked out before a division: write brackets` }]
  })

/** A category in which there is no job, and that is spelled almost as one in which there are. */
const ofCategory = ({ category }: Operation, categories: ReadonlySet<string>) => {
  const meant = category === undefined || categories.has(category) ? null : fieldMeant(category, categories)
  return meant === null ? [] : [{ path: "category", message: `no job is in ${category}${didYouMean([meant])}` }]
}

/** Warnings about operations, whose jobs are among `jobs`. */
export const likelyMistakes = (
  endpoints: ReadonlyArray<Endpoint>,
  jobs: ReadonlyArray<JobManifest>
): ReadonlyArray<LintProblem> => {
  const byId = new Map(jobs.map((job) => [job.id, job]))
  const categories = new Set(jobs.map(({ category }) => category))
  const ofOperations = endpoints.flatMap((endpoint) => {
    const { operation } = endpoint
    const fields = fieldsOf(operation)
    const job = operation.job === undefined ? undefined : byId.get(operation.job)
    return [
      ...ofBindings(operation, fields),
      ...ofPath(endpoint, fields),
      ...wrongExamples(operation.input),
      ...ofAccepts(operation, fields, job),
      ...ofPriced(operation, fields),
      ...ofOwnKeyOnly(operation, fields),
      ...ofOutput(operation),
      ...ofCategory(operation, categories),
      ...ofDivisions(operation),
      ...likelyRules(operation),
      ...likelyCosts(operation),
      ...likelyLosses(operation),
      ...likelyPrices(endpoint)
    ].map((found) => ({ endpointId: operation.id, ...found }))
  })
  return [...likelyKeys(endpoints), ...ofOperations]
}

/** A category that only one job has, and that is spelled almost as another one. */
const ofCategories = (jobs: ReadonlyArray<JobManifest>): ReadonlyArray<ContentProblem> =>
  jobs.flatMap(({ category, id }) => {
    const others = jobs.filter((job) => job.id !== id).map((job) => job.category)
    const meant = others.includes(category) ? null : fieldMeant(category, others)
    return meant === null
      ? []
      : [{ subject: `job ${id}`, path: "category", message: `no other job is in ${category}${didYouMean([meant])}` }]
  })

/** Warnings about jobs. */
export const likelyJobMistakes = (jobs: ReadonlyArray<JobManifest>): ReadonlyArray<ContentProblem> => [
  ...ofCategories(jobs),
  ...jobs
    .filter(({ exampleInput, needs }) => {
      const names = Object.keys(exampleInput)
      return needs.length > 0 && !needs.some((set) => set.every((name) => names.includes(name)))
    })
    .map(({ id, needs }) => ({
      subject: `job ${id}`,
      path: "exampleInput",
      message: `has none of the sets of fields that the job needs: ${needs.map((set) => set.join(" and ")).join(", or ")}`
    }))
]

/**
 * Warnings about manifests in a file of another name, by the ids that they have. Where such a file has a mistake, its
 * name is all that is known of a job, and each operation of the job would be said to name one that is not there.
 */
export const likelyMisnamed = (
  kind: "job" | "provider",
  files: Iterable<readonly [id: string, file: string]>
): ReadonlyArray<CatalogProblem> =>
  Array.from(files)
    .filter(([id, file]) => idOfFile(file) !== id)
    .map(([id, file]) => ({
      file,
      path: "id",
      message: `is ${id}: the file of this ${kind} should be called ${id}.yaml`
    }))

/** The file of each provider, by its id. A fixture stands for no provider. */
export const providerFiles = ({
  endpoints,
  sources
}: Pick<ReadContent, "endpoints" | "sources">): ReadonlyArray<readonly [id: string, file: string]> => {
  const files = new Map<string, readonly [id: string, file: string]>()
  for (const { operation, provider } of endpoints) {
    const file = sources.get(operation.id)?.file
    if (file !== undefined && !provider.mock) files.set(file, [provider.id, file])
  }
  return [...files.values()]
}

const namesShown = 3

/** Warnings about files with operations without any sample: nothing shows what their rules make of an answer. */
export const likelyUnshown = ({
  endpoints,
  sources
}: Pick<ReadContent, "endpoints" | "sources">): ReadonlyArray<CatalogProblem> => {
  const byFile = new Map<string, Array<string>>()
  for (const { operation, provider } of endpoints) {
    const file = sources.get(operation.id)?.file
    if (file === undefined || provider.mock || Object.keys(operation.samples).length > 0) continue
    byFile.set(file, [...(byFile.get(file) ?? []), operation.id])
  }
  return Array.from(byFile, ([file, ids]) => ({
    file,
    path: "operations",
    message: `no sample shows what is made of an answer of ${ids.slice(0, namesShown).join(", ")}${ids.length > namesShown ? ` and ${ids.length - namesShown} more` : ""}`
  }))
}
