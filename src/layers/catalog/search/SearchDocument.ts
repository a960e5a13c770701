// What the index reads of one operation, and how much each field of it counts. Fields are ranked with BM25F: a term's
// frequency is summed over the fields by weight, each field normalised by its own length.

/** One operation as the search sees it. Its number in the index is its position in the list given to the builder. */
export interface SearchDocument {
  readonly endpointId: string
  readonly provider: string
  readonly providerName: string
  readonly name: string
  readonly description: string
  /** Dotted job id, such as people.email.find. */
  readonly capability: string | null
  readonly capabilityTitle?: string
  readonly category?: string
  readonly platform?: string
  readonly path?: string
  readonly tags?: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  /** How people ask for its job. */
  readonly asking?: string
}

/** An array, or what makes each document when it is asked for: each is read once. */
export interface SearchDocuments {
  readonly length: number
  at(row: number): SearchDocument | undefined
}

export const fieldNames = [
  "name",
  "provider",
  "description",
  "capability",
  "category",
  "parameterNames",
  "parameterTexts",
  "path",
  "asking"
] as const
export type FieldName = (typeof fieldNames)[number]

/** Weight of a field, and how far its length is normalised (b of BM25F, 0 to 1). */
export interface FieldTuning {
  readonly weight: number
  readonly lengthNorm: number
}

/** The texts of a document, one a field, in the order of `fieldNames`. */
export const fieldTexts = (document: SearchDocument): ReadonlyArray<string> => [
  document.name,
  `${document.providerName} ${document.provider === document.providerName.toLowerCase() ? "" : document.provider}`,
  document.description === document.name ? "" : document.description,
  `${document.capability ?? ""} ${document.capabilityTitle ?? ""}`,
  `${document.category ?? ""} ${document.platform ?? ""} ${(document.tags ?? []).join(" ")}`,
  document.parameters.map((parameter) => parameter.name).join(" "),
  document.parameters.map((parameter) => parameter.description ?? "").join(" "),
  document.path ?? "",
  document.asking ?? ""
]
