/** The catalog folder that comes with the program. */
import { fileURLToPath } from "node:url"
import { inPackage } from "../../PackagedFiles.js"

export const builtInCatalog = fileURLToPath(inPackage("catalog"))
