/**
 * An endpoint as a revision keeps it: it reads the same and takes less than half the memory. Three things save it. JSON
 * Schemas, which are most of a large catalog, stay text until somebody reads them. Members that many operations have in
 * common (rules, prices, empty lists) are kept once. An operation is an object with fixed properties; V8 keeps the
 * objects that a Schema decodes as hash tables.
 */
import type { JsonObject } from "../../domain/Json.js"
import type { Endpoint, Operation } from "../../domain/Manifest.js"
import { setBounded } from "../providers/BoundedMap.js"

// Runs and clients ask for few operations at a time, and parsing one again is cheap.
const parsedMax = 500
const parsed = new Map<string, JsonObject>()
const objectOf = (text: string): JsonObject => {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const made: JsonObject = JSON.parse(text)
  setBounded(parsed, parsedMax, text, made)
  return made
}

/** Replaces a value by the first equal value that it was given. */
const firstOfEqual = <A>() => {
  const first = new Map<string, A>()
  return (value: A): A => {
    const text = JSON.stringify(value)
    const known = first.get(text)
    if (known === undefined) first.set(text, value)
    return known ?? value
  }
}

/** The members that the operations of one catalog have in common. They are collected only while the catalog is read. */
export class SharedMembers {
  readonly bindings = firstOfEqual<Operation["bindings"]>()
  readonly fixed = firstOfEqual<Operation["fixed"]>()
  readonly accepts = firstOfEqual<Operation["accepts"]>()
  readonly price = firstOfEqual<Operation["price"]>()
  readonly volume = firstOfEqual<NonNullable<Operation["volume"]>>()
  readonly contentTypes = firstOfEqual<Operation["contentTypes"]>()
  readonly response = firstOfEqual<Operation["response"]>()
  readonly facts = firstOfEqual<Operation["facts"]>()
  readonly provenance = firstOfEqual<NonNullable<Operation["provenance"]>>()
  readonly samples = firstOfEqual<Operation["samples"]>()
}

class LeanOperation implements Operation {
  declare readonly id: Operation["id"]
  declare readonly name: Operation["name"]
  declare readonly summary: Operation["summary"]
  declare readonly job?: NonNullable<Operation["job"]>
  declare readonly sourceCapability?: NonNullable<Operation["sourceCapability"]>
  declare readonly category?: NonNullable<Operation["category"]>
  declare readonly platform?: NonNullable<Operation["platform"]>
  declare readonly effect: Operation["effect"]
  declare readonly repeatable: Operation["repeatable"]
  declare readonly method: Operation["method"]
  declare readonly path: Operation["path"]
  declare readonly bindings: Operation["bindings"]
  declare readonly fixed: Operation["fixed"]
  declare readonly body?: NonNullable<Operation["body"]>
  declare readonly files?: NonNullable<Operation["files"]>
  declare readonly accepts: Operation["accepts"]
  declare readonly unknown?: NonNullable<Operation["unknown"]>
  declare readonly extras?: NonNullable<Operation["extras"]>
  declare readonly ownKeyOnly?: NonNullable<Operation["ownKeyOnly"]>
  declare readonly idempotencyHeader?: NonNullable<Operation["idempotencyHeader"]>
  declare readonly price: Operation["price"]
  declare readonly volume?: NonNullable<Operation["volume"]>
  declare readonly timeoutMs: Operation["timeoutMs"]
  declare readonly maxBytes: Operation["maxBytes"]
  declare readonly contentTypes: Operation["contentTypes"]
  declare readonly response: Operation["response"]
  declare readonly async?: NonNullable<Operation["async"]>
  declare readonly pages?: NonNullable<Operation["pages"]>
  declare readonly output?: NonNullable<Operation["output"]>
  declare readonly activated: Operation["activated"]
  declare readonly facts: Operation["facts"]
  declare readonly provenance?: NonNullable<Operation["provenance"]>
  declare readonly samples: Operation["samples"]
  declare private readonly inputText: string

  /** Each member is assigned by name: copying them in a loop would make the object a hash table again. */
  constructor(operation: Operation, common: SharedMembers) {
    this.id = operation.id
    this.name = operation.name
    this.summary = operation.summary
    if (operation.job !== undefined) this.job = operation.job
    if (operation.sourceCapability !== undefined) this.sourceCapability = operation.sourceCapability
    if (operation.category !== undefined) this.category = operation.category
    if (operation.platform !== undefined) this.platform = operation.platform
    this.effect = operation.effect
    this.repeatable = operation.repeatable
    this.method = operation.method
    this.path = operation.path
    this.bindings = common.bindings(operation.bindings)
    this.fixed = common.fixed(operation.fixed)
    if (operation.body !== undefined) this.body = operation.body
    if (operation.files !== undefined) this.files = operation.files
    this.accepts = common.accepts(operation.accepts)
    if (operation.unknown !== undefined) this.unknown = operation.unknown
    if (operation.extras !== undefined) this.extras = operation.extras
    if (operation.ownKeyOnly !== undefined) this.ownKeyOnly = operation.ownKeyOnly
    if (operation.idempotencyHeader !== undefined) this.idempotencyHeader = operation.idempotencyHeader
    this.price = common.price(operation.price)
    if (operation.volume !== undefined) this.volume = common.volume(operation.volume)
    this.timeoutMs = operation.timeoutMs
    this.maxBytes = operation.maxBytes
    this.contentTypes = common.contentTypes(operation.contentTypes)
    this.response = common.response(operation.response)
    if (operation.async !== undefined) this.async = operation.async
    if (operation.pages !== undefined) this.pages = operation.pages
    if (operation.output !== undefined) this.output = operation.output
    this.activated = operation.activated
    this.facts = common.facts(operation.facts)
    if (operation.provenance !== undefined) this.provenance = common.provenance(operation.provenance)
    this.samples = common.samples(operation.samples)
    this.inputText = JSON.stringify(operation.input)
  }

  get input(): JsonObject {
    return objectOf(this.inputText)
  }

  toJSON(): object {
    const { inputText: _, ...others } = this
    return { ...others, input: this.input }
  }
}

/** An operation whose answer is documented. */
class LeanOperationAnswering extends LeanOperation {
  declare private readonly outputSchemaText: string

  constructor(operation: Operation, common: SharedMembers, outputSchema: JsonObject) {
    super(operation, common)
    this.outputSchemaText = JSON.stringify(outputSchema)
  }

  get outputSchema(): JsonObject {
    return objectOf(this.outputSchemaText)
  }

  override toJSON(): object {
    return { ...super.toJSON(), outputSchemaText: undefined, outputSchema: this.outputSchema }
  }
}

// When manifests get a new member and this class does not, every catalog would lose it. This line then does not
// compile.
const forgotten: { readonly [Name in Exclude<keyof Operation, keyof LeanOperationAnswering>]: never } = {}
void forgotten

const leanOperation = (operation: Operation, common: SharedMembers): Operation =>
  operation instanceof LeanOperation
    ? operation
    : operation.outputSchema === undefined
      ? new LeanOperation(operation, common)
      : new LeanOperationAnswering(operation, common, operation.outputSchema)

/** The same endpoint, kept lean; an endpoint that is lean already is given back unchanged. */
export const leanEndpoint = ({ contractVersion, operation, provider }: Endpoint, common: SharedMembers): Endpoint => ({
  provider,
  operation: leanOperation(operation, common),
  contractVersion
})
