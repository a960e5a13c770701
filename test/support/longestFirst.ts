/**
 * The order of the test files: those that wait for processes, databases and time start first, so that the run does not
 * end with one process waiting and the others idle. Within each group the order stays vitest's own.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const waiting = /\/test\/(chaos|simulation|cli|golden|gateway)\/|\/test\/http\/console\/|\/docs\/Blocks/

export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) => waiting.test(moduleId)
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))]
  }
}
