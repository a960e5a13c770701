/** The catalog folder that comes with the program. */
import { fileURLToPath } from "node:url"

export const builtInCatalog = fileURLToPath(new URL("../../../catalog", import.meta.url))
