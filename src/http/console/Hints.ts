/**
 * What to do next, in the words of a page. The hints of runs and of errors are written for programs, once for all
 * clients; a person has no idempotency keys, no members of an answer and no fields of a body, and gets what stands for
 * them here.
 */

const forPeople: ReadonlyArray<readonly [written: RegExp, said: string]> = [
  [/Send it (?:again )?with a new idempotency key/g, "Run it again"],
  [/send it (?:again )?with a new idempotency key/g, "run it again"],
  [/Send the endpointId (.+) with a new idempotency key/g, "Run $1 instead"],
  [/Send the first request again for its answer, or this one with a new idempotency key/g, "Send this form once more"],
  [/Top up as topUp says/g, "Top up"],
  [/the right endpointId/g, "the right operation"],
  [/; result\.needs says what each provider asks for/g, ""],
  [/what one provider of result\.needs asks for/g, "what one of the providers asks for"],
  [/, or take one of result\.suggestions/g, ""],
  [/Request the capability \(POST \/v1\/capability-requests\)/g, "Ask the operator of this gateway for it"],
  [/run the job with fallback/g, "run the job so that it tries the next provider"],
  [/fallback\.maxCostUsd/g, "the most that the whole run may cost"],
  [/one of the ids out of fallback\.exclude/g, "back one of the operations that are left out"],
  [/take an id out of fallback\.exclude/g, "take back one of the operations that are left out"],
  [/; requestedJob\.skipped says what (?:stands|stood) against each(?: provider)?/g, ""],
  [/leave connectionId out/g, "choose no key of your own"],
  [/ with POST \/v1\/connections(?:\/authorizations)?/g, " on the page Connections"],
  [/give the id of one/g, "choose one"]
]

export const hintForPeople = (hint: string): string =>
  forPeople.reduce((text, [written, said]) => text.replace(written, said), hint)
