/** `docs/api.md`: every route of the OpenAPI document in tables, for people who read instead of unfolding. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>
interface Header {
  readonly description: string
}
interface Answer {
  readonly description: string
  readonly content?: Content
  readonly headers?: Readonly<Record<string, unknown>>
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}
interface Route {
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
  readonly security: ReadonlyArray<object>
  readonly "x-required-scope"?: string
}
export interface Document {
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly headers: Readonly<Record<string, Header>>
  }
}
interface Named {
  readonly name: string
  readonly route: Route
}

/** Dotted names go no deeper. */
const levelsMax = 3
/** What is longer stands below its table. */
const cellMax = 220
/** A list of words with more stands below its table. */
const wordsMax = 7
/** A list of so few words stands in its cell, also where it has a place among the shapes. */
const wordsInPlace = 4
/** A shape that repeats so many fields of another one names that instead. */
const sharedMin = 5

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)
const code = (text: string): string => `\`${text}\``
const codes = (words: ReadonlyArray<unknown>): string => words.map((word) => code(String(word))).join(", ")
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-")
/** `automaticTopUps` and `public-catalog` as titles. */
const titled = (tag: string): string => {
  const words = tag
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("-", " ")
    .toLowerCase()
  return words === "oauth" ? "OAuth" : words.replace(/^./, (letter) => letter.toUpperCase())
}
/** What is no Markdown in the document must be none here: a word in angle brackets is a placeholder. */
const prose = (text: string): string => text.replaceAll(/[^\s`(]*<\w+>[^\s`).,;]*/g, "`$&`")
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")
const row = (cells: ReadonlyArray<string>): string => `| ${cells.map(cell).join(" | ")} |`
const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): Array<string> =>
  rows.length === 0 ? [] : [row(heads), row(heads.map(() => "---")), ...rows.map(row), ""]
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const isNull = (schema: Schema): boolean => schema.type === "null"
const isAny = ({ type }: Schema): boolean => Array.isArray(type) && type.includes("object") && type.includes("string")

const bounds = ({ format, maxItems, maxLength, maximum, minItems, minLength, minimum, pattern }: Schema): string => {
  const between = (least: number | undefined, most: number | undefined, of: string): ReadonlyArray<string> => {
    if (least !== undefined && most !== undefined) return [`${least} to ${most}${of}`]
    if (least !== undefined) return [`${least}${of} or more`]
    return most === undefined ? [] : [`up to ${most}${of}`]
  }
  return [
    ...(format === "date-time" ? ["ISO 8601"] : []),
    ...between(minimum, maximum, ""),
    ...between(minLength, maxLength, " characters"),
    ...between(minItems, maxItems, " items").map((words) => (words === "1 items or more" ? "not empty" : words)),
    ...(pattern === undefined ? [] : [`matches ${code(pattern)}`])
  ].join(", ")
}

