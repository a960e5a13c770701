/** Bounds and defaults: manifests, and the documents that they are made from. */

/** The longest id of a provider and of an operation. */
export const providerIdCharsMax = 63
export const endpointIdCharsMax = 200
/** How deep the file of a manifest or an OpenAPI document may be nested. */
export const manifestDepthMax = 300
/** How many steps the dotted name of a binding or fixed value may have in a JSON body. */
export const bindingStepsMax = 16
/** The last position of a list that such a name may fill. */
export const bindingItemMax = 99
/** The longest expression of a manifest. */
export const expressionCharsMax = 10_000
/** How many levels the syntax tree of an expression may have; each step of a path such as `a.b.c` is one. */
export const expressionDepthMax = 200
/** The longest pattern of a schema. */
export const patternCharsMax = 1_000
/** How many steps a pattern may have, with its repetitions written out. */
export const patternSizeMax = 1_000
/** How many steps all patterns of one schema may have together; each counts as 20 at least. */
export const schemaPatternsSizeMax = 10_000
/** How deep the schema of an operation's input may be nested, and how many schemas may stand in it. */
export const schemaDepthMax = 32
export const schemaNodesMax = 5_000
/** How many schemas one list of them (`anyOf`, `oneOf`, `allOf`, `prefixItems`) may have. */
export const schemaChoicesMax = 100
/** Files that one OpenAPI document may be spread over. */
export const importFilesMax = 10_000
/** Each of these files but the first, which somebody has named. */
export const importFileBytesMax = 67_108_864
/** The pause between two calls of one provider while `gateway catalog watch` asks it. */
export const watchPauseMillis = 1_000
/** After how many days the documentation of an operation should be read again: `gateway catalog lint` says so then. */
export const verifiedDaysMax = 365
