import { storageMemory } from "../../support/engine.js"
import { runAdmissionSuite } from "../../services/RunAdmission.suite.js"

runAdmissionSuite("Admission of runs over memory", storageMemory)
