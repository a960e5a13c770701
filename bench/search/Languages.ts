// Everyday questions in other languages than English, each labelled with the job that it asks for. Of each language
// half are shown, and half are held out: those are asked before a release only, and nothing is tuned on them.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { readLines } from "./Data.js"

interface LanguageQuestion {
  readonly question: string
  readonly job: string
}

/** The jobs of the first rows that answer a question, best first. */
type RankedJobs = (question: string) => ReadonlyArray<string | null>

const heldOut = ".held-out"

interface QuestionSet {
  readonly language: string
  readonly isHeldOut: boolean
  readonly questions: ReadonlyArray<LanguageQuestion>
}

export const readQuestionSets = (folder = join("bench", "search", "languages")): ReadonlyArray<QuestionSet> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .map((file) => {
      const name = file.slice(0, -".jsonl".length)
      return {
        language: name.replace(heldOut, ""),
        isHeldOut: name.endsWith(heldOut),
        questions: readLines(join(folder, file)).map((line) => JSON.parse(line) as LanguageQuestion)
      }
    })

const wanted = 5
const enough = 80

/**
 * Prints for each language how many of the questions find their job, and the shown questions that do not. Gives a
 * sentence for each half that finds too few. The held-out half is asked only when `release` says so.
 */
export const printLanguages = (rank: RankedJobs, release: boolean): ReadonlyArray<string> => {
  const failures: Array<string> = []
  for (const { isHeldOut, language, questions } of readQuestionSets()) {
    if (isHeldOut && !release) continue
    const ranked = questions.map((each) => ({ ...each, jobs: rank(each.question).slice(0, wanted) }))
    const share = (found: (each: (typeof ranked)[number]) => boolean): number =>
      (100 * ranked.filter(found).length) / ranked.length
    const among = share(({ job, jobs }) => jobs.includes(job))
    const figures = [
      `first ${share(({ job, jobs }) => jobs[0] === job).toFixed(0)} %`,
      `in the first ${wanted} ${among.toFixed(0)} %`,
      `no rows ${share(({ jobs }) => jobs.length === 0).toFixed(0)} %`
    ]
    const title = `${language} ${isHeldOut ? "held out" : "shown"}`
    console.log(`  ${title.padEnd(12)} ${questions.length} questions: ${figures.join(", ")}`)
    if (among < enough) failures.push(`${title}: ${among.toFixed(0)} % find their job, at least ${enough} % is wanted`)
    if (isHeldOut) continue
    for (const { job, jobs, question } of ranked)
      if (!jobs.includes(job))
        console.log(
          `    ${job}: ${question} (found: ${Array.from(new Set(jobs.filter((each) => each !== ""))).join(", ") || "no job"})`
        )
  }
  return failures
}
