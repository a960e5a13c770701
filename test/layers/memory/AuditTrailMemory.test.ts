import { auditTrailSuite } from "../../services/AuditTrail.suite.js"
import { storageMemory } from "../../support/engine.js"

auditTrailSuite("Audit trail over memory", storageMemory)