/** The codes of failed runs have a table of their own in docs/errors.md. */
export const apiPage = ({ components, paths, tags }: Document, failedRuns: ReadonlySet<unknown>): string => {
  const component = (name: string): Schema => components.schemas[name] ?? {}
  const routes: ReadonlyArray<Named> = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, route]) => ({ name: `${method.toUpperCase()} ${path}`, route }))
  )
  const succeeds = ([status]: readonly [string, Answer]): boolean => Number(status) < 400
  const answersOf = ({ responses }: Route) => Object.entries(responses).filter(succeeds)
  const refusalsOf = ({ responses }: Route) => Object.entries(responses).filter((each) => !succeeds(each))
  const schemasOf = (content: Content | undefined): ReadonlyArray<Schema> =>
    Object.values(content ?? {}).map(({ schema }) => schema)
  const choicesOf = (schema: Schema): ReadonlyArray<Schema> => schema.anyOf ?? schema.oneOf ?? [schema]
  /** Refusals of other standards have bodies of their own. */
  const otherErrors = ({ responses }: Route): ReadonlyArray<readonly [status: string, shape: string]> =>
    Object.entries(responses)
      .filter((each) => !succeeds(each))
      .flatMap(([status, { content }]) =>
        choicesOf(content?.["application/json"]?.schema ?? {}).flatMap(({ $ref }) =>
          $ref === undefined || nameOf($ref).startsWith("Error_") ? [] : [[status, nameOf($ref)] as const]
        )
      )

  // Which components have a place of their own among the shapes.
  const uses = new Map<string, number>()
  const wordLists = new Map(
    Object.entries(components.schemas).flatMap(([name, { enum: words }]) =>
      words === undefined ? [] : [[JSON.stringify(words), name] as const]
    )
  )
  /** The component that has this very list of words. */
  const listOf = ({ enum: words }: Schema): string | undefined => wordLists.get(JSON.stringify(words))
  const count = (schema: Schema): void => {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref)
      uses.set(name, (uses.get(name) ?? 0) + 1)
      if (uses.get(name) === 1 && !isWords(name)) count(component(name))
    }
    const list = listOf(schema)
    if (list !== undefined) uses.set(list, (uses.get(list) ?? 0) + 1)
    for (const inner of [
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
      ...(schema.items === undefined ? [] : [schema.items]),
      ...Object.values(schema.properties ?? {}),
      ...(typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [])
    ])
      count(inner)
  }
  const isTable = (name: string): boolean => Object.keys(component(name).properties ?? {}).length > 0
  const isWords = (name: string): boolean => component(name).enum !== undefined
  const forced = new Set<string>()
  for (const { route } of routes) {
    for (const [, { content }] of answersOf(route)) schemasOf(content).forEach(count)
    schemasOf(route.requestBody?.content).forEach(count)
    for (const [, name] of otherErrors(route)) {
      forced.add(name)
      uses.set(name, 1)
    }
  }
  const isShape = (name: string): boolean =>
    forced.has(name) || ((uses.get(name) ?? 0) > 1 && (isTable(name) || isWords(name)))
  /** The tree of fields below a schema, through components that have no place of their own. */
  const objectsOf = (schema: Schema): ReadonlyArray<Schema> => {
    if (schema.$ref !== undefined) return isShape(nameOf(schema.$ref)) ? [] : objectsOf(component(nameOf(schema.$ref)))
    if (schema.items !== undefined) return objectsOf(schema.items)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) return choices.flatMap(objectsOf)
    if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) return [schema]
    return typeof schema.additionalProperties === "object" ? objectsOf(schema.additionalProperties) : []
  }
  // One that would end in the middle gets a place.
  const cut = (schema: Schema, level: number): void => {
    for (const { properties = {} } of objectsOf(schema)) {
      for (const inner of Object.values(properties)) {
        const ref = inner.$ref ?? inner.items?.$ref ?? inner.anyOf?.find(({ $ref }) => $ref !== undefined)?.$ref
        const name = ref === undefined ? null : nameOf(ref)
        if (name !== null && isTable(name) && !isShape(name) && level + depth(component(name)) > levelsMax)
          forced.add(name)
        cut(inner, level + 1)
      }
    }
  }
  const depth = (schema: Schema): number =>
    Math.max(
      0,
      ...objectsOf(schema).flatMap(({ properties = {} }) => Object.values(properties).map((of) => 1 + depth(of)))
    )
  /** The component whose fields another one repeats, and adds to. */
  const baseOf = (name: string): string | null => {
    const own = component(name).properties ?? {}
    const repeats = (other: string): boolean => {
      const fields = Object.entries(component(other).properties ?? {})
      return (
        other !== name &&
        fields.length >= sharedMin &&
        fields.length < Object.keys(own).length &&
        fields.every(([field, schema]) => JSON.stringify(own[field]) === JSON.stringify(schema))
      )
    }
    return [...uses.keys()].filter(repeats).sort((left, right) => sizeOf(right) - sizeOf(left))[0] ?? null
  }
  const sizeOf = (name: string): number => Object.keys(component(name).properties ?? {}).length
  const bodies = new Set(
    routes.flatMap(({ route }) => schemasOf(route.requestBody?.content).flatMap(({ $ref = "" }) => nameOf($ref)))
  )
  const answering = [...uses.keys()].filter((name) => isTable(name) && !bodies.has(name))
  for (const name of answering) {
    const base = baseOf(name)
    if (base === null) continue
    forced.add(base)
    forced.add(name)
  }
  for (const name of answering) cut(component(name), 1)
  for (const name of bodies) cut(component(name), 1)
  const shapes = [...new Set([...uses.keys(), ...forced])]
    .filter(isShape)
    .sort((left, right) => left.localeCompare(right, "en"))

  const headings = [
    ...["Every request and answer", "Errors of every route", "Headers of answers"],
    ...tags.flatMap(({ name }) => [
      titled(name),
      ...routes.filter(({ route }) => route.tags.includes(name)).map((each) => each.name)
    ]),
    "Shapes",
    ...shapes
  ]
  /** The anchor of the last heading with this text; equal ones are numbered. */
  const anchor = (heading: string): string => {
    const before = headings.slice(0, headings.lastIndexOf(heading)).filter((each) => slug(each) === slug(heading))
    return before.length === 0 ? slug(heading) : `${slug(heading)}-${before.length}`
  }
  const link = (heading: string): string => `[${heading}](#${anchor(heading)})`

  /** A type without its bounds. */
  const bare = (schema: Schema): string => {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref)
      return isShape(name) ? link(name) : bare(component(name))
    }
    const list = listOf(schema)
    if (schema.enum !== undefined) {
      if (list !== undefined && isShape(list) && schema.enum.length > wordsInPlace) return link(list)
      return schema.enum.length > wordsMax ? "string" : codes(schema.enum)
    }
    if (isAny(schema)) return "any JSON"
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) return [...new Set(choices.map(bare))].join(" or ")
    if (schema.items !== undefined) return `list of ${bare(schema.items)}`
    if (schema.type === "object" && typeof schema.additionalProperties === "object")
      return `object of ${bare(schema.additionalProperties)}`
    return String(schema.type ?? "any JSON")
  }
  const typeOf = (schema: Schema): string => {
    const choices = choicesOf(schema).filter(({ const: word }) => word !== "")
    const limits = choices
      .map((each) =>
        bounds(each.$ref === undefined || isShape(nameOf(each.$ref)) ? each : component(nameOf(each.$ref)))
      )
      .filter((each) => each !== "")
    return [
      [...new Set(choices.map(bare))].join(" or "),
      ...limits,
      ...(wordsBelow(schema).length > 0 ? ["one of those below"] : [])
    ].join(", ")
  }

  interface Field {
    readonly path: string
    readonly schema: Schema
    readonly required: boolean
    /** The words of `code` with which the field is there, where it is not with all of them. */
    readonly only: ReadonlyArray<unknown>
  }
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : {
          ...component(nameOf(schema.$ref)),
          ...(schema.description === undefined ? {} : { description: schema.description })
        }
  const marks = (schema: Schema): string => {
    const target =
      schema.$ref === undefined ? schema : isShape(nameOf(schema.$ref)) ? {} : component(nameOf(schema.$ref))
    if (target.items !== undefined) return `[]${marks(target.items)}`
    const inner = (target.anyOf ?? target.oneOf)?.find((each) => !isNull(each))
    if (inner !== undefined) return marks(inner)
    return typeof target.additionalProperties === "object" ? ".*" : ""
  }
  /** The fields of an object, or of several of which one is there, told apart by their `code`. */
  const fieldsOf = (
    objects: ReadonlyArray<Schema>,
    before: string,
    level: number,
    skip: ReadonlySet<string>
  ): ReadonlyArray<Field> => {
    const names = [...new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))].filter(
      (name) => !skip.has(name)
    )
    return names.flatMap((name) => {
      const having = objects.filter(({ properties }) => properties?.[name] !== undefined)
      const variants = having.map(({ properties }) => properties?.[name] ?? {})
      const words = variants.flatMap((each) => each.enum ?? [])
      const first = variants[0] ?? {}
      const schema =
        variants.length > 1 && variants.every((each) => each.enum !== undefined)
          ? { ...first, enum: [...new Set(words)], description: describe(variants) }
          : first
      const path = `${before}${name}`
      const field: Field = {
        path,
        schema,
        required: having.every(({ required = [] }) => required.includes(name)),
        only:
          having.length === objects.length ? [] : having.flatMap(({ properties }) => properties?.["code"]?.enum ?? [])
      }
      const inner = level < levelsMax ? objectsOf(schema) : []
      return [field, ...(inner.length === 0 ? [] : fieldsOf(inner, `${path}${marks(schema)}.`, level + 1, new Set()))]
    })
  }
  /** Words that each have a meaning of their own, side by side. */
  const describe = (variants: ReadonlyArray<Schema>): string => {
    const said = new Map(variants.map((each) => [codes(each.enum ?? []), each.description ?? ""]))
    return new Set(said.values()).size === 1
      ? (variants[0]?.description ?? "")
      : [...said].map(([words, meaning]) => `${words}: ${meaning}`).join("; ")
  }
  const meaningOf = ({ only, schema }: Field): string => {
    const whole = schema.description ?? resolved(schema).description ?? resolved(schema.items ?? {}).description ?? ""
    // A shape says itself what its words mean.
    const list = schema.$ref === undefined ? listOf(schema) : nameOf(schema.$ref)
    const isSaid = list !== undefined && isWords(list) && isShape(list) && whole === component(list).description
    const said = isSaid ? (whole.split(": ")[0] ?? "") : whole
    return only.length === 0 ? prose(said) : `${sentence(prose(said))} Only with ${codes(only)}`
  }
  const isLong = (text: string): boolean => text.length > cellMax
  /** The start of a text that is too long for a cell. */
  const start = (text: string): string =>
    isLong(text) ? `${/^.*?[.:;](?= )/.exec(text)?.[0].slice(0, -1) ?? ""} (below)` : text
  const wordsBelow = (schema: Schema): ReadonlyArray<unknown> => {
    const target = schema.items ?? (schema.anyOf ?? schema.oneOf)?.find((each) => !isNull(each)) ?? schema
    const list = target.$ref === undefined ? listOf(target) : nameOf(target.$ref)
    const words = list !== undefined && isShape(list) ? [] : (resolved(target).enum ?? [])
    return words.length > wordsMax ? words : []
  }
  const listedWords = (words: ReadonlyArray<unknown>): string =>
    words.every((word) => failedRuns.has(word)) ? "the codes of [failed runs](errors.md#failed-runs)" : codes(words)
  const below = (fields: ReadonlyArray<Field>): Array<string> =>
    fields.flatMap((field) => {
      const meaning = meaningOf(field)
      const words = wordsBelow(field.schema)
      return [
        ...(isLong(meaning) ? [`${code(field.path)}: ${sentence(meaning)}`, ""] : []),
        ...(words.length > 0 ? [`${code(field.path)} is one of ${listedWords(words)}.`, ""] : [])
      ]
    })
  const defaultOf = (schema: Schema): string => {
    const value = resolved(schema).default
    return value === undefined ? "" : code(typeof value === "string" ? value : JSON.stringify(value))
  }

  const answerTable = (objects: ReadonlyArray<Schema>, skip: ReadonlySet<string> = new Set()): Array<string> => {
    const fields = fieldsOf(objects, "", 1, skip)
    const rows = fields.map((field) => [
      code(field.path),
      `${typeOf(field.schema).replace(/, 0 or more$/, "")}${field.required ? "" : ", optional"}`,
      start(meaningOf(field))
    ])
    return [...table(["Field", "Type", "Meaning"], rows), ...below(fields)]
  }
  const bodyTable = (schema: Schema): Array<string> => {
    const fields = fieldsOf(objectsOf(schema), "", 1, new Set())
    const hasDefaults = fields.some((field) => defaultOf(field.schema) !== "")
    const rows = fields.map((field) => [
      code(field.path),
      typeOf(field.schema),
      field.required ? "yes" : "no",
      ...(hasDefaults ? [defaultOf(field.schema)] : []),
      start(meaningOf(field))
    ])
    return [
      ...table(["Field", "Type", "Required", ...(hasDefaults ? ["Default"] : []), "Meaning"], rows),
      ...below(fields)
    ]
  }
  const parameterTable = (parameters: ReadonlyArray<Parameter>): Array<string> => {
    const fields = parameters.map(({ description = "", name, required, schema }): Field => ({
      path: name,
      schema: { ...schema, description },
      required,
      only: []
    }))
    const rows = fields.map((field, at) => [
      code(field.path),
      parameters[at]?.in ?? "",
      typeOf(field.schema),
      field.required ? "required" : defaultOf(field.schema),
      start(meaningOf(field))
    ])
    return [...table(["Parameter", "In", "Type and bounds", "Default", "Meaning"], rows), ...below(fields)]
  }
  /** An object with a place of its own, or as part of a route: its table, after the fields of another one. */
  const objectTable = (name: string): Array<string> => {
    const base = baseOf(name)
    if (base === null) return answerTable([component(name)])
    return [
      `All fields of ${link(base)}, and these:`,
      "",
      ...answerTable([component(name)], new Set(Object.keys(component(base).properties ?? {})))
    ]
  }

  const errorsOf = (route: Route): ReadonlyArray<readonly [status: string, code: string]> =>
    refusalsOf(route).flatMap(([status, { content }]) =>
      choicesOf(content?.["application/json"]?.schema ?? {}).flatMap(({ $ref = "" }) =>
        nameOf($ref).startsWith("Error_") ? [[status, nameOf($ref).slice("Error_".length)] as const] : []
      )
    )
  const common = (of: ReadonlyArray<Named>): ReadonlyArray<readonly [string, string]> =>
    errorsOf(of[0]?.route ?? ({ responses: {} } as Route)).filter(([, error]) =>
      of.every(({ route }) => errorsOf(route).some(([, other]) => other === error))
    )
  const listed = (errors: ReadonlyArray<readonly [string, string]>): string =>
    errors.map(([status, error]) => `${code(error)} (${status})`).join(", ")
  const takesToken = ({ route }: Named): boolean => route.security.length > 0
  const hasScope = ({ route }: Named): boolean => route["x-required-scope"] !== undefined
  const hasBody = ({ route }: Named): boolean => route.requestBody?.content["application/json"] !== undefined
  const isProbe = ({ name }: Named): boolean => ["GET /livez", "GET /readyz", "GET /metrics"].includes(name)
  const groups: ReadonlyArray<readonly [who: string, takes: (each: Named) => boolean]> = [
    ["Every route", () => true],
    ["Every route but the probes", (each) => !isProbe(each)],
    ["With a token", takesToken],
    ["With a scope", hasScope],
    ["With a JSON body", hasBody]
  ]
  const known = new Set<string>()
  const commonRows = groups.map(([who, takes]) => {
    const errors = common(routes.filter(takes)).filter(([, error]) => !known.has(error))
    for (const [, error] of errors) known.add(error)
    return [who, listed(errors)]
  })
  const commonOf = (each: Named): ReadonlySet<string> =>
    new Set(groups.flatMap(([, takes]) => (takes(each) ? common(routes.filter(takes)).map(([, error]) => error) : [])))

  const headersEverywhere = new Set(["X-Request-Id", "RateLimit", "RateLimit-Policy", "X-Ignored-Parameters"])
  const headersOf = ({ headers = {} }: Answer): ReadonlyArray<string> =>
    Object.keys(headers).filter((name) => !headersEverywhere.has(name))
  const needs = ({ security, "x-required-scope": scope }: Route): string => {
    if (scope !== undefined) return `Needs the scope ${code(scope)}.`
    if (security.length === 0) return "Needs no token."
    return security.length > 1 ? "Takes a token and needs none." : "Needs a token, with any scopes."
  }

  const answerLines = (status: string, answer: Answer): Array<string> => {
    const names = headersOf(answer)
    const headers = names.length === 0 ? "" : ` Headers: ${codes(names)}.`
    const media = Object.entries(answer.content ?? {})
    const others = media.filter(([type]) => type !== "application/json").map(([type]) => type)
    const choices = choicesOf(answer.content?.["application/json"]?.schema ?? {}).filter(
      ({ $ref }) => $ref !== undefined
    )
    const linked = choices.map(({ $ref = "" }) => nameOf($ref)).filter(isShape)
    const also = others.length === 0 ? "" : ` As ${codes(others)}${choices.length > 0 ? ", or as JSON" : ""}.`
    const isLinked = linked.length > 0 && linked.length === choices.length
    const several = choices.length > 1 ? "one of these" : prose(answer.description)
    const said = isLinked ? linked.map(link).join(" or ") : several
    return [
      `**${status}**: ${sentence(said)}${also}${headers}`,
      "",
      ...choices.flatMap(({ $ref = "" }) => {
        const name = nameOf($ref)
        if (isShape(name)) return []
        return [
          ...(choices.length > 1 ? [`${sentence(component(name).description ?? name)}`, ""] : []),
          ...objectTable(name)
        ]
      })
    ]
  }

  const routeLines = (each: Named): Array<string> => {
    const { name, route } = each
    const skip = commonOf(each)
    const own = errorsOf(route).filter(([, error]) => !skip.has(error))
    const body = Object.entries(route.requestBody?.content ?? {})
    const others = otherErrors(route)
    return [
      `### ${code(name)}`,
      "",
      `${sentence(prose(route.summary))} ${needs(route)}`,
      "",
      ...(route.description === undefined || route.description === route.summary
        ? []
        : [sentence(prose(route.description)), ""]),
      ...parameterTable(route.parameters ?? []),
      ...body.flatMap(([type, { schema }]) => {
        const rows = bodyTable(schema)
        const form = type === "application/json" ? "" : `, as ${code(type)}`
        return [
          rows.length > 0 ? `Body${form}:` : `Body${form}: ${sentence(resolved(schema).description ?? "any JSON")}`,
          "",
          ...rows
        ]
      }),
      ...answersOf(route).flatMap(([status, answer]) => answerLines(status, answer)),
      ...(own.length + others.length === 0
        ? []
        : [
            `[Errors](errors.md#refused-requests): ${[...others.map(([status, name]) => `${link(name)} (${status})`), ...(own.length > 0 ? [listed(own)] : [])].join(", ")}.`,
            ""
          ])
    ]
  }

  const shapeLines = (name: string): Array<string> => {
    const { description = "", enum: words } = component(name)
    return [
      `### ${name}`,
      "",
      sentence(prose(description)),
      "",
      ...(words === undefined ? objectTable(name) : [`One of ${codes(words)}.`, ""])
    ]
  }

  const lines = [
    "# The HTTP API",
    "",
    `All ${routes.length} routes of the gateway, with what each takes and answers. This page is made of the OpenAPI document by \`npm run docs:api\`;`,
    "a test fails when it is not what the document says. A running gateway has the document at `/openapi.json`, and at `/docs/reference` the same with examples.",
    "",
    "## Every request and answer",
    "",
    "- The token goes into the header `Authorization: Bearer pgw_…`. [What each scope allows](logins.md#what-each-scope-allows).",
    "- Bodies are JSON where nothing else is said. A JSON body with a field that its table does not have is refused.",
    "- An answer may get new fields at any time: ignore those that you do not know.",
    "- Dotted names are nested fields, `[]` is each item of a list, `.*` is each member of an object. A field that is `optional` may be absent.",
    "- An amount whose name ends in `Micros` is an integer of micros, millionths of a dollar. All other amounts are dollars.",
    "- A list has pages. Take `nextCursor` of a page as `cursor` of the next one, with the same filters; it is null on the last page.",
    "  The search alone goes by number: take its `nextOffset` as `offset`.",
    "",
    "### Errors of every route",
    "",
    "A route names only the errors that it has beside these. [errors.md](errors.md#refused-requests) says what each code means and what to do.",
    "A path that no route has is answered with `route_not_found` (404), and another method with `method_not_allowed` (405).",
    "",
    ...table(
      ["Routes", "Errors"],
      commonRows.filter(([, errors]) => errors !== "")
    ),
    "### Headers of answers",
    "",
    `${codes([...headersEverywhere])} may stand on every answer. The others stand where a route names them, or with 401, 405, 429 and 503.`,
    "",
    ...table(
      ["Header", "Meaning"],
      Object.entries(components.headers).map(([name, { description }]) => [code(name), prose(description)])
    ),
    ...tags.flatMap((tag) => [
      `## ${titled(tag.name)}`,
      "",
      sentence(tag.description),
      "",
      ...routes.filter(({ route }) => route.tags.includes(tag.name)).flatMap(routeLines)
    ]),
    "## Shapes",
    "",
    "What several routes take or answer.",
    "",
    ...shapes.flatMap(shapeLines)
  ]
  return `${lines.join("\n").trimEnd()}\n`
}
